SELECT MODE(colour) AS c FROM cats
