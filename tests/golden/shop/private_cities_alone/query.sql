SELECT DISTINCT city FROM customers WHERE newsletter
