import { isObject } from "../../base/json.ts";
import type { FlagdFlag } from "../flagd/definition.ts";
import { type Choice, requireNone, WrongFile } from "./choice.ts";
import {
  booleanOf,
  Draft,
  type Noting,
  segmentName,
  UNFULFILLED,
  Unsupported,
  namesOf,
  flagOfRule,
} from "./draft.ts";
import { dependenciesIn, segmentRule } from "./flagsmith-segments.ts";
import { attribute, type Chain, chained, fractional, listOf, objectOf, type Rule } from "./logic.ts";

type Json = Record<string, unknown>;

/** The state of a feature for readers for whom a condition holds. */
type State = { condition: Rule; state: Json; notes: string[] };

/** An environment document of Flagsmith. Throws `WrongFile`. */
export function fromFlagsmith(file: unknown, choice: Choice): Draft {
  if (!isObject(file) || !Array.isArray(file["feature_states"]))
    throw new WrongFile(
      'an environment document of Flagsmith looks like {"feature_states":[…],"project":{…}}',
    );
  requireNone(choice, typeof file["name"] === "string" ? file["name"] : undefined);
  const draft = new Draft();
  const segments = segmentsOf(draft, isObject(file["project"]) ? file["project"]["segments"] : []);
  const identities = Array.isArray(file["identity_overrides"])
    ? file["identity_overrides"].filter(isObject)
    : [];
  for (const [at, state] of file["feature_states"].filter(isObject).entries()) {
    const name = nameOf(state);
    const path = `/feature_states/${at}`;
    const overrides = () => [...identityStates(identities, name), ...segmentStates(segments, name)];
    draft.add(name, path, (note, need) => {
      const needed = segments.flatMap((segment) =>
        statesIn(segment, name).some((each) => each["enabled"] !== true) ? (segment.needed ?? []) : [],
      );
      for (const flag of needed) need({ flag });
      if (needed.length > 0) note("", UNFULFILLED);
      if (needed.length > 0 && identities.some((each) => statesIn(each, name).length > 0))
        note("", `identities whose state is set need ${needed.join(", ")} too`);
      return enabledFlag(state, overrides(), note);
    });
    if (hasValue(state) || [...segments, ...identities].some((each) => statesIn(each, name).some(hasValue)))
      draft.add(`${name}.value`, path, (note) => valueFlag(name, state, overrides(), note));
  }
  return draft;
}

function nameOf(state: Json): string {
  return isObject(state["feature"]) ? String(state["feature"]["name"]) : "";
}

type Segment = {
  rule: Rule | Unsupported;
  notes: string[];
  states: Json[];
  /** The features that those of the segment depend on, if it says nothing else. */
  needed?: string[];
};

function segmentsOf(draft: Draft, given: unknown): Segment[] {
  const names = new Set<string>();
  return (Array.isArray(given) ? given.filter(isObject) : []).map((segment, at): Segment => {
    const states = Array.isArray(segment["feature_states"]) ? segment["feature_states"].filter(isObject) : [];
    const name = typeof segment["name"] === "string" ? segment["name"] : "";
    const notes: string[] = [];
    try {
      const needed = dependenciesIn(segment);
      if (needed) return { rule: false, notes, states, needed };
      const rule = segmentRule(segment, (message) => void notes.push(`the segment ${name}: ${message}`));
      if (typeof rule === "boolean") return { rule, notes, states };
      const slug = segmentName(name);
      const own = slug === "" || names.has(slug) ? `segment-${at}` : slug;
      names.add(own);
      draft.addSegment(own, rule);
      return { rule: { $ref: own }, notes, states };
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error;
      return { rule: new Unsupported(`the segment ${name}: ${error.message}`), notes, states };
    }
  });
}

/** The states of a feature in a segment or of an identity. */
function statesIn(owner: Segment | Json, name: string): Json[] {
  const states = "states" in owner ? (owner as Segment).states : owner["identity_features"];
  return (Array.isArray(states) ? states.filter(isObject) : []).filter((each) => nameOf(each) === name);
}

