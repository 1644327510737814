import { isObject } from "../../base/json.ts";
import type { NoticeType } from "./notice-types.ts";

/**
 * How a change of the setup is announced to the targets of its project. With a history entry, the notice follows that
 * entry (`flag.changed` for a flag). A different notice of its own replaces it. Null announces nothing.
 */
export type ChangeNotice = {
  type: NoticeType;
  /** Default: that of the history. Null concerns every environment of the project. */
  environment?: string | null;
  /** Default: that of the history. */
  name?: string;
  /** Objects whose members that differ are the changes. Default: those of the history. */
  before?: unknown;
  after?: unknown;
  /** Members of the notice besides those of every notice. */
  members?: Readonly<Record<string, unknown>>;
};

/** A change that targets may hear of; the store adds its place in the history. */
export type Noticed = {
  project: string;
  environment: string | null;
  name: string;
  type: NoticeType;
  changes: readonly FieldChange[];
  members: Readonly<Record<string, unknown>>;
  /** Addresses that it is mailed to, besides the targets of the project. */
  mail?: readonly string[] | undefined;
};

/** A member that a change set; `before` is null for a new member, `after` for a removed one. */
export type FieldChange = { field: string; before: unknown; after: unknown };

/** The members that differ between two objects; null has none. */
export function fieldChanges(before: unknown, after: unknown): FieldChange[] {
  const [was, is] = [isObject(before) ? before : {}, isObject(after) ? after : {}];
  const fields = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  return fields
    .map((field) => ({ field, before: was[field] ?? null, after: is[field] ?? null }))
    .filter((each) => before == null || after == null || !isSame(each.before, each.after));
}

/** Whether two JSON values are stored as the same text. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The revision, time and author of the change of a notice. */
type Occasion = { revision: number; at: string; who: string; why: string | null };

/** A notice as JSON text, as targets get it. */
export function noticeText(
  { type, project, environment, name, changes, members }: Noticed,
  { revision, at, who, why }: Occasion,
): string {
  const data = { project, environment, name, revision, who, why, changes, ...members };
  return JSON.stringify({ type, timestamp: at, data });
}
