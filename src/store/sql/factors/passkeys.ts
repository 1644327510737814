import type { AccessChange } from "../../../access/change.ts";
import type { Passkey, SpentChallenge } from "../../../access/factors/factor.ts";
import type { NewSession } from "../../../access/session.ts";
import type { UsedPasskey } from "../../../access/store.ts";
import type { User } from "../../../access/user.ts";
import { AppError } from "../../../base/errors.ts";
import { endOthers, findLocked, lockUser } from "./factors.ts";
import { lockAudit } from "../audit.ts";
import { bytesOfHash } from "../ids.ts";
import { insertSession } from "../sessions.ts";
import { USER_COLUMNS, type UserRow, viewUser } from "../users.ts";
import { type Work, all, fieldsOf, first, insert, run } from "../work.ts";

type Change<K> = AccessChange & { change: K };

/** The fields of a passkey, but for the name, which a user has too. */
const FIELDS = "id credential publicKey counter createdAt usedAt";

/** Returns whether the challenge was not spent before. */
function* spend({ hash, expiresAt }: SpentChallenge): Work<boolean> {
  const row = { hash: bytesOfHash(hash), expiresAt };
  return (yield* insert("spent_challenges", row, "ON CONFLICT (hash) DO NOTHING")) > 0;
}

/** Throws `conflict`. */
export function* insertPasskey({ name, passkey, challenge, keep }: Change<"insertPasskey">): Work<void> {
  const user = yield* lockUser(name);
  if (!(yield* spend(challenge)))
    throw new AppError("conflict", "this answer was sent already: try again", { reason: "challenge-spent" });
  const row = { ...passkey, userId: user };
  const inserted = yield* insert("passkeys", row, "ON CONFLICT (credential) DO NOTHING");
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
  return yield* all<Passkey>(
    `SELECT p.name, ${fieldsOf("p", FIELDS)} FROM passkeys p JOIN users u ON u.id = p.user_id
     WHERE u.name = $name ORDER BY p.created_at, p.id`,
    { name },
  );
}

function* findPasskey(credential: Uint8Array): Work<{ user: User; passkey: Passkey } | undefined> {
  const row = yield* first<Omit<Passkey, "name"> & { label: string } & UserRow>(
    `SELECT ${fieldsOf("p", FIELDS)}, p.name AS label, ${USER_COLUMNS} FROM passkeys p JOIN users u ON u.id = p.user_id
     WHERE p.credential = $credential`,
    { credential },
  );
  if (row === undefined) return undefined;
  const { id, label: name, credential: own, publicKey, counter, createdAt, usedAt } = row;
  return {
    user: viewUser(row),
    passkey: { id, name, credential: own, publicKey, counter, createdAt, usedAt },
  };
}

/** Signs in by a passkey: see the port. */
function* usePasskey(given: UsedPasskey, start: NewSession): Work<User | undefined> {
  const { user, createdAt } = start.session;
  yield* lockAudit();
  return (yield* presentPasskey(given, user, createdAt)) ? yield* insertSession(start, null) : undefined;
}

/** Spends a challenge and records the use of a passkey: see the port. */
function* presentPasskey({ id, counter, challenge }: UsedPasskey, user: string, at: number): Work<boolean> {
  const owner = yield* findLocked(user);
  if (owner === undefined || !(yield* spend(challenge))) return false;
  const used = yield* run(
    `UPDATE passkeys SET counter = $counter, used_at = $at
     WHERE id = $id AND user_id = $owner
       AND (counter < $counter OR (counter = 0 AND CAST($counter AS BIGINT) = 0))`,
    { id, counter, at, owner },
  );
  return used > 0;
}

export const passkeys = {
  reads: { hasPasskeys, passkeys: listPasskeys, passkey: findPasskey },
  writes: { usePasskey, presentPasskey },
};
