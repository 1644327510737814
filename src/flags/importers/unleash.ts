import type { FlagdFlag } from "../flagd/definition.ts";
import {
  booleanFlag,
  Draft,
  type Needing,
  type Noting,
  segmentName,
  UNFULFILLED,
  Unsupported,
  flagOfRule,
} from "./draft.ts";
import {
  and,
  attribute,
  type Chain,
  chained,
  fractional,
  isInShare,
  listOf,
  or,
  type Rule,
} from "./logic.ts";
import { chosenEnvironment, type Choice } from "./choice.ts";
import { constraintsRule } from "./unleash-constraints.ts";
import {
  isOverridden,
  type Variant,
  valuesOf,
  featuresOf,
  type Feature,
  type Segments,
  type Strategy,
} from "./unleash-export.ts";

/** Features of Unleash: the answer of its client API, or an export of the admin API. Throws `WrongFile`. */
export function fromUnleash(file: unknown, choice: Choice): Draft {
  const { features, segments } = featuresOf(file, (names) => chosenEnvironment(choice, names));
  const draft = new Draft();
  const byName = new Map(features.map((feature) => [feature.name, feature]));
  const reader: Reader = { byName, segments: segmentsIn(draft, segments) };
  for (const feature of features) {
    draft.add(feature.name, feature.path, (note, need) => mainFlag(reader, feature, note, need), feature);
    if (variantsOf(feature).length > 0)
      draft.add(`${feature.name}.variant`, feature.path, (note, need) =>
        variantFlag(reader, feature, note, need),
      );
  }
  return draft;
}

/** Features by name; segments by id: a reference, true or false, with what has to be noted of it, or why it cannot be said. */
type Reader = {
  byName: Map<string, Feature>;
  segments: Map<string, { rule: Rule; notes: string[] } | Unsupported>;
};

function segmentsIn(draft: Draft, segments: Segments): Reader["segments"] {
  const rules: Reader["segments"] = new Map();
  const names = new Set<string>();
  for (const { id, name, constraints } of segments) {
    try {
      const notes: string[] = [];
      const noted: Noting = (path, message) => void notes.push(`the segment ${name}: ${path}: ${message}`);
      const rule = constraintsRule(constraints, `segment ${name}`, noted);
      const slug = segmentName(name);
      const own = slug === "" || names.has(slug) ? segmentName(`segment-${id}`) : slug;
      names.add(own);
      if (typeof rule !== "boolean") draft.addSegment(own, rule);
      rules.set(id, { rule: typeof rule === "boolean" ? rule : { $ref: own }, notes });
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error;
      rules.set(id, error);
    }
  }
  return rules;
}

function variantsOf({ variants, strategies }: Feature): Variant[] {
  return [...variants, ...strategies.flatMap((strategy) => strategy.variants)];
}

function mainFlag(reader: Reader, feature: Feature, note: Noting, need: Needing): FlagdFlag {
  const parents = parentsRule(reader, feature, note, need);
  const condition = and(parents, enablingRule(reader, feature, feature.name, note));
  if (feature.dependencies.length > 0 && typeof condition !== "boolean") note("/dependencies", UNFULFILLED);
  return booleanFlag(feature.enabled, condition, note);
}

/** When a feature that is enabled is on. */
function enablingRule(reader: Reader, feature: Feature, flag: string, note: Noting): Rule {
  if (feature.strategies.length === 0) return !feature.hasDisabled;
  return or(...feature.strategies.map((each) => strategyRule(reader, feature, each, flag, note)));
}

function strategyRule(
  reader: Reader,
  { name }: Feature,
  strategy: Strategy,
  flag: string,
  note: Noting,
): Rule {
  const { path, constraints, segments } = strategy;
  const own = (below: string, message: string) => note(path + below, message);
  const ofSegments = segments.map((id): Rule => {
    const segment = reader.segments.get(id);
    if (segment instanceof Unsupported) throw segment;
    for (const message of segment?.notes ?? []) own("/segments", message);
    return segment?.rule ?? false;
  });
  const conditions = and(
    constraintsRule(constraints, `${name}, strategy ${strategy.name}`, own),
    ...ofSegments,
  );
  return and(conditions, activation(strategy, name, flag, own));
}

/** The part of a strategy beside its constraints. */
function activation({ name, parameters }: Strategy, feature: string, flag: string, note: Noting): Rule {
  const list = (key: string) =>
    textOf(parameters[key])
      .split(",")
      .map((each) => each.trim())
      .filter((each) => each !== "");
  const share = (by: string, percent: unknown, group: unknown) => {
    const number = Number(textOf(percent));
    if (!Number.isFinite(number)) throw new Unsupported(`the percentage of ${name} is no number`);
    const salt = textOf(group) || feature;
    if (number > 0 && number < 100)
      note("/parameters", `${number} % of readers by ${by}: the share is kept, who is in it differs`);
    return isInShare({ by: attribute(by), salt, flag }, Math.floor(number));
  };
  switch (name) {
    case "default":
      return true;
    case "userWithId": {
      const ids = list("userIds");
      return ids.length === 0 ? false : { in: [attribute("targetingKey"), ids] };
    }
    case "remoteAddress":
      return constraintsRule(
        [{ contextName: "remoteAddress", operator: "IN_CIDR", values: list("IPs"), takesOthers: true }],
        name,
        note,
      );
    case "gradualRolloutUserId":
      return share("targetingKey", parameters["percentage"], parameters["groupId"]);
    case "gradualRolloutSessionId":
      return share("sessionId", parameters["percentage"], parameters["groupId"]);
    case "gradualRolloutRandom":
      return anyShare(Number(textOf(parameters["percentage"])), () =>
        share("targetingKey", parameters["percentage"], ""),
      );
    case "flexibleRollout": {
      const stickiness = textOf(parameters["stickiness"]) || "default";
      const own = stickiness === "userId" ? "targetingKey" : stickiness;
      const rollout = parameters["rollout"];
      if (stickiness !== "default" && stickiness !== "random")
        return share(own, rollout, parameters["groupId"]);
      return anyShare(Number(textOf(rollout)), () => {
        note(
          "/parameters",
          `readers without a targetingKey are not in the share: its stickiness is ${stickiness}`,
        );
        return share("targetingKey", rollout, parameters["groupId"]);
      });
    }
    default:
      throw new Unsupported(`the strategy ${name} is not known here`);
  }
}

