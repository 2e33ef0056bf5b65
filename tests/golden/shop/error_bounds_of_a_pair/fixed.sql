-- pasted: CLAMP(product, LOW, HIGH)
-- given: LOW = 1, HIGH = 40
-- asks: the same
SELECT CORR(amount, CLAMP(product, 1, 40)) AS r FROM till
