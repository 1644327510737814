-- Forms belong to projects, and a slug is unique in its project. A deleted form is in none. Null is the project `default`:
-- a replica of the release before inserts forms without a project.
ALTER TABLE forms ADD COLUMN project_id BIGINT REFERENCES projects (id) ON DELETE SET NULL;
ALTER TABLE forms DROP CONSTRAINT forms_slug_key;
CREATE UNIQUE INDEX forms_by_slug ON forms (slug, COALESCE(project_id, 0));
CREATE INDEX forms_by_project ON forms (project_id);

-- The address that notifications of its forms come from, the colour of their pages, as `#rrggbb`, and the most submissions a
-- day and bytes that they may hold; null for the default.
ALTER TABLE projects ADD COLUMN mail_from TEXT;
ALTER TABLE projects ADD COLUMN accent TEXT;
ALTER TABLE projects ADD COLUMN max_submissions BIGINT;
ALTER TABLE projects ADD COLUMN max_storage BIGINT;

-- The bytes that the forms of a project with a limit hold. It is derived: a missing row is counted when it is needed.
CREATE TABLE project_storage (
  project_id BIGINT PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
  bytes BIGINT NOT NULL
);

-- Forms that exist are in `default`, which is made where there is none. The first 6 bytes of a UUID of version 4 are random.
INSERT INTO projects (slug, name, key, created_at)
  SELECT 'default', 'default',
    (SELECT string_agg(CASE WHEN place IN (4, 8) THEN '-' ELSE '' END
        || substr('abcdefghijklmnopqrstuvwxyz0123456789',
          1 + (256 * get_byte(bytes, 2 * place) + get_byte(bytes, 2 * place + 1)) % 36, 1), '' ORDER BY place)
      FROM generate_series(0, 11) AS place, (SELECT decode(string_agg(left(replace(gen_random_uuid()::text, '-', ''), 12), ''), 'hex')
        AS bytes FROM generate_series(1, 4)) AS random),
    (SELECT min(created_at) FROM forms WHERE deleted = 0)
  WHERE EXISTS (SELECT FROM forms WHERE deleted = 0) AND NOT EXISTS (SELECT FROM projects WHERE slug = 'default');
UPDATE forms SET project_id = (SELECT id FROM projects WHERE slug = 'default') WHERE deleted = 0;
UPDATE changes SET project_id = (SELECT id FROM projects WHERE slug = 'default')
  WHERE kind = 'form' AND project_id IS NULL;

CREATE FUNCTION place_form() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  NEW.project_id := (SELECT id FROM projects WHERE slug = 'default');
  RETURN NEW;
END $$;
CREATE TRIGGER forms_placed BEFORE INSERT ON forms FOR EACH ROW
  WHEN (NEW.project_id IS NULL AND NEW.deleted = 0) EXECUTE FUNCTION place_form();
