SELECT COUNT(*) AS answers, AVG(pain) AS pain, AVG(again) AS again FROM survey
