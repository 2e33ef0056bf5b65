SELECT LAST_DAY(admitted) AS month, SUM(bill) AS bill FROM visits WHERE admitted >= DATE '2024-01-01' - INTERVAL 30 DAY GROUP BY LAST_DAY(admitted)