/** States of segments, those of the lowest priority first. */
function segmentStates(segments: readonly Segment[], name: string): State[] {
  const priority = ({ state }: State) =>
    isObject(state["feature_segment"]) && typeof state["feature_segment"]["priority"] === "number"
      ? state["feature_segment"]["priority"]
      : Infinity;
  return (
    segments
      .flatMap((segment) =>
        statesIn(segment, name).map((state): State => {
          if (segment.rule instanceof Unsupported) throw segment.rule;
          return { condition: segment.rule, state, notes: segment.notes };
        }),
      )
      // The last of equal ones counts.
      .toReversed()
      .toSorted((a, b) => (priority(a) === priority(b) ? 0 : priority(a) - priority(b)))
  );
}

function identityStates(identities: readonly Json[], name: string): State[] {
  return identities.flatMap((identity) =>
    statesIn(identity, name).map((state) => ({
      condition: { "===": [attribute("targetingKey"), String(identity["identifier"])] },
      state,
      notes: [],
    })),
  );
}

function enabledFlag(base: Json, overrides: readonly State[], note: Noting): FlagdFlag {
  for (const { notes } of overrides) for (const message of notes) note("", message);
  const chain = overrides.map(
    ({ condition, state }) => [condition, state["enabled"] === true ? "on" : "off"] as const,
  );
  return booleanOf(chained(chain, null), base["enabled"] === true);
}

function hasValue(state: Json): boolean {
  return valuesOf(state).some((value) => value !== null);
}

/** The value of a state, and those of its variants. */
function valuesOf(state: Json): unknown[] {
  return [state["feature_state_value"] ?? null, ...variantsOf(state).map(({ value }) => value)];
}

function variantsOf(state: Json): { value: unknown; percent: number }[] {
  return listOf(state["multivariate_feature_state_values"], "variants").map((each) => {
    const { multivariate_feature_option: option, percentage_allocation: percent } = objectOf(
      each,
      "a variant",
    );
    return {
      value: objectOf(option, "a variant")["value"] ?? null,
      percent: typeof percent === "number" ? percent : 0,
    };
  });
}

/** The value of a feature, which it has also while it is off. */
function valueFlag(name: string, base: Json, overrides: readonly State[], note: Noting): FlagdFlag {
  for (const { notes } of overrides) for (const message of notes) note("", message);
  const all = [base, ...overrides.map(({ state }) => state)]
    .flatMap(valuesOf)
    .filter((value) => value !== null);
  const values = [...new Map(all.map((value) => [JSON.stringify(value), value])).values()];
  const names = namesOf(values);
  const named = (value: unknown) =>
    names[values.findIndex((each) => JSON.stringify(each) === JSON.stringify(value))] ?? null;
  const result = (state: Json) => {
    const own = named(state["feature_state_value"] ?? null);
    const shares = variantsOf(state).filter(({ percent }) => percent > 0);
    if (shares.length === 0) return own;
    note(
      "/multivariate_feature_state_values",
      "shares by targetingKey: they are kept, who is in which differs",
    );
    const rest = 100 - shares.reduce((sum, { percent }) => sum + percent, 0);
    const weighted = shares.map(
      ({ value, percent }) => [named(value) ?? "", Math.round(percent * 1000)] as const,
    );
    if (rest > 0 && own === null) throw new Unsupported("readers outside its shares have no value");
    const by = attribute("targetingKey");
    const all = [...weighted, [own ?? "", Math.round(rest * 1000)] as const];
    const share = fractional({ by, salt: name, flag: `${name}.value` }, all);
    // Readers without a key are no identity, which alone has a share.
    return "if" in share ? { if: [...share.if.slice(0, 2), own] } : share;
  };
  const chain: Chain = overrides.map(({ condition, state }) => [condition, result(state)]);
  const rest = result(base);
  const isPlain = typeof rest === "string" && chain.every(([, each]) => each !== null);
  const targeting = chained(chain, isPlain ? null : rest);
  const isBoolean = values.every((value) => typeof value === "boolean");
  const variants = Object.fromEntries(names.map((each, at) => [each, values[at]]));
  const own = isBoolean ? { on: true, off: false } : variants;
  return flagOfRule("ENABLED", own, targeting, isPlain ? rest : null);
}
