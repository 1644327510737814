import { isLargerThan, isObject } from "../../base/json.ts";
import { findFault, findSegmentFault } from "../flagd/check.ts";
import type { FlagdFlag } from "../flagd/definition.ts";
import { findNestingFaults } from "../flagd/nested-segments.ts";
import { findGaps, missingSegments } from "../flagd/results.ts";
import { withoutAccents } from "../../base/normalize.ts";
import { findSlugFault } from "../../base/slug.ts";
import {
  findFlagSlugFault,
  MAX_DESCRIPTION,
  MAX_ENVIRONMENT_BYTES,
  REQUIREMENT_LIMITS,
  RULE_LIMITS,
} from "../limits.ts";
import type { Requirement } from "../requires/requirement.ts";
import { WrongFile } from "./choice.ts";
import { unsoundNeeds, withNeeds } from "./needs.ts";

/** A difference between a flag and what was imported of it; `path` is a JSON pointer into the file. */
export type Note = { flag: string; path: string; message: string };

/** A flag that is not imported, and why. */
export type Skipped = { flag: string; message: string };

/** Flags and segments of another service as a flagd file, with all that it does not say. */
export type Converted = {
  document: { flags: Record<string, FlagdFlag>; $evaluators?: Record<string, unknown> };
  notes: Note[];
  skipped: Skipped[];
};

/** Thrown for a part of a flag that rules cannot say. */
export class Unsupported extends Error {}

/** Adds a note at a place of the file, below that of the flag. */
export type Noting = (path: string, message: string) => void;

/** Adds what a flag needs. Throws `Unsupported` for more than a flag can. */
export type Needing = (requirement: Requirement) => void;

/** The note on a flag that needs others, where the other service has a value for readers who do not have these. */
export const UNFULFILLED =
  "while what it needs is not so, readers get the default of their code, where the other service has a value";

/** The details of a flag as they are in the file, with their places if these are not below that of the flag. */
type Details = {
  path?: string;
  description?: unknown;
  metadata?: unknown;
  tags?: readonly unknown[];
  tagsPath?: string;
};

/** Flags of a file, with those made of its variants. */
const MAX_FLAGS = 10_000;

const VARIANTS = { on: true, off: false };

/** Flags and segments as they are converted, each right or in the report. */
export class Draft {
  readonly #flags = new Map<string, FlagdFlag>();
  readonly #needs = new Map<string, Requirement[]>();
  readonly #segments = new Map<string, unknown>();
  readonly #notes: Note[] = [];
  readonly #skipped: Skipped[] = [];
  #count = 0;
  /** Characters that the flags may still have: a rule is written into each flag that depends on it. */
  #room = MAX_ENVIRONMENT_BYTES;

  /** Begins with a whole budget, whatever the file before has spent. */
  constructor() {
    resetBudget();
  }

