SELECT COUNT(*) FROM read_csv('secrets.csv')
