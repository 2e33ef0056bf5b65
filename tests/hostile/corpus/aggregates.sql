SELECT string_agg(note, ',') FROM visits
SELECT string_agg(note, ',' ORDER BY cost) FROM visits
SELECT group_concat(note) FROM visits
SELECT listagg(note) WITHIN GROUP (ORDER BY note) FROM visits
SELECT list(note) FROM visits
SELECT list(note) FILTER (WHERE smoker) FROM visits
SELECT array_agg(note) FROM visits
SELECT array_agg(DISTINCT note ORDER BY note) FROM visits
SELECT ARRAY(SELECT note FROM visits) FROM visits
SELECT first(note) FROM visits
SELECT first(note ORDER BY cost DESC) FROM visits
SELECT last(cost) FROM visits
SELECT any_value(note) FROM visits
SELECT arg_max(note, cost) FROM visits
SELECT arg_min(note, cost, 3) FROM visits
SELECT max_by(note, cost) FROM visits
SELECT min(note) FROM visits
SELECT max(email) FROM visits
SELECT histogram(note) FROM visits
SELECT map_from_entries(list((note, cost))) FROM visits
SELECT approx_top_k(note, 3) FROM visits
SELECT approx_count_distinct(note, 5) FROM visits
SELECT quantile_disc(note, 0.5) FROM visits
SELECT reservoir_quantile(cost, 0.5, 1) FROM visits
SELECT bitstring_agg(age) FROM visits
SELECT bit_xor(hash(note)) FROM visits
SELECT product(cost) FROM visits
SELECT entropy(note) FROM visits
SELECT fsum(cost) FROM visits
SELECT json_group_array(note) FROM visits
SELECT json_group_object(note, cost) FROM visits
SELECT SUM(SUM(cost)) FROM visits
SELECT SUM(cost) + MAX(email) FROM visits
SELECT ward, COUNT(*) FROM visits GROUP BY ward HAVING bool_or(note = 'x')
SELECT AVG(email) FROM visits
SELECT SUM(person_id) FROM visits
SELECT SUM(1e300 * cost * cost) FROM visits
SELECT SUM(CLAMP(cost, 0, cost)) FROM visits
SELECT SUM(CLAMP(cost, 5, 0)) FROM visits