  /** Adds the flag that `make` returns, with its notes and details; one for which it throws `Unsupported` is skipped. */
  add(
    name: string,
    path: string,
    make: (note: Noting, need: Needing) => FlagdFlag,
    details: Details = {},
  ): void {
    resetBudget();
    const notes: Note[] = [];
    if ((this.#count += 1) > MAX_FLAGS) throw new WrongFile(`the file has more than ${MAX_FLAGS} flags`);
    try {
      const fault =
        findFlagSlugFault(name) ?? (this.#flags.has(name) ? "the file has this name twice" : undefined);
      if (fault !== undefined) throw new Unsupported(fault);
      const said = new Set<string>();
      const note: Noting = (path, message) => {
        const note = { flag: name, path, message };
        if (said.size < said.add(JSON.stringify(note)).size) notes.push(note);
      };
      const needs: Requirement[] = [];
      const made = make(
        (below, message) => note(path + below, message),
        (requirement) => addTo(needs, requirement),
      );
      const flag = { ...made, ...detailsOf({ path, ...details }, note) };
      this.#requireRoom(flag);
      this.#flags.set(name, flag);
      if (needs.length > 0) this.#needs.set(name, needs);
      this.#notes.push(...notes);
    } catch (error) {
      this.skip(name, reasonOf(error));
    }
  }

  /** Throws `Unsupported` for a flag that is too large, `WrongFile` for flags that are too large together. */
  #requireRoom(flag: FlagdFlag): void {
    const isTooLarge = isLargerThan(RULE_LIMITS.bytes, flag);
    this.#room -= isTooLarge ? RULE_LIMITS.bytes : JSON.stringify(flag).length;
    if (this.#room < 0) throw new WrongFile("the flags of the file are too large with what they depend on");
    if (isTooLarge) throw new Unsupported("its rule is too large");
  }

  skip(flag: string, message: string): void {
    this.#skipped.push({ flag, message });
  }

  addSegment(name: string, rule: unknown): void {
    resetBudget();
    this.#segments.set(name, typeof rule === "boolean" ? { and: [rule] } : rule);
  }

  /** Checks all as an import does. What fails there is skipped. */
  finish(): Converted {
    for (const [name, rule] of this.#segments)
      if (findSlugFault("segment", name) !== undefined || findSegmentFault(rule, true))
        this.#segments.delete(name);
    for (const name of findNestingFaults(new Map(), this.#segments).keys()) this.#segments.delete(name);
    for (const [name, rule] of this.#segments)
      if (missingSegments(rule, this.#segments).length > 0) this.#segments.delete(name);
    for (const [name, flag] of this.#flags) {
      const { state: _, description: __, ...rules } = flag;
      const fault = findFault(rules, this.#segments, true) ?? findGaps(rules, this.#segments)[0];
      if (!fault) continue;
      this.#flags.delete(name);
      this.skip(name, fault.path === "" ? fault.message : `${fault.path}: ${fault.message}`);
    }
    for (const [name, reason] of unsoundNeeds(this.#flags, this.#needs)) {
      this.#flags.delete(name);
      this.skip(name, reason);
    }
    for (const [name, flag] of this.#flags)
      this.#flags.set(name, withNeeds(flag, this.#needs.get(name) ?? []));
    const segments = Object.fromEntries(this.#segments);
    return {
      document: {
        flags: Object.fromEntries(this.#flags),
        ...(this.#segments.size > 0 && { $evaluators: segments }),
      },
      notes: this.#notes.filter(({ flag }) => this.#flags.has(flag)),
      skipped: this.#skipped,
    };
  }
}

function addTo(needs: Requirement[], requirement: Requirement): void {
  const { flags, variants } = REQUIREMENT_LIMITS;
  const same = needs.find(({ flag }) => flag === requirement.flag);
  if (same && !Bun.deepEquals(same, requirement))
    throw new Unsupported(`it needs ${same.flag} in two different ways`);
  if (!same) needs.push(requirement);
  if (needs.length > flags) throw new Unsupported(`it needs more than ${flags} flags`);
  if ((requirement.variants?.length ?? 0) > variants)
    throw new Unsupported(`it needs more than ${variants} variants of ${requirement.flag}`);
}

/** The details that a flag keeps; lost ones are noted. */
function detailsOf(details: Details, note: Noting): Partial<FlagdFlag> {
  const { path = "", description, metadata, tags = [], tagsPath = `${path}/tags` } = details;
  const text = typeof description === "string" ? description : "";
  if (text.length > MAX_DESCRIPTION)
    note(`${path}/description`, `only its first ${MAX_DESCRIPTION} characters are imported`);
  if (tags.length > 0) note(tagsPath, `tags are not imported: ${tags.map(String).join(", ").slice(0, 1000)}`);
  const members = isObject(metadata) ? Object.entries(metadata) : [];
  const kept = members.filter((each): each is [string, string | number | boolean] =>
    ["string", "number", "boolean"].includes(typeof each[1]),
  );
  if (kept.length < members.length)
    note(`${path}/metadata`, "only texts, numbers, true and false are imported of the metadata");
  return {
    ...(text !== "" && { description: text.slice(0, MAX_DESCRIPTION) }),
    ...(kept.length > 0 && { metadata: Object.fromEntries(kept) }),
  };
}

/** Why a flag cannot be converted. Throws what is no reason. */
function reasonOf(error: unknown): string {
  if (error instanceof Unsupported) return error.message;
  // Too many parts, or too many levels of them.
  if (error instanceof RangeError) return "its rule is too large";
  throw error;
}

/** A flag that is on for readers for whom a condition holds; without a condition it is a plain flag. */
export function booleanFlag(enabled: boolean, condition: unknown, note: Noting): FlagdFlag {
  if (condition === true || condition === false)
    return { state: "ENABLED", variants: VARIANTS, defaultVariant: enabled && condition ? "on" : "off" };
  if (!enabled) note("", OFF);
  return {
    state: enabled ? "ENABLED" : "DISABLED",
    variants: VARIANTS,
    defaultVariant: "off",
    targeting: ruleOf(condition, "on"),
  };
}

const OFF = "it is off: readers get the default of their code";

function ruleOf(condition: unknown, result: string): Record<string, unknown> {
  // A share of all readers, as a rollout has it.
  if (isObject(condition) && Array.isArray(condition["==="])) {
    const [share, wanted] = condition["==="] as unknown[];
    const shares = isObject(share) ? share["fractional"] : undefined;
    if (wanted === "in" && Array.isArray(shares) && shares.every(Array.isArray))
      return { fractional: shares.map(([name, weight]) => [name === "in" ? result : "off", weight]) };
  }
  return { if: [condition, result] };
}

/** A flag that is on or off by a rule, and `rest` for everyone else; without a rule it is a plain flag. */
export function booleanOf(rule: unknown, rest: boolean): FlagdFlag {
  return flagOfRule("ENABLED", VARIANTS, rule, rest ? "on" : "off");
}

/** A flag whose variant is the result of a rule; a rule that is only a result, or else `fallback`, is its default. */
export function flagOfRule(
  state: "ENABLED" | "DISABLED",
  variants: Record<string, unknown>,
  rule: unknown,
  fallback: string | null = null,
): FlagdFlag {
  const defaultVariant = typeof rule === "string" ? rule : fallback;
  return {
    state,
    variants,
    ...(defaultVariant !== null && { defaultVariant }),
    ...(isObject(rule) && { targeting: rule }),
  };
}

/** The name of a segment: the given one without accents, with a dash for what names do not hold. */
export function segmentName(name: string): string {
  return withoutAccents(name)
    .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 150);
}

/** Names for the values of variants: `on` and `off`, a short text or a number itself, else by their place. */
export function namesOf(values: readonly unknown[]): string[] {
  const texts = values.map((value, at) => {
    if (typeof value === "boolean") return value ? "on" : "off";
    const isShort = typeof value === "number" || (typeof value === "string" && /^[\w.+-]{1,50}$/.test(value));
    return isShort ? String(value) : `variant-${at}`;
  });
  const taken = new Set(["__proto__"]);
  return texts.map((text, at) => {
    const name = taken.has(text) ? `variant-${at}` : text;
    taken.add(name);
    return name;
  });
}

/** Parts of conditions that one flag may need, since a part can be repeated wherever it is referred to. */
const MAX_PARTS = 50_000;

let left = MAX_PARTS;

/** Begins the conditions of another flag or segment. */
function resetBudget(): void {
  left = MAX_PARTS;
}

/** Counts parts of a condition. Throws `RangeError` for too many. */
export function spend(parts: number): void {
  if ((left -= parts) < 0) throw new RangeError("too many parts");
}
