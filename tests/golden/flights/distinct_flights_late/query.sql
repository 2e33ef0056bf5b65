SELECT COUNT(DISTINCT flight) AS flights FROM delays WHERE minutes > 60
