-- Changes of forms, and of projects as a whole, are in the history of no project.
ALTER TABLE changes ALTER COLUMN project_id DROP NOT NULL;
