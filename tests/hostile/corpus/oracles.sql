SELECT COUNT(*) FROM visits WHERE 1 / (id - 77) > 0
SELECT SUM(1 / (rowid - 77)) FROM visits
SELECT COUNT(*) FROM visits WHERE error(note) IS NULL
SELECT COUNT(*) FROM visits WHERE CASE WHEN note = 'x' THEN error('found') ELSE 1 END = 1
SELECT COUNT(*) FROM visits WHERE CASE WHEN smoker THEN CAST('x' AS UUID) ELSE NULL END IS NULL
SELECT COUNT(*) FROM visits WHERE log(-cost) > 0
SELECT COUNT(*) FROM visits WHERE sqrt(cost - 77) > 0
SELECT COUNT(*) FROM visits WHERE asin(cost) > 0
SELECT COUNT(*) FROM visits WHERE age % (age - 77) = 0
SELECT COUNT(*) FROM visits WHERE age // 0 = 1
SELECT COUNT(*) FROM visits WHERE age << 62 > 0
SELECT COUNT(*) FROM visits WHERE age ^ 1000 > 0
SELECT COUNT(*) FROM visits WHERE pow(age, 1000) > 0
SELECT COUNT(*) FROM visits WHERE ~age = 1
SELECT COUNT(*) FROM visits WHERE CAST(note AS JSON) IS NOT NULL
SELECT COUNT(*) FROM visits WHERE note::BLOB IS NOT NULL
SELECT COUNT(*) FROM visits WHERE CAST(note AS INTERVAL) IS NOT NULL
SELECT COUNT(*) FROM visits WHERE CAST(cost AS DECIMAL(2, 1)) > 0
SELECT COUNT(*) FROM visits WHERE CAST(note AS INTEGER[]) IS NOT NULL
SELECT COUNT(*) FROM visits WHERE CAST(note AS ENUM('a', 'b')) = 'a'
SELECT COUNT(*) FROM visits WHERE CAST(seen AS TIMESTAMPTZ) > '2024-01-01'
SELECT COUNT(*) FROM visits WHERE regexp_matches(note, '(a+)+$')
SELECT COUNT(*) FROM visits WHERE note SIMILAR TO '(a|a)*b'
SELECT COUNT(*) FROM visits WHERE note ~ '((a*)*)*b'
SELECT COUNT(*) FROM visits WHERE note LIKE note
SELECT COUNT(*) FROM visits WHERE note LIKE 'x!' ESCAPE '!'
SELECT COUNT(*) FROM visits WHERE note GLOB '[a'
SELECT COUNT(*) FROM visits WHERE [1, 2][age] = 1
SELECT COUNT(*) FROM visits WHERE note[age] = 'x'
SELECT COUNT(*) FROM visits WHERE list_extract([note], age) = 'x'
SELECT COUNT(*) FROM visits WHERE json_extract(note, '$.x') IS NULL
SELECT COUNT(*) FROM visits WHERE note ->> 'x' = 'y'
SELECT COUNT(*) FROM visits WHERE strptime(note, '%Y') > seen
SELECT COUNT(*) FROM visits WHERE day + INTERVAL (age * 1000000) YEAR > day
SELECT COUNT(*) FROM visits WHERE make_timestamp(age, 13, 32, 25, 61, 61) = seen
SELECT COUNT(*) FROM visits WHERE to_timestamp(cost * 1e300) = seen
SELECT COUNT(*) FROM visits WHERE chr(age * 1000000) = note
SELECT COUNT(*) FROM visits WHERE from_base64(note) IS NULL
SELECT COUNT(*) FROM visits WHERE cost = (SELECT cost FROM visits)
SELECT COUNT(*) FROM visits WHERE TRY(error('x')) IS NULL
SELECT COUNT(*) FROM visits WHERE st_geomfromtext(note) IS NULL
SELECT COUNT(*) FROM visits WHERE note COLLATE nowhere = 'x'
SELECT COUNT(*) FROM visits WHERE seen AT TIME ZONE note > seen
