SELECT COUNT(*) AS n FROM clinic WHERE positive
