import type { Database } from "bun:sqlite";
import { AppError } from "../../errors.ts";
import { isoTime } from "../../time.ts";
import type { StoredToken } from "../../store.ts";
import { noSuchToken, type Token } from "../../tokens.ts";
import { query } from "./statements.ts";

type Row = { name: string; scopes: string; created_at: number; expires_at: number | null };

const SELECT = "SELECT name, scopes, created_at, expires_at FROM tokens";

export function insertToken(db: Database, token: StoredToken): Token {
  const { name } = token;
  if (query<Row, { name: string }>(db, `${SELECT} WHERE name = $name`).get({ name })) {
    throw new AppError("conflict", `token "${name}" already exists`, {
      hint: "revoke it first, or choose another name",
    });
  }
  const row = {
    name,
    created_at: token.createdAt,
    expires_at: token.expiresAt,
    scopes: JSON.stringify(token.scopes),
  };
  query(
    db,
    `INSERT INTO tokens (name, hash, scopes, created_at, expires_at)
     VALUES ($name, $hash, $scopes, $created_at, $expires_at)`,
  ).run({ ...row, hash: token.hash });
  return view(row);
}

export function listTokens(db: Database): Token[] {
  return query<Row, []>(db, `${SELECT} ORDER BY name`).all().map(view);
}

export function findToken(db: Database, hash: string): Token | undefined {
  const row = query<Row, { hash: string }>(db, `${SELECT} WHERE hash = $hash`).get({ hash });
  return row ? view(row) : undefined;
}

export function deleteToken(db: Database, name: string): void {
  const { changes } = query(db, "DELETE FROM tokens WHERE name = $name").run({ name });
  if (changes === 0) throw noSuchToken(name);
}

function view(row: Row): Token {
  return {
    name: row.name,
    scopes: JSON.parse(row.scopes),
    createdAt: isoTime(row.created_at),
    expiresAt: row.expires_at === null ? null : isoTime(row.expires_at),
  };
}
