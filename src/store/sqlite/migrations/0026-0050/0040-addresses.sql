-- A mail address that is a whole text has a term of its own, so the index is filled again.
INSERT INTO submission_search (submission_search) VALUES ('delete-all');
DELETE FROM submission_positions;
DELETE FROM search_removals;
