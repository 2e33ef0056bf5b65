SELECT COUNT(*) FROM staff JOIN regions ON staff.floor = regions.id
