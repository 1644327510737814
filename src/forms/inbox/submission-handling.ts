import type { Caller } from "../../access/caller.ts";
import { grantsOf } from "../../access/members/member.ts";
import { hasScope, requireScopeForNamed } from "../../access/rights.ts";
import type { AccessStore } from "../../access/store.ts";
import { noSuchUser } from "../../access/user.ts";
import { AppError } from "../../base/errors.ts";
import { hasVisible } from "../../base/normalize.ts";
import { HANDLING_LIMITS } from "../limits.ts";
import { requireSubmissions } from "../lookup.ts";
import type { FormsApp } from "../store.ts";
import { type LabelChange, isLabel, labelAmong } from "./handling.ts";

/** The part of the app that knows to whom a submission can be given. */
export type HandlingApp = FormsApp & { store: Pick<AccessStore, "users" | "members"> };

/** Checks that a caller may handle submissions, all of them. Throws `not_found` for an unknown id, `forbidden`. */
async function requireHandled(app: FormsApp, caller: Caller, ids: readonly string[]): Promise<void> {
  requireScopeForNamed(caller, "forms:write");
  await caller.verify();
  await requireSubmissions(app, caller, "forms:write", ids);
}

/**
 * Gives submissions to a user, or with null to none, all or none of them. Returns the ids whose assignee changed. Throws
 * `not_found` for an unknown id or user, also for a user who does not see one of them, unless the caller is an admin of
 * everything (`invalid`), and `forbidden`.
 */
export async function assignSubmissions(
  app: HandlingApp,
  caller: Caller,
  ids: readonly string[],
  assignee: string | null,
): Promise<string[]> {
  await requireHandled(app, caller, ids);
  if (assignee !== null) await requireReader(app, caller, assignee, ids);
  return app.store.submissions.assign(ids, assignee, authorOf(app, caller));
}

/**
 * Throws for a user that does not exist, or who does not see all of the submissions: which of these it is, only an admin of
 * everything learns.
 */
async function requireReader(
  { store }: HandlingApp,
  caller: Caller,
  name: string,
  ids: readonly string[],
): Promise<void> {
  const user = await store.users.find(name);
  const rights = user && {
    name,
    type: "user" as const,
    grants: grantsOf(user.role, await store.members.ofUser(name)),
  };
  const standing = Object.values(await store.submissions.standing(ids));
  const unseen = standing.find(({ project }) => !rights || !hasScope(rights, "forms:read", { project }));
  if (!unseen) return;
  if (!hasScope(caller, "admin"))
    throw new AppError(
      "not_found",
      `no user "${name}" sees the submissions of the project ${unseen.project}`,
      {
        reason: "assignee-unseen",
      },
    );
  if (!user) throw noSuchUser(name);
  throw new AppError(
    "invalid",
    `user "${name}" does not see the submissions of the project ${unseen.project}`,
    { reason: "assignee-without-rights" },
  );
}

/**
 * Puts labels on submissions and takes others from them, all or none. Returns the ids that changed. Throws
 * `invalid` for a text that is no label, `conflict` for too many, `not_found`, `forbidden`.
 */
export async function labelSubmissions(
  app: FormsApp,
  caller: Caller,
  ids: readonly string[],
  { add, remove }: LabelChange,
): Promise<string[]> {
  await requireHandled(app, caller, ids);
  const change = { add: add.map((text) => text.trim()), remove: remove.map((text) => text.trim()) };
  const wrong = change.add.find((text) => !isLabel(text) || !hasVisible(text));
  if (wrong !== undefined)
    throw new AppError(
      "invalid",
      `a label has 1 to ${HANDLING_LIMITS.label} characters that can be seen, on one line, without commas and quotes`,
    );
  const both = change.add.find((text) => labelAmong(change.remove, text) !== undefined);
  if (both !== undefined) throw new AppError("invalid", `the label ${both} is both added and removed`);
  return app.store.submissions.label(ids, change, authorOf(app, caller));
}

/** Adds a note to a submission, for those who work on it. Throws `invalid` for an empty or too long one, `not_found`, `forbidden`. */
export async function noteSubmission(app: FormsApp, caller: Caller, id: string, note: string): Promise<void> {
  await requireHandled(app, caller, [id]);
  const text = note.trim();
  if (!hasVisible(text)) throw new AppError("invalid", "the note is empty");
  if (!text.isWellFormed()) throw new AppError("invalid", "the note is not valid Unicode");
  if (text.length > HANDLING_LIMITS.note)
    throw new AppError(
      "invalid",
      `a note has at most ${HANDLING_LIMITS.note.toLocaleString("en")} characters`,
    );
  await app.store.submissions.note(id, text, authorOf(app, caller));
}

const authorOf = ({ now }: FormsApp, { name }: Caller) => ({ who: name, at: now() });
