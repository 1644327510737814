import type { Database } from "bun:sqlite";
import type { Conditions, Insertion, Mark } from "../../forms/store.ts";
import { NOT_SPAM } from "../../forms/submission-state.ts";
import { runWork } from "./run.ts";
import { query } from "./statements.ts";
import { countSubmissions } from "../sql/submission-counts.ts";
import { textOf } from "../sql/submission-ids.ts";

/** Tables of hashes that count until they expire. */
const EXPIRING = [
  "idempotency_keys",
  "spent_nonces",
  "recent_contents",
  "recent_feedback",
  "autoreplies",
] as const;

type MarkTable = "spent_nonces" | "recent_contents";

/** Decides about a submission to a form, by what is stored. Changes nothing. */
export function decide(db: Database, formKey: string, now: number, conditions: Conditions): Insertion {
  const { key, maxSubmissions, keepsSpam } = conditions;
  const known = key && findKey(db, key.hash, now);
  if (key && known) {
    const isSame = known.content === key.content;
    return isSame ? { kind: "replayed", id: known.submission } : { kind: "other-content" };
  }
  const spam = conditions.spam ?? findSpam(db, now, conditions);
  if (spam !== null) return keepsSpam ? { kind: "stored", spam } : { kind: "spam", reason: spam };
  const isFull =
    maxSubmissions !== null && runWork(db, countSubmissions(formKey, NOT_SPAM)) >= maxSubmissions;
  if (isFull) return { kind: "full" };
  return { kind: "stored", spam: null };
}

/** Records what a submission that is stored leaves behind: its key, its solved challenge, its content. */
export function leaveMarks(db: Database, id: string, spam: string | null, conditions: Conditions): void {
  const { key, recent, challenge } = conditions;
  if (key) {
    const sql = `INSERT OR REPLACE INTO idempotency_keys (hash, content, submission, expires_at)
                 VALUES (unhex(?1), unhex(?2), unhex(?3, '-'), ?4)`;
    query<unknown, [string, string, string, number]>(db, sql).run(key.hash, key.content, id, key.expiresAt);
  }
  // Other spam does not count: a person whose challenge had expired sends the same again.
  if (recent && (spam === null || spam === "duplicate")) mark(db, "recent_contents", recent);
  if (spam === null && challenge?.nonce) mark(db, "spent_nonces", challenge.nonce);
}

/** The submission that came with an idempotency key, by the key's hash, unless that has expired. */
function findKey(db: Database, hash: string, now: number) {
  const sql = `SELECT lower(hex(content)) AS content, submission FROM idempotency_keys
               WHERE hash = unhex(?1) AND expires_at > ?2`;
  const row = query<{ content: string; submission: Uint8Array }, [string, number]>(db, sql).get(hash, now);
  return row ? { content: row.content, submission: textOf(row.submission) } : undefined;
}

/** Removes at most `limit` rows of each kind that have expired. Returns whether any may be left. */
export function clearExpired(db: Database, now: number, limit: number): boolean {
  const removed = EXPIRING.map((table) => {
    const sql = `DELETE FROM ${table} WHERE hash IN
                 (SELECT hash FROM ${table} WHERE expires_at <= $now LIMIT $limit)`;
    return query<unknown, { now: number; limit: number }>(db, sql).run({ now, limit }).changes;
  });
  query(db, "DELETE FROM alerts WHERE expires_at <= $now").run({ now });
  return removed.some((count) => count >= limit);
}

function findSpam(db: Database, now: number, { recent, challenge }: Conditions): string | null {
  if (recent && isMarked(db, "recent_contents", recent, now)) return "duplicate";
  if (challenge === null) return null;
  const isSolved = challenge.nonce !== null && !isMarked(db, "spent_nonces", challenge.nonce, now);
  return isSolved ? null : "challenge";
}

function isMarked(db: Database, table: MarkTable, { hash }: Mark, now: number): boolean {
  const sql = `SELECT 1 FROM ${table} WHERE hash = unhex(?1) AND expires_at > ?2`;
  return query<unknown, [string, number]>(db, sql).get(hash, now) !== null;
}

function mark(db: Database, table: MarkTable, { hash, expiresAt }: Mark): void {
  const sql = `INSERT OR REPLACE INTO ${table} (hash, expires_at) VALUES (unhex(?1), ?2)`;
  query<unknown, [string, number]>(db, sql).run(hash, expiresAt);
}
