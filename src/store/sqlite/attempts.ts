import type { Database } from "bun:sqlite";
import { MAX_ATTEMPTS_KEPT } from "../../delivery/limits.ts";
import type { AttemptRecord } from "../../delivery/store.ts";
import { query } from "./statements.ts";
import { bytesOf } from "../sql/submission-ids.ts";

/** Records an attempt of a delivery, and drops the oldest one past `MAX_ATTEMPTS_KEPT`. */
export function recordAttempt(
  db: Database,
  delivery: string,
  { at, duration, code, error }: AttemptRecord,
): void {
  const id = bytesOf(delivery);
  const { last } = query<{ last: number | null }, [Buffer]>(
    db,
    "SELECT max(number) AS last FROM delivery_attempts WHERE delivery = ?1",
  ).get(id)!;
  const number = (last ?? 0) + 1;
  query<unknown, [Buffer, number, number, number, number | null, string | null]>(
    db,
    `INSERT INTO delivery_attempts (delivery, number, at, duration, code, error)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6)`,
  ).run(id, number, at, duration, code, error);
  if (number <= MAX_ATTEMPTS_KEPT) return;
  query<unknown, [Buffer, number]>(
    db,
    "DELETE FROM delivery_attempts WHERE delivery = ?1 AND number <= ?2",
  ).run(id, number - MAX_ATTEMPTS_KEPT);
}

/** The attempts of a delivery, oldest first. */
export function listAttempts(db: Database, delivery: string): AttemptRecord[] {
  return query<AttemptRecord, [Buffer]>(
    db,
    "SELECT at, duration, code, error FROM delivery_attempts WHERE delivery = ?1 ORDER BY number",
  ).all(bytesOf(delivery));
}
