/**
 * The type of a column in a dump. A `uuid` is a text with dashes, a `submission` is the uuid of a submission to which the row
 * refers; a driver may store either as it likes. Integers are safe integers.
 */
export type ColumnType = "text" | "integer" | "bytes" | "uuid" | "submission";

/**
 * When a move copies a table: `setup` is replaced as a whole, `submissions` are added to, and `trail`, which refers to
 * submissions, is replaced at the end.
 */
export type Stage = "setup" | "submissions" | "trail";

/**
 * A table of a dump: the columns that make a row unique, by which its rows are ordered, and all columns. Submissions are
 * ordered as they were stored.
 */
export type PortableTable = {
  stage: Stage;
  key: readonly string[];
  columns: Readonly<Record<string, ColumnType>>;
};

const [text, integer, bytes, uuid, submission] = [
  "text",
  "integer",
  "bytes",
  "uuid",
  "submission",
] as const satisfies ColumnType[];

const setup = (key: string, columns: Readonly<Record<string, ColumnType>>): PortableTable => ({
  stage: "setup",
  key: key.split(" "),
  columns,
});

/**
 * The tables of a dump, parents first. The search index, who is signed in, and notes of files to be removed are not part of
 * it. Of `submission_counts` it has what was stored in an hour; how many submissions there are follows from the submissions.
 */
export const PORTABLE_TABLES = {
  setup_version: setup("id", { id: integer, version: integer, access: integer }),
  secrets: setup("name", { name: text, value: text }),
  users: setup("id", {
    id: integer,
    name: text,
    role: text,
    password: text,
    settings: text,
    created_at: integer,
  }),
  projects: setup("id", { id: integer, slug: text, name: text, key: text, created_at: integer }),
  environments: setup("id", {
    id: integer,
    project_id: integer,
    slug: text,
    name: text,
    key: text,
    revision: integer,
    created_at: integer,
    metadata: text,
    locked: integer,
    color: text,
  }),
  flags: setup("id", {
    id: integer,
    project_id: integer,
    slug: text,
    description: text,
    created_at: integer,
    updated_at: integer,
    revision: integer,
  }),
  flag_values: setup("environment_id flag_id", {
    environment_id: integer,
    flag_id: integer,
    enabled: integer,
    payload: text,
    expires_at: integer,
    updated_at: integer,
    rules: text,
    imported: integer,
    revision: integer,
  }),
  flag_previews: setup("environment_id flag_id", {
    environment_id: integer,
    flag_id: integer,
    enabled: integer,
    name: text,
    content: text,
  }),
  flag_feedback: setup("id", {
    id: uuid,
    environment_id: integer,
    flag_id: integer,
    mood: integer,
    rating: integer,
    description: text,
    metadata: text,
    created_at: integer,
  }),
  flag_reads: setup("environment_id flag_id", {
    environment_id: integer,
    flag_id: integer,
    read_at: integer,
  }),
  segments: setup("environment_id name", {
    environment_id: integer,
    name: text,
    rule: text,
    position: integer,
    revision: integer,
    created_at: integer,
    updated_at: integer,
  }),
  scheduled_changes: setup("id", {
    id: text,
    environment_id: integer,
    flag: text,
    patch: text,
    at: integer,
    who: text,
    created_at: integer,
    why: text,
  }),
  changes: setup("revision", {
    revision: integer,
    project_id: integer,
    environment: text,
    kind: text,
    name: text,
    at: integer,
    who: text,
    before: text,
    after: text,
    why: text,
  }),
  code_uploads: setup("id", {
    id: integer,
    project_id: integer,
    branch: text,
    name: text,
    repository_url: text,
    uploaded_at: integer,
  }),
  code_references: setup("id", {
    id: integer,
    upload_id: integer,
    slug: text,
    part: integer,
    places: text,
  }),
  tokens: setup("id", {
    id: integer,
    name: text,
    hash: text,
    scopes: text,
    created_at: integer,
    expires_at: integer,
    environment_id: integer,
    project_id: integer,
  }),
  tallies: setup("kind hour what variant", {
    kind: integer,
    hour: integer,
    what: text,
    variant: text,
    count: integer,
  }),
  recent_feedback: setup("hash", { hash: bytes, feedback: uuid, expires_at: integer }),
  forms: setup("id", {
    id: integer,
    slug: text,
    name: text,
    key: text,
    enabled: integer,
    uploads: integer,
    success_url: text,
    error_url: text,
    allowed_origins: text,
    blocked_senders: text,
    rate_limit: text,
    max_file_size: integer,
    max_files: integer,
    created_at: integer,
    updated_at: integer,
    deleted: integer,
    settings: text,
    foreign_ids: integer,
  }),
  targets: setup("id", {
    id: text,
    form_id: integer,
    kind: text,
    url: text,
    enabled: integer,
    secrets: text,
    created_at: integer,
    updated_at: integer,
  }),
  alerts: setup("target", { target: text, expires_at: integer }),
  autoreplies: setup("hash", { hash: bytes, form_id: integer, expires_at: integer }),
  submission_counts: setup("form_id state unread hour", {
    form_id: integer,
    state: integer,
    unread: integer,
    hour: integer,
    count: integer,
  }),
  // The id of the submission may be one that was deleted.
  idempotency_keys: setup("hash", { hash: bytes, content: bytes, submission: uuid, expires_at: integer }),
  spent_nonces: setup("hash", { hash: bytes, expires_at: integer }),
  recent_contents: setup("hash", { hash: bytes, expires_at: integer }),
  submissions: {
    stage: "submissions",
    key: ["id"],
    columns: {
      id: uuid,
      form_id: integer,
      data: text,
      created_at: integer,
      state: integer,
      spam: text,
      unread: integer,
      meta: text,
    },
  },
  files: {
    stage: "submissions",
    key: ["submission", "position"],
    columns: {
      submission,
      position: integer,
      field: text,
      name: text,
      type: text,
      size: integer,
      sha256: text,
      blob_key: text,
    },
  },
  submission_marks: {
    stage: "trail",
    key: ["id"],
    columns: { id: integer, submission, mark: text, spam: text, who: text, at: integer },
  },
  deliveries: {
    stage: "trail",
    key: ["id"],
    columns: {
      id: uuid,
      submission,
      kind: text,
      target: text,
      status: integer,
      attempts: integer,
      due_at: integer,
      holder: text,
      code: integer,
      error: text,
    },
  },
  delivery_attempts: {
    stage: "trail",
    key: ["delivery", "number"],
    columns: {
      delivery: uuid,
      number: integer,
      at: integer,
      duration: integer,
      code: integer,
      error: text,
    },
  },
} as const satisfies Record<string, PortableTable>;

/** The name of a table of a dump. */
export type TableName = keyof typeof PORTABLE_TABLES;

/** The names of the tables, parents first. */
export const TABLE_NAMES = Object.keys(PORTABLE_TABLES) as TableName[];

/** The columns of a table in the order in which rows of a dump have them. */
export function columnsOf(table: TableName): [name: string, type: ColumnType][] {
  return Object.entries<ColumnType>(PORTABLE_TABLES[table].columns);
}
