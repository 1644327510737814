-- A mail address that is a whole text has a term of its own: the submissions that may have one are indexed again.
UPDATE submissions SET indexed = 0 WHERE indexed = 1 AND (data LIKE '%@%' OR data LIKE '%u0040%');
