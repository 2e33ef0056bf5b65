-- done: then compare that column in the join
-- with: fixed.toml
-- asks: something else: then compare that column in the join
SELECT COUNT(*) AS n
FROM till AS a
JOIN till AS b ON a.person_id = b.person_id AND a.sold = b.sold
