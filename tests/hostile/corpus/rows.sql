SELECT * FROM visits
SELECT note FROM visits
SELECT note FROM visits LIMIT 1
SELECT cost FROM visits ORDER BY cost DESC LIMIT 1
SELECT cost FROM visits FETCH FIRST 1 ROW ONLY
SELECT visits FROM visits
SELECT v.* FROM visits AS v
SELECT * EXCLUDE (note) FROM visits
SELECT * REPLACE (note AS ward) FROM visits
SELECT * RENAME (note AS ward) FROM visits
SELECT * LIKE 'n%' FROM visits
SELECT COLUMNS('n.*') FROM visits
SELECT SUM(COLUMNS(*)) FROM visits
SELECT COUNT(COLUMNS(c -> c LIKE 'n%')) FROM visits
SELECT *COLUMNS('c.*') FROM visits
SELECT COUNT(*), note FROM visits
SELECT ward, note, COUNT(*) FROM visits GROUP BY ward
SELECT note, COUNT(*) FROM visits GROUP BY note
SELECT note, COUNT(*) FROM visits GROUP BY ALL
SELECT COUNT(*) FROM visits GROUP BY person_id
SELECT COUNT(*) FROM visits GROUP BY seen
SELECT COUNT(*) FROM visits GROUP BY ward || note
SELECT COUNT(*) FROM visits GROUP BY CASE WHEN smoker THEN note END
SELECT COUNT(*) FROM visits GROUP BY COALESCE(note, 'x')
SELECT COUNT(*) FROM visits GROUP BY ROLLUP (note)
SELECT COUNT(*) FROM visits GROUP BY GROUPING SETS ((ward), (person_id), ())
SELECT COUNT(*) FROM visits GROUP BY CUBE (seen, ward)
SELECT DISTINCT note FROM visits
SELECT DISTINCT ON (ward) note FROM visits
SELECT ward, COUNT(*) FROM visits GROUP BY ward HAVING note = 'x'
SELECT ward, COUNT(*) FROM visits GROUP BY ward ORDER BY note
SELECT ward, COUNT(*) FROM visits GROUP BY ward ORDER BY MAX(note)
SELECT ward, COUNT(*) FROM visits GROUP BY ward LIMIT (SELECT cost FROM visits)
SELECT row(note, cost) FROM visits
SELECT struct_pack(n := note) FROM visits
SELECT {'n': note} FROM visits
SELECT MAP {note: cost} FROM visits
SELECT [note] FROM visits
SELECT [x + 1 FOR x IN [cost] IF x > 2] FROM visits
SELECT list_transform([note], lambda x: x || 'y') FROM visits
SELECT COUNT(*), (SELECT note FROM visits LIMIT 1) FROM visits
SELECT note FROM visits UNION ALL SELECT ward FROM visits
SELECT note FROM visits EXCEPT SELECT ward FROM visits
SELECT person_id FROM visits INTERSECT SELECT person_id FROM bills
SELECT note FROM visits UNION BY NAME SELECT note FROM bills
SELECT cost FROM visits FOR UPDATE
SELECT upper(note) FROM visits
SELECT GROUPING(note), COUNT(*) FROM visits
SELECT TOP 1 note FROM visits
