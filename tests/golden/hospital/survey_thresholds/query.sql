SELECT COUNT(*) FILTER (WHERE pain >= 3) AS some, COUNT(*) FILTER (WHERE pain >= 7) AS much FROM survey
