SELECT COUNT(*) FROM visits WHERE age > ?
SELECT COUNT(*) FROM visits WHERE age > $1
SELECT COUNT(*) FROM visits WHERE note = $list0
SELECT COUNT(*) FROM visits WHERE age > :x
SELECT COUNT(*) FROM visits WHERE age > @x
SELECT COUNT(*) FROM visits WHERE note = @@version
SELECT COUNT(*) FROM visits WHERE age > {x}
SELECT COUNT(*) FROM visits WHERE age > {{ x }}
SELECT COUNT(*) FROM visits WHERE note = %(x)s
SELECT COUNT(*) FROM ?
SELECT COUNT(*) FROM IDENTIFIER('vault')
SELECT COUNT(*) FROM {table}
SELECT #1 FROM visits
SELECT COUNT(*) FROM visits LIMIT ?
