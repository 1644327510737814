-- The second factor with which changes of the environment are approved.
ALTER TABLE environments ADD COLUMN approve_with TEXT;
