SELECT AVG(DATE '2024-12-31' - hired) AS days, AVG(DATE_DIFF('month', hired, DATE '2024-12-31')) AS months FROM staff WHERE DATEDIFF(hour, hired, seen) > 24
