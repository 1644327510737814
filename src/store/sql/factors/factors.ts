import type { AccessChange } from "../../../access/change.ts";
import type { Totp } from "../../../access/factors/factor.ts";
import type { NewSession, SignInMethod } from "../../../access/session.ts";
import type { SpentCode } from "../../../access/store.ts";
import { type Patience, forgottenAfter, waitOf } from "../../../access/throttle.ts";
import type { User } from "../../../access/user.ts";
import { lockAudit } from "../audit.ts";
import { bytesOfHash } from "../ids.ts";
import { insertSession } from "../sessions.ts";
import { USER_COLUMNS, type UserRow, viewUser } from "../users.ts";
import { FOR_UPDATE, type Work, first, insert, only, run } from "../work.ts";

type Change<K> = AccessChange & { change: K };

const OF_USER = "user_id = (SELECT id FROM users WHERE name = $name)";

/** Locks a user, so that a sign-in comes before, and ends, or after, and needs the factor. */
export function* lockUser(name: string): Work<number> {
  return (yield* only<{ id: number }>(`SELECT id FROM users WHERE name = $name ${FOR_UPDATE}`, { name })).id;
}

/** Ends what a user has begun, but for the session of the id `keep`. */
export function* endOthers(id: number, keep: string | null): Work<void> {
  yield* run("DELETE FROM sessions WHERE user_id = $id AND id IS DISTINCT FROM $keep", { id, keep });
  for (const table of ["begun_sign_ins", "device_logins", "oauth_grants"])
    yield* run(`DELETE FROM ${table} WHERE user_id = $id`, { id });
}

function* insertRecoveryCodes(id: number, recovery: readonly string[]): Work<void> {
  yield* run("DELETE FROM recovery_codes WHERE user_id = $id", { id });
  for (const hash of recovery) yield* insert("recovery_codes", { hash: bytesOfHash(hash), userId: id });
}

export function* setTotp({ name, key, step, recovery, at, keep }: Change<"setTotp">): Work<void> {
  const id = yield* lockUser(name);
  yield* run("DELETE FROM totp_keys WHERE user_id = $id", { id });
  yield* insert("totp_keys", { userId: id, secret: key, step, createdAt: at });
  yield* insertRecoveryCodes(id, recovery);
  yield* endOthers(id, keep);
}

export function* setRecoveryCodes({ name, recovery, keep }: Change<"setRecoveryCodes">): Work<void> {
  const id = yield* lockUser(name);
  yield* insertRecoveryCodes(id, recovery);
  yield* endOthers(id, keep);
}

export function* deleteTotp({ name, keep }: Change<"deleteTotp">): Work<void> {
  const id = yield* lockUser(name);
  yield* run("DELETE FROM totp_keys WHERE user_id = $id", { id });
  yield* endOthers(id, keep);
}

export function* resetFactors({ name }: Change<"resetFactors">): Work<void> {
  const id = yield* lockUser(name);
  yield* run("DELETE FROM totp_keys WHERE user_id = $id", { id });
  yield* run("DELETE FROM passkeys WHERE user_id = $id", { id });
  yield* endOthers(id, null);
}

function* findTotp(name: string): Work<Totp | undefined> {
  const row = yield* first<{ secret: Uint8Array; step: number; created_at: number; codes: number }>(
    `SELECT secret, step, created_at,
       (SELECT count(*) FROM recovery_codes r WHERE r.user_id = t.user_id) AS codes
     FROM totp_keys t WHERE ${OF_USER}`,
    { name },
  );
  return row && { key: row.secret, step: row.step, createdAt: row.created_at, recoveryCodes: row.codes };
}

function* findBegun(hash: string, now: number): Work<{ user: User; method: SignInMethod } | undefined> {
  const row = yield* first<UserRow & { method: SignInMethod }>(
    `SELECT ${USER_COLUMNS}, b.method FROM begun_sign_ins b JOIN users u ON u.id = b.user_id
     WHERE b.hash = $hash AND b.expires_at > $now`,
    { hash: bytesOfHash(hash), now },
  );
  return row && { user: viewUser(row), method: row.method };
}

