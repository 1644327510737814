import { addressSpellings } from "../base/address-spelling.ts";
import { normalize } from "../base/normalize.ts";
import type { ListOf } from "../evaluator/code.ts";
import { MEMBER_LIMITS } from "./limits.ts";

/** The beginning of a path that is the members of a segment. */
const MEMBERS_OF = "$members.";

/** How many values of a segment are approved, and how many are not yet. */
export type MemberCounts = { members: number; pending: number };

/**
 * A value as members are compared: trimmed, in lower case, in NFC, and the domain of a mail address in Unicode; null for what
 * can be no member.
 */
export function memberValue(value: unknown): string | null {
  // Bounded first: spaces around it and marks may make it longer than the value is.
  if (typeof value !== "string" || value.length > 4 * MEMBER_LIMITS.characters) return null;
  const typed = normalize(value.trim().toLowerCase(), "NFC");
  const text = typed.includes("@") ? (addressSpellings(typed).at(-1) ?? typed) : typed;
  return text === "" || text.length > MEMBER_LIMITS.characters || text.includes("\0") || !text.isWellFormed()
    ? null
    : text;
}

/** The values of a field of a submission: several where it has a list. */
export function memberValues(value: unknown): string[] {
  const given: unknown[] = Array.isArray(value) ? value.slice(0, MEMBER_LIMITS.ofSubmission) : [value];
  return [...new Set(given.flatMap((each) => memberValue(each) ?? []))];
}

/**
 * The rule of a segment with a source, for checking rules. Its list of members is filled in when the rule is compiled.
 */
export function memberRule(segment: string, attribute: string): string {
  return JSON.stringify({ in: [{ var: attribute }, { var: `${MEMBERS_OF}${segment}` }] });
}

/** Finds the list that the rule of a segment with a source reads. */
export function membersIn(members: Members): ListOf {
  return (operation) => {
    const path = "var" in operation ? operation.var : undefined;
    return typeof path === "string" && path.startsWith(MEMBERS_OF)
      ? members.get(path.slice(MEMBERS_OF.length))
      : undefined;
  };
}

/** Texts of ASCII without capitals and spaces. */
const NORMAL = /^[!-@[-~]+$/;

/** A domain that has a spelling in Unicode. */
const HAS_SPELLINGS = /[@.]xn--/;

/** The members of a segment, as a list of a rule; the same object while they change. */
export class MemberList {
  #values: ReadonlySet<string> | Set<string> = new Set();
  #at: MemberState | null = null;

  /** Whether a value of a context is that of a member. */
  includes(value: unknown): boolean {
    if (this.#values.size === 0) return false;
    if (this.#values.has(value as string)) return true;
    // Nearly every value is as members are compared.
    if (typeof value !== "string" || (NORMAL.test(value) && !HAS_SPELLINGS.test(value))) return false;
    const normal = memberValue(value);
    if (normal === null) return false;
    return this.#values.has(normal) || addressSpellings(normal).some((each) => this.#values.has(each));
  }

  /** The revision behind which members are missing; null if all are to be read. */
  missingSince({ epoch, leftAt }: MemberState): number | null {
    const at = this.#at;
    return at === null || at.epoch !== epoch || leftAt > at.revision ? null : at.revision;
  }

  isAt({ epoch, revision }: MemberState): boolean {
    return this.#at?.epoch === epoch && this.#at.revision === revision;
  }

  /** Takes values that were read at a state: all of them, or those since {@link missingSince}. */
  take(state: MemberState, values: readonly string[], areAll: boolean): void {
    const at = this.#at;
    // A read that another one has overtaken.
    if (at && (at.epoch > state.epoch || (at.epoch === state.epoch && at.revision > state.revision))) return;
    if (areAll) this.#values = new Set(values);
    else for (const value of values) (this.#values as Set<string>).add(value);
    this.#at = state;
  }
}

/** The members of the segments of an environment that forms fill, by the name of the segment. */
export type Members = Pick<ReadonlyMap<string, MemberList>, "get">;

/** The state of the members of a segment: they are read again in another epoch, and some have left at a revision. */
export type MemberState = { segment: string; epoch: number; revision: number; leftAt: number };
