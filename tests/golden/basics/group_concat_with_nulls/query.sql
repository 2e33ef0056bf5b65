SELECT CONCAT_WS('/', ward, CASE WHEN positive THEN 'positive' END) AS ward, COUNT(*) AS n FROM clinic GROUP BY 1
