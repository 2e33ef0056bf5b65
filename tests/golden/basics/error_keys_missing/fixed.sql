-- pasted: CASE WHEN name = '…' THEN '…' ELSE 'other' END
-- given: … = Lily
-- asks: something else: other groups
SELECT CASE WHEN name = 'Lily' THEN 'Lily' ELSE 'other' END, COUNT(*) FROM staff
GROUP BY CASE WHEN name = 'Lily' THEN 'Lily' ELSE 'other' END
