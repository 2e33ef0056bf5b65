SELECT MEDIAN(dose) AS m FROM clinic
