-- Lists are read in pages: these give them in their order.
DROP INDEX changes_by_name;
CREATE INDEX changes_by_name ON changes (project_id, name, revision);
CREATE INDEX changes_by_project ON changes (project_id, revision);

DROP INDEX scheduled_changes_by_environment;
CREATE INDEX scheduled_changes_by_environment ON scheduled_changes (environment_id, at, created_at);
