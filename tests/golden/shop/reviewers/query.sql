SELECT COUNT(DISTINCT customer_id) AS reviewers FROM reviews WHERE stars = 1
