import type { FlagChange } from "../change.ts";
import type { FlagPlace } from "../flag.ts";
import type { FlagState } from "../history.ts";
import { newDefaultOf } from "../ramps/ramp.ts";
import { requirementsText } from "./requirement.ts";

/** Where changes may break what flags need: in some environments of a project, or with null in all. */
export type NeedsCheck = {
  project: string;
  environments: Set<string> | null;
  /** Flags that the changes delete or archive. */
  removed: Set<string>;
  /** Flags that need others as they did not before, in one of the environments. */
  needing: Set<string>;
  /** The variants that flags lose, by environment and flag. */
  lost: Map<string, Map<string, readonly string[]>>;
  /** The variants that ramps which start and shipped experiments make the defaults, by environment and flag. */
  defaults: Map<string, Map<string, string>>;
};

type Put = FlagChange & { change: "putFlag" };
type Drop = FlagChange & { change: "deleteFlag" };
type PutRamp = FlagChange & { change: "putRamp" };
type State = Partial<FlagState>;

/** Whether a change is of a flag itself. */
export function isPutOrDrop(each: { change: string }): each is Put | Drop {
  return each.change === "putFlag" || each.change === "deleteFlag";
}

/**
 * The checks after changes: none where no flag needs others that it did not before, loses variants, gets another default by a
 * ramp or an experiment, is archived or deleted.
 */
export function needsToCheck(all: readonly { change: string }[]): NeedsCheck[] {
  const changes = all.filter(isPutOrDrop);
  const checks = new Map<string, NeedsCheck>();
  const checkOf = (project: string): NeedsCheck => {
    const none = { environments: new Set<string>(), removed: new Set<string>(), needing: new Set<string>() };
    const check = checks.get(project) ?? { project, ...none, lost: new Map(), defaults: new Map() };
    checks.set(project, check);
    return check;
  };
  for (const each of changes) {
    const { project, flag } = each;
    const archived = each.change === "deleteFlag" || archives(each);
    const needs = each.change === "putFlag" && (archived === false || changesNeeds(each));
    if (archived === null && !needs) continue;
    const check = checkOf(project);
    if (needs) check.needing.add(flag);
    if (archived === true) check.removed.add(flag);
    if (archived !== null || each.change === "deleteFlag") check.environments = null;
    else check.environments?.add(each.environment);
  }
  for (const [{ project, environment, flag }, lost] of losses(changes)) {
    const check = checkOf(project);
    check.environments?.add(environment);
    setIn(check.lost, environment, flag, lost);
  }
  for (const { project, environment, flag, variant } of newDefaults(all)) {
    const check = checkOf(project);
    check.environments?.add(environment);
    setIn(check.defaults, environment, flag, variant);
  }
  return [...checks.values()];
}

function setIn<V>(all: Map<string, Map<string, V>>, environment: string, flag: string, value: V): void {
  all.set(environment, (all.get(environment) ?? new Map<string, V>()).set(flag, value));
}

/** The variants that ramps which start, and experiments that are shipped, make the defaults of their flags. */
function newDefaults(all: readonly { change: string }[]): (FlagPlace & { variant: string })[] {
  return all.flatMap((each) => {
    if (isPutOrDrop(each)) {
      if (each.change !== "putFlag" || each.newDefault === undefined) return [];
      const { project, environment, flag, newDefault: variant } = each;
      return [{ project, environment, flag, variant }];
    }
    if (!startsRamp(each)) return [];
    const { environment, flag } = each.ramp;
    const variant = newDefaultOf(each.ramp);
    return variant === undefined ? [] : [{ project: each.project, environment, flag, variant }];
  });
}

/** Whether a change is of a ramp. */
export function isPutRamp(each: { change: string }): each is PutRamp {
  return each.change === "putRamp";
}

/** Whether a change starts a ramp. */
export function startsRamp(each: { change: string }): each is PutRamp {
  return isPutRamp(each) && each.history !== null && each.history.before === null;
}

/** The flags that lose variants by all of the changes together. */
function losses(changes: readonly (Put | Drop)[]): [Put, string[]][] {
  const puts = new Map<string, { before: State; last: Put }>();
  for (const each of changes) {
    if (each.change !== "putFlag") continue;
    const name = `${each.project}/${each.environment}/${each.flag}`;
    const [before] = statesOf(each);
    const first = puts.get(name)?.before ?? before;
    // A new flag has none to lose.
    if (first) puts.set(name, { before: first, last: each });
  }
  return [...puts.values()].flatMap(({ before, last }) => {
    const [was, is] = [variantsOf(before), variantsOf(statesOf(last)[1])];
    const lost = [...Object.keys(was), "off"].filter(
      (each) => hasVariant(was, each) && !hasVariant(is, each),
    );
    return lost.length > 0 ? [[last, lost]] : [];
  });
}

/** Whether a change archives a flag (true) or restores it (false); null for any other. */
export function archives(put: Put): boolean | null {
  const [before, after] = statesOf(put).map((state) => state?.archived === true);
  return before === after ? null : after!;
}

/** Whether a flag needs others as it did not before. */
function changesNeeds(put: Put): boolean {
  const { requires } = put.record;
  return requires !== "" && requires !== requirementsText(statesOf(put)[0]?.requires ?? null);
}

function statesOf({ history }: Put): (State | null | undefined)[] {
  return [history?.before, history?.after] as (State | null | undefined)[];
}

type Variants = Readonly<Record<string, unknown>>;

const PLAIN: Variants = { on: true, off: false };

/** The variants of a flag, by its rules or by its recorded state. */
export function variantsOf(rules: { variants?: Variants | undefined } | null | undefined): Variants {
  return rules?.variants ?? PLAIN;
}

/** Whether a flag can be what another one needs: `off` is false by any name. */
export function hasVariant(variants: Variants, name: string): boolean {
  return Object.hasOwn(variants, name) || (name === "off" && Object.values(variants).includes(false));
}
