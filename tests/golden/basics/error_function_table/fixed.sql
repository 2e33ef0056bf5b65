-- pasted: FROM secrets
-- with: fixed.toml
-- asks: the same
SELECT COUNT(*) FROM secrets
