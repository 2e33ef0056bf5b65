SELECT SUM(amount - discount) AS net FROM orders WHERE status <> 'returned'
