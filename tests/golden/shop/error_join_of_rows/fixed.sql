-- done: ON a.person_id = b.person_id
-- with: fixed.toml
SELECT COUNT(*) AS n
FROM till AS a
JOIN till AS b ON a.person_id = b.person_id AND a.sold = b.sold
