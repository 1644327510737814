import type { AccessChange } from "../../../access/change.ts";
import type { Identity, Logout } from "../../../access/oidc/identity-store.ts";
import type { Author } from "../../../access/caller.ts";
import { appendAudit, lockAudit } from "../audit.ts";
import { bytesOfHash } from "../ids.ts";
import { type Ended, endOf, endSessions } from "../sessions.ts";
import type * as Grants from "./grants.ts";
import { type Work, first, insert, run } from "../work.ts";

type Change<K> = AccessChange & { change: K };

export function* putIdentity({ user, issuer, subject, at }: Change<"putIdentity">): Work<void> {
  yield* run(
    `INSERT INTO identities (user_id, issuer, subject, created_at)
     SELECT id, $issuer, $subject, $at FROM users WHERE name = $user
     ON CONFLICT (user_id) DO UPDATE SET issuer = excluded.issuer, subject = excluded.subject, created_at = excluded.created_at`,
    { user, issuer, subject, at },
  );
}

export function* deleteIdentity({ user }: Change<"deleteIdentity">): Work<void> {
  yield* run("DELETE FROM identities WHERE user_id = (SELECT id FROM users WHERE name = $user)", { user });
}

export function* setGroupRole({ user, role }: Change<"setGroupRole">): Work<void> {
  yield* run("UPDATE users SET oidc_role = $role WHERE name = $user", { user, role });
}

function* findIdentity({ issuer, subject }: Identity): Work<string | undefined> {
  const sql = `SELECT u.name FROM identities i JOIN users u ON u.id = i.user_id
               WHERE i.issuer = $issuer AND i.subject = $subject`;
  return (yield* first<{ name: string }>(sql, { issuer, subject }))?.name;
}

function* identityOf(user: string): Work<Identity | undefined> {
  return yield* first<Identity>(
    `SELECT i.issuer, i.subject FROM identities i JOIN users u ON u.id = i.user_id WHERE u.name = $user`,
    { user },
  );
}

const OF_ACCOUNT = `user_id = (SELECT i.user_id FROM identities i
  WHERE i.issuer = $issuer AND i.subject = $subject)`;

/** Ends sessions that a provider ends: see the port. */
function* logOut({ token, sid, identity }: Logout, by: Author): Work<boolean> {
  const { hash, expiresAt } = token;
  yield* lockAudit();
  const spent = { hash: bytesOfHash(hash), expiresAt };
  if ((yield* insert("spent_logouts", spent, "ON CONFLICT (hash) DO NOTHING")) === 0) return false;
  const ended: Ended[] = [];
  const { endGrants } = require("./grants.ts") as typeof Grants;
  if (sid !== null) {
    const params = { sid: bytesOfHash(sid) };
    yield* run("DELETE FROM device_logins WHERE sid = $sid", params);
    yield* endGrants("sid = $sid", params, { ...by, reason: "provider" });
    ended.push(...(yield* endSessions("sid = $sid", params)));
  }
  if (identity !== null) {
    // A session without a `sid` may belong to any session of the provider.
    const which = sid === null ? OF_ACCOUNT : `${OF_ACCOUNT} AND sid IS NULL`;
    yield* run(`DELETE FROM device_logins WHERE ${which}`, { ...identity });
    yield* endGrants(which, { ...identity }, { ...by, reason: "provider" });
    ended.push(...(yield* endSessions(`${which} AND method IN ('oidc', 'cli')`, { ...identity })));
  }
  if (ended.length > 0) yield* appendAudit(ended.map((each) => endOf(each, by, { reason: "provider" })));
  return true;
}

export const identities = {
  reads: { find: findIdentity, ofUser: identityOf },
  writes: { logOut },
};
