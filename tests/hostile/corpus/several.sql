SELECT COUNT(*) FROM visits; DROP TABLE visits
SELECT COUNT(*) FROM visits; SELECT COUNT(*) FROM cats
; ATTACH 'other.db'; SELECT COUNT(*) FROM visits
BEGIN; SELECT COUNT(*) FROM visits; COMMIT
SELECT COUNT(*) FROM visits /* ; */ ; /* ; */ SET threads = 1
SELECT COUNT(*) FROM visits WHERE note = ';' ; PRAGMA version
SELECT COUNT(*) FROM visits WHERE note = 'x'; COPY visits TO 'stolen.csv' --'