/** A share that needs nothing of the context where it is of all or none. */
function anyShare(percent: number, share: () => Rule): Rule {
  return percent >= 100 ? true : percent <= 0 ? false : share();
}

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** Whether the parents of a feature allow it to be on, besides what it needs of them. */
function parentsRule(reader: Reader, feature: Feature, note: Noting, need: Needing): Rule {
  const rules = feature.dependencies.map((dependency): Rule => {
    const name = textOf(dependency["feature"]);
    const parent = reader.byName.get(name);
    // Unleash has the same answers for these.
    if (!parent || parent.dependencies.length > 0) return false;
    const silent = () => {};
    if (dependency["enabled"] === false) {
      need({ flag: name, variants: ["off"] });
      if (!parent.enabled && typeof enablingRule(reader, parent, name, silent) !== "boolean")
        note(
          "/dependencies",
          `it needs ${name} to be off for a reader, which a flag turned off with a rule is not`,
        );
      return true;
    }
    const wanted = listOf(dependency["variants"], "dependencies").map(textOf).filter(Boolean);
    // A reader without a variant has one of this name, while no flag has.
    if (!wanted.includes("disabled")) {
      const known = new Set(variantsOf(parent).map((each) => each.name));
      const variants = wanted.filter((each) => known.has(each));
      if (wanted.length > 0 && variants.length === 0) return false;
      need(wanted.length > 0 ? { flag: `${name}.variant`, variants } : { flag: name });
      return true;
    }
    note(
      "/dependencies",
      `what ${name} is for a reader is written into the rule: it does not follow changes of ${name}`,
    );
    const isEnabled = parent.enabled && enablingRule(reader, parent, feature.name, silent);
    if (isEnabled === false) return false;
    const variant = chained(variantChain(reader, parent, feature.name, silent), null);
    if (variant === null) return isEnabled;
    if (typeof variant === "string") return and(isEnabled, wanted.includes(variant));
    return and(isEnabled, or({ in: [variant, wanted] }, { "===": [variant, null] }));
  });
  return and(...rules);
}

/** The variants of a feature that is on: those of the first strategy that holds, else its own. */
function variantChain(reader: Reader, feature: Feature, flag: string, note: Noting): Chain {
  const own = chosenOf(feature.variants, { salt: feature.name, stickiness: "", flag, path: "" }, note);
  if (feature.strategies.length === 0) return feature.hasDisabled ? [] : [[true, own]];
  return feature.strategies.map((strategy) => {
    const rule = strategyRule(reader, feature, strategy, flag, note);
    if (strategy.variants.length === 0) return [rule, own];
    const { path, parameters } = strategy;
    const salt = textOf(parameters["groupId"]) || feature.name;
    const stickiness = textOf(parameters["stickiness"]);
    return [rule, chosenOf(strategy.variants, { salt, stickiness, flag, path }, note)];
  });
}

/** The variant of a reader: that of an override, or one by weight. Null for none. `stickiness` is that of variants without. */
function chosenOf(
  variants: readonly Variant[],
  { salt, stickiness, flag, path }: { salt: string; stickiness: string; flag: string; path: string },
  note: Noting,
): unknown {
  const weighted = variants.filter(({ weight }) => weight > 0);
  if (weighted.length === 0) return null;
  const overrides = variants.map(({ name, overrides }) => [isOverridden(overrides), name] as const);
  const [only, ...others] = weighted;
  if (others.length === 0) return chained(overrides, only!.name);
  const sticky = variants[0]!.stickiness ?? (stickiness || "default");
  const by = ["default", "random", "userId"].includes(sticky) ? "targetingKey" : sticky;
  note(
    `${path}/variants`,
    `variants by ${by}: their shares are kept, who gets which differs; readers without it get none`,
  );
  const shares = weighted.map(({ name, weight }) => [name, weight] as const);
  return chained(overrides, fractional({ by: attribute(by), salt: `${salt}.variant`, flag }, shares));
}

function variantFlag(reader: Reader, feature: Feature, note: Noting, need: Needing): FlagdFlag {
  const flag = `${feature.name}.variant`;
  const parents = parentsRule(reader, feature, note, need);
  const chain = variantChain(reader, feature, flag, note).map(
    ([condition, result]) => [and(parents, condition), result] as const,
  );
  // The first variant is not a default: readers for whom the feature is off get none.
  const targeting = chained(chain, null);
  return flagOfRule(feature.enabled ? "ENABLED" : "DISABLED", valuesOf(variantsOf(feature), note), targeting);
}
