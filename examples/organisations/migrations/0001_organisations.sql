-- The app's own tables, the same in D1 and in SQLite. A `person` is `session.user.id`.
CREATE TABLE IF NOT EXISTS organisation (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  founder TEXT NOT NULL
);

CREATE TABLE IF NOT EXISTS member (
  organisation TEXT NOT NULL,
  person TEXT NOT NULL,
  email TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('admin', 'member')),
  PRIMARY KEY (organisation, person)
);
CREATE INDEX IF NOT EXISTS member_by_person ON member (person);

-- Times are seconds since the epoch.
CREATE TABLE IF NOT EXISTS invitation (
  id TEXT PRIMARY KEY,
  organisation TEXT NOT NULL,
  email TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('admin', 'member')),
  sender TEXT NOT NULL,
  sent INTEGER NOT NULL,
  expires INTEGER NOT NULL,
  used INTEGER
);
CREATE INDEX IF NOT EXISTS invitation_by_sender ON invitation (sender, sent);
CREATE INDEX IF NOT EXISTS invitation_by_email ON invitation (email, sent);
