SELECT COUNT(*) FILTER (WHERE ward = 'eyes') AS eyes,
       COUNT(*) FILTER (WHERE ward = 'heart') AS heart
FROM clinic
