-- What a token is limited to: a project, and one environment of it unless that is null.
ALTER TABLE tokens ADD COLUMN project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE;

CREATE INDEX tokens_by_project ON tokens (project_id);

UPDATE tokens SET project_id = (SELECT project_id FROM environments WHERE id = environment_id)
WHERE environment_id IS NOT NULL;
