-- pasted: MIN(CLAMP(amount, 0, 300)), QUANTILE_CONT(CLAMP(amount, 0, 300), 0.25), QUANTILE_CONT(CLAMP(amount, 0, 300), 0.5), QUANTILE_CONT(CLAMP(amount, 0, 300), 0.75), MAX(CLAMP(amount, 0, 300))
-- asks: the same
SELECT MIN(CLAMP(amount, 0, 300)), QUANTILE_CONT(CLAMP(amount, 0, 300), 0.25), QUANTILE_CONT(CLAMP(amount, 0, 300), 0.5), QUANTILE_CONT(CLAMP(amount, 0, 300), 0.75), MAX(CLAMP(amount, 0, 300)) FROM orders
