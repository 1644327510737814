import type { AccessChange } from "../../../access/change.ts";
import type { Passkey, SpentChallenge } from "../../../access/factors/factor.ts";
import type { NewSession } from "../../../access/session.ts";
import type { User } from "../../../access/user.ts";
import { AppError } from "../../../base/errors.ts";
import { endOthers, lockUser } from "./factors.ts";
import { lockAudit } from "../audit.ts";
import { bytesOfHash, insertSession } from "../sessions.ts";
import { USER_COLUMNS, type UserRow, viewUser } from "../users.ts";
import { FOR_UPDATE, type Work, all, first, run } from "../work.ts";

type Change<K> = AccessChange & { change: K };

type Row = {
  id: string;
  label: string;
  credential: Uint8Array;
  public_key: Uint8Array;
  counter: number;
  created_at: number;
  used_at: number | null;
};

const COLUMNS = "p.id, p.name AS label, p.credential, p.public_key, p.counter, p.created_at, p.used_at";

/** Returns whether the challenge was not spent before. */
function* spend({ hash, expiresAt }: SpentChallenge): Work<boolean> {
  const spent = yield* run(
    "INSERT INTO spent_challenges (hash, expires_at) VALUES ($hash, $expiresAt) ON CONFLICT (hash) DO NOTHING",
    { hash: bytesOfHash(hash), expiresAt },
  );
  return spent > 0;
}

/** Throws `conflict`. */
export function* insertPasskey({ name, passkey, challenge, keep }: Change<"insertPasskey">): Work<void> {
  const user = yield* lockUser(name);
  const { id, name: label, credential, publicKey, counter, createdAt, usedAt } = passkey;
  if (!(yield* spend(challenge)))
    throw new AppError("conflict", "this answer was sent already: try again", { reason: "challenge-spent" });
  const inserted = yield* run(
    `INSERT INTO passkeys (id, user_id, credential, public_key, counter, name, created_at, used_at)
     VALUES ($id, $user, $credential, $publicKey, $counter, $label, $createdAt, $usedAt)
     ON CONFLICT (credential) DO NOTHING`,
    { id, user, credential, publicKey, counter, label, createdAt, usedAt },
  );
  if (inserted === 0)
    throw new AppError("conflict", "this passkey is known already", { reason: "passkey-known" });
  yield* endOthers(user, keep);
}

export function* renamePasskey({ name, id, label }: Change<"renamePasskey">): Work<void> {
  const user = yield* lockUser(name);
  yield* run("UPDATE passkeys SET name = $label WHERE id = $id AND user_id = $user", { id, user, label });
}

export function* deletePasskey({ name, id, keep }: Change<"deletePasskey">): Work<void> {
  const user = yield* lockUser(name);
  yield* run("DELETE FROM passkeys WHERE id = $id AND user_id = $user", { id, user });
  yield* endOthers(user, keep);
}

function* hasPasskeys(): Work<boolean> {
  return (yield* first<{ id: string }>("SELECT id FROM passkeys LIMIT 1")) !== undefined;
}

function* listPasskeys(name: string): Work<Passkey[]> {
  const rows = yield* all<Row>(
    `SELECT ${COLUMNS} FROM passkeys p JOIN users u ON u.id = p.user_id
     WHERE u.name = $name ORDER BY p.created_at, p.id`,
    { name },
  );
  return rows.map(view);
}

function* findPasskey(credential: Uint8Array): Work<{ user: User; passkey: Passkey } | undefined> {
  const row = yield* first<Row & UserRow>(
    `SELECT ${COLUMNS}, ${USER_COLUMNS} FROM passkeys p JOIN users u ON u.id = p.user_id
     WHERE p.credential = $credential`,
    { credential },
  );
  return row && { user: viewUser(row), passkey: view(row) };
}

/** Signs in by a passkey: see the port. */
function* usePasskey(
  { id, counter, challenge }: { id: string; counter: number; challenge: SpentChallenge },
  start: NewSession,
): Work<User | undefined> {
  const { user, createdAt: at } = start.session;
  yield* lockAudit();
  const locked = yield* first<{ id: number }>(`SELECT id FROM users WHERE name = $user ${FOR_UPDATE}`, {
    user,
  });
  if (locked === undefined || !(yield* spend(challenge))) return undefined;
  const used = yield* run(
    `UPDATE passkeys SET counter = $counter, used_at = $at
     WHERE id = $id AND user_id = $owner
       AND (counter < $counter OR (counter = 0 AND CAST($counter AS BIGINT) = 0))`,
    { id, counter, at, owner: locked.id },
  );
  return used === 0 ? undefined : yield* insertSession(start, null);
}

function view(row: Row): Passkey {
  return {
    id: row.id,
    name: row.label,
    credential: row.credential,
    publicKey: row.public_key,
    counter: row.counter,
    createdAt: row.created_at,
    usedAt: row.used_at,
  };
}

export const passkeys = {
  reads: { hasPasskeys, passkeys: listPasskeys, passkey: findPasskey },
  writes: { usePasskey },
};
