-- Names of tokens are unique within a project, so that nobody who creates one learns of those elsewhere.
ALTER TABLE tokens DROP CONSTRAINT tokens_name_key;
CREATE UNIQUE INDEX tokens_by_name ON tokens (name, coalesce(project_id, 0));

-- Roles of users in projects, beside the role that each user has in every project.
CREATE TABLE members (
  user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  -- What gave the role: manual for people, oidc for groups of an identity provider.
  source TEXT COLLATE "C" NOT NULL,
  role TEXT COLLATE "C" NOT NULL,
  -- The environments whose flags the user may change, as a JSON array of slugs; null for all.
  environments TEXT,
  PRIMARY KEY (user_id, project_id, source)
);
CREATE INDEX members_by_project ON members (project_id, user_id);

-- Links that make somebody a member once, by the SHA-256 of their secret. The maker is a user, a token, or with neither the
-- operator of the machine; an invitation is gone with its maker.
CREATE TABLE invitations (
  hash BYTEA PRIMARY KEY,
  -- The name of the invitation where it is listed.
  id TEXT COLLATE "C" NOT NULL UNIQUE,
  project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  role TEXT COLLATE "C" NOT NULL,
  environments TEXT,
  user_id BIGINT REFERENCES users (id) ON DELETE CASCADE,
  token_id BIGINT REFERENCES tokens (id) ON DELETE CASCADE,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX invitations_by_project ON invitations (project_id, id);
CREATE INDEX invitations_by_user ON invitations (user_id);
CREATE INDEX invitations_by_token ON invitations (token_id);
CREATE INDEX invitations_by_expiry ON invitations (expires_at);
