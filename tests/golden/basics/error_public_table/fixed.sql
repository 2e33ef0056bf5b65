-- pasted: JOIN regions ON
-- with: fixed.toml
-- asks: something else: join it to a private table
SELECT COUNT(*) FROM staff JOIN regions ON staff.floor = regions.id