/** Spends a code and begins the session, or counts a wrong one: see the port. */
function* spendCode(
  hash: string,
  code: SpentCode,
  start: NewSession,
  { most, ...patience }: Patience & { most: number },
): Work<User | { wait: number } | "wrong" | "ended"> {
  const params = { hash: bytesOfHash(hash) };
  const now = start.session.createdAt;
  yield* lockAudit();
  // Codes of a user are checked one after another, and before or after a change of the factors.
  const found = yield* first<{ id: number; name: string }>(
    `SELECT id, name FROM users WHERE id = (SELECT user_id FROM begun_sign_ins WHERE hash = $hash) ${FOR_UPDATE}`,
    params,
  );
  const begun = yield* first<{ method: SignInMethod; wrong: number }>(
    "SELECT method, wrong FROM begun_sign_ins WHERE hash = $hash AND expires_at > $now",
    { ...params, now },
  );
  if (found === undefined || begun === undefined) return "ended";
  const [{ id, name: user }, { method, wrong }] = [found, begun];
  const tried = yield* tryCodeOf(id, code, now, patience);
  if (typeof tried === "object") return tried;
  if (tried === "spent") {
    yield* run("DELETE FROM begun_sign_ins WHERE hash = $hash", params);
    const session = { ...start.session, user, method };
    return (yield* insertSession({ ...start, session }, null)) ?? "ended";
  }
  if (wrong + 1 >= most) {
    yield* run("DELETE FROM begun_sign_ins WHERE hash = $hash", params);
    return "ended";
  }
  yield* run("UPDATE begun_sign_ins SET wrong = wrong + 1 WHERE hash = $hash", params);
  return "wrong";
}

/** Spends a code of a user who is locked, or counts a wrong one. */
function* tryCodeOf(
  id: number,
  code: SpentCode,
  now: number,
  patience: Patience,
): Work<{ wait: number } | "spent" | "wrong"> {
  const forgottenAt = yield* findForgotten(id);
  const wait = waitOf(forgottenAt, now, patience);
  if (wait > 0) return { wait };
  const spent =
    code === null ? 0 : "step" in code ? yield* spendStep(id, code) : yield* spendRecovery(id, code);
  if (spent > 0) {
    yield* run("DELETE FROM wrong_codes WHERE user_id = $id", { id });
    return "spent";
  }
  yield* run(
    `INSERT INTO wrong_codes (user_id, forgotten_at) VALUES ($id, $at)
     ON CONFLICT (user_id) DO UPDATE SET forgotten_at = excluded.forgotten_at`,
    { id, at: forgottenAfter(forgottenAt, now, patience) },
  );
  return "wrong";
}

/** Spends a code, or counts a wrong one: see the port. */
function* tryCode(
  name: string,
  code: SpentCode,
  now: number,
  patience: Patience,
): Work<{ wait: number } | "spent" | "wrong"> {
  const id = yield* findLocked(name);
  return id === undefined ? "wrong" : yield* tryCodeOf(id, code, now, patience);
}

/** The id of a user, who is locked as by {@link lockUser}; undefined for one that does not exist. */
export function* findLocked(name: string): Work<number | undefined> {
  return (yield* first<{ id: number }>(`SELECT id FROM users WHERE name = $name ${FOR_UPDATE}`, { name }))
    ?.id;
}

/** When the last wrong code of a user is forgotten; 0 without any. */
function* findForgotten(id: number): Work<number> {
  const sql = "SELECT forgotten_at FROM wrong_codes WHERE user_id = $id";
  return (yield* first<{ forgotten_at: number }>(sql, { id }))?.forgotten_at ?? 0;
}

function spendStep(id: number, { key, step }: { key: Uint8Array; step: number }): Work<number> {
  return run("UPDATE totp_keys SET step = $step WHERE user_id = $id AND secret = $key AND step < $step", {
    id,
    key,
    step,
  });
}

function spendRecovery(id: number, { recovery }: { recovery: string }): Work<number> {
  return run("DELETE FROM recovery_codes WHERE user_id = $id AND hash = $hash", {
    id,
    hash: bytesOfHash(recovery),
  });
}

export const factors = {
  reads: { totp: findTotp, begun: findBegun },
  writes: { spendCode, tryCode },
};
