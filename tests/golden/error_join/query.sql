SELECT COUNT(*) FROM staff JOIN regions ON staff.region = regions.region
