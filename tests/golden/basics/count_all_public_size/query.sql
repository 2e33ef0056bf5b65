SELECT COUNT(*) AS n, COUNT(*) FILTER (WHERE positive) AS sick FROM clinic
