import type { DeviceLogin } from "../../../access/device/device-login.ts";
import type { Approver, NewDeviceLogin, Polled } from "../../../access/device/device-login-store.ts";
import type { NewSession } from "../../../access/session.ts";
import { lockAudit } from "../audit.ts";
import { bytesOfHash, hashOfBytes } from "../ids.ts";
import { insertSession } from "../sessions.ts";
import { type Work, fieldsOf, first, insert, only, run } from "../work.ts";

const COLUMNS = fieldsOf("device_logins", "client address lasts createdAt expiresAt");
const WAITS = "code = $code AND expires_at > $now AND user_id IS NULL AND denied = 0";

/** Stores a login that waits: see the port. */
function* insertLogin({ login, hash, code }: NewDeviceLogin, most: number): Work<boolean> {
  const { createdAt } = login;
  // Expired logins are removed later, and wait no more.
  const waits = "SELECT count(*) AS n FROM device_logins WHERE expires_at > $createdAt";
  if ((yield* only<{ n: number }>(waits, { createdAt })).n >= most) return false;
  const secrets = { hash: bytesOfHash(hash), code: bytesOfHash(code) };
  return (yield* insert("device_logins", { ...secrets, ...login }, "ON CONFLICT (code) DO NOTHING")) > 0;
}

function* findLogin(code: string, now: number): Work<DeviceLogin | undefined> {
  const params = { code: bytesOfHash(code), now };
  return yield* first<DeviceLogin>(`SELECT ${COLUMNS} FROM device_logins WHERE ${WAITS}`, params);
}

/** Approves or denies a login: see the port. */
function* answerLogin(code: string, by: Approver | null, now: number): Work<boolean> {
  const params = { code: bytesOfHash(code), now };
  if (by === null) return (yield* run(`UPDATE device_logins SET denied = 1 WHERE ${WAITS}`, params)) > 0;
  const answered = yield* run(
    `UPDATE device_logins SET user_id = (SELECT u.id FROM users u WHERE u.name = $user),
       sid = (SELECT s.sid FROM sessions s WHERE s.id = $session) WHERE ${WAITS}`,
    { ...params, ...by },
  );
  return answered > 0;
}

/** Records a poll, and begins the session of an approved login: see the port. */
function* pollLogin(hash: string, now: number, start: NewSession): Work<Polled> {
  const key = { hash: bytesOfHash(hash) };
  type Found = DeviceLogin & {
    polled_at: number | null;
    user: string | null;
    denied: number;
    sid: Uint8Array | null;
  };
  const row = yield* first<Found>(
    `SELECT ${COLUMNS}, polled_at, denied, sid, (SELECT u.name FROM users u WHERE u.id = user_id) AS "user"
     FROM device_logins WHERE hash = $hash AND expires_at > $now`,
    { ...key, now },
  );
  if (row === undefined) return { state: "unknown" };
  if (row.denied === 1) return { state: "denied" };
  const { user, client: agent, address, lasts } = row;
  if (user === null) {
    yield* run("UPDATE device_logins SET polled_at = $now WHERE hash = $hash", { ...key, now });
    return { state: "waiting", polledAt: row.polled_at };
  }
  // The log first, as every change of users has it; another poll may have been faster.
  yield* lockAudit();
  if ((yield* run("DELETE FROM device_logins WHERE hash = $hash", key)) === 0) return { state: "unknown" };
  const session = { ...start.session, user, agent, address, expiresAt: now + lasts * 1000 };
  const found = yield* insertSession({ ...start, session, sid: hashOfBytes(row.sid) }, null);
  return found === undefined ? { state: "unknown" } : { state: "approved", user, session };
}

export const deviceLogins = {
  reads: { find: findLogin },
  writes: { insert: insertLogin, answer: answerLogin, poll: pollLogin },
};
