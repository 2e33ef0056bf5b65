SELECT COUNT(*) FILTER (WHERE LOWER(TRIM(name)) = 'ann') AS anns,
  COUNT(*) FILTER (WHERE name ILIKE 'van %' AND LEFT(name, 1) <> 'V') AS vans,
  COUNT(*) FILTER (WHERE SUBSTRING(name FROM 2 FOR 3) = 'nna' OR RIGHT(name, 2) = 'ie') AS parts,
  COUNT(*) FILTER (WHERE POSITION('-' IN name) > 0 AND SPLIT_PART(name, '-', 2) LIKE 'M%') AS double_names,
  COUNT(*) FILTER (WHERE REPLACE(name, 'ph', 'f') || ' of ' || city = 'Sofie of Oslo') AS sofies
FROM staff
