SELECT MODE(ward) AS w FROM clinic
