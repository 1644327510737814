import { isObject } from "../../base/json.ts";
import type { FlagdFlag } from "../flagd/definition.ts";
import { type Choice, chosenEnvironment, requireNone, WrongFile } from "./choice.ts";
import { booleanOf, Draft, type Noting, segmentName, Unsupported, flagOfRule } from "./draft.ts";
import { constraintRule } from "./flipt-constraints.ts";
import { and, attribute, chained, fractional, isInShare, listOf, objectOf, or, type Rule } from "./logic.ts";

type Json = Record<string, unknown>;

/** Segments by key: a reference with what has to be noted of it, or why it cannot be said. */
type Segments = Map<string, { rule: Rule; notes: string[] } | Unsupported>;

/**
 * Flags and segments of Flipt, as features.yaml has them, or a list of such documents, of which those of one namespace
 * count. Throws `WrongFile`.
 */
export function fromFlipt(file: unknown, choice: Choice): Draft {
  const documents = (Array.isArray(file) ? (file as unknown[]) : [file]).map((document, at) => {
    if (!isObject(document) || !Array.isArray(document["flags"]))
      throw new WrongFile(
        'a file of Flipt has a list of flags: {"namespace":"default","flags":[…],"segments":[…]}',
      );
    const { namespace, flags, segments } = document;
    return {
      namespace: String(isObject(namespace) ? namespace["key"] : (namespace ?? "default")),
      path: Array.isArray(file) ? `/${at}` : "",
      flags: (flags as unknown[]).filter(isObject),
      segments: Array.isArray(segments) ? segments.filter(isObject) : [],
    };
  });
  const names = [...new Set(documents.map(({ namespace }) => namespace))];
  if (names.length <= 1) requireNone(choice, names[0]);
  const chosen = names.length === 1 ? names[0] : chosenEnvironment(choice, names);
  const own = documents.filter(({ namespace }) => namespace === chosen);
  const draft = new Draft();
  const segments = segmentsOf(
    draft,
    own.flatMap((document) => document.segments),
  );
  for (const document of own)
    for (const [at, flag] of document.flags.entries()) {
      const key = String(flag["key"]);
      const path = `${document.path}/flags/${at}`;
      if (flag["type"] === "BOOLEAN_FLAG_TYPE")
        draft.add(key, path, (note) => booleanFlag(segments, flag, key, note), detailsOf(flag));
      else addVariants(draft, segments, flag, key, path);
    }
  return draft;
}

function detailsOf({ description, metadata }: Json) {
  return { description, metadata };
}

function segmentsOf(draft: Draft, list: readonly Json[]): Segments {
  const segments: Segments = new Map();
  const names = new Set<string>();
  for (const [at, segment] of list.entries()) {
    const key = String(segment["key"]);
    try {
      const notes: string[] = [];
      const rules = listOf(segment["constraints"], "constraints").map((each) =>
        constraintRule(objectOf(each, "a constraint"), (message) => void notes.push(message)),
      );
      const isAny = segment["match_type"] === "ANY_MATCH_TYPE" && rules.length > 0;
      const rule = isAny ? or(...rules) : and(...rules);
      const slug = segmentName(key);
      const name = slug === "" || names.has(slug) ? `segment-${at}` : slug;
      names.add(name);
      if (typeof rule !== "boolean") draft.addSegment(name, rule);
      segments.set(key, { rule: typeof rule === "boolean" ? rule : { $ref: name }, notes });
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error;
      segments.set(key, new Unsupported(`the segment ${key}: ${error.message}`));
    }
  }
  return segments;
}

/** The segments of a rule or a rollout, in any of the ways in which they are written. */
function segmentRule(segments: Segments, rule: Json, note: Noting): Rule {
  const own = isObject(rule["segment"]) ? rule["segment"] : rule;
  const keys = [
    own["segment"],
    own["key"],
    ...listOf(own["keys"], "keys"),
    ...listOf(own["segments"], "segments"),
  ]
    .filter((key) => typeof key === "string")
    .map(String);
  if (keys.length === 0) throw new Unsupported("a rule names no segment");
  const rules = keys.map((key): Rule => {
    const segment = segments.get(key);
    if (segment === undefined) throw new Unsupported(`the segment ${key} is not in the file`);
    if (segment instanceof Unsupported) throw segment;
    for (const message of segment.notes) note("", message);
    return segment.rule;
  });
  return String(own["operator"] ?? own["segment_operator"]).startsWith("AND") ? and(...rules) : or(...rules);
}

const KEY = attribute("targetingKey");

/** A flag that is on or off: its rollouts count whether it is enabled or not, which is what everyone else gets. */
function booleanFlag(segments: Segments, flag: Json, key: string, note: Noting): FlagdFlag {
  const chain = listOf(flag["rollouts"], "rollouts").map((each, at) => {
    const rollout = objectOf(each, "a rollout");
    const own: Noting = (path, message) => note(`/rollouts/${at}${path}`, message);
    const { threshold } = rollout;
    if (!isObject(threshold)) {
      const value = (isObject(rollout["segment"]) ? rollout["segment"] : rollout)["value"];
      return [segmentRule(segments, rollout, own), value === true ? "on" : "off"] as const;
    }
    const percent = Number(threshold["percentage"]);
    if (!Number.isFinite(percent)) throw new Unsupported("a percentage is no number");
    if (percent > 0)
      own("/threshold", `${percent} % of readers by targetingKey: the share is kept, who is in it differs`);
    const share = percent >= 100 ? true : isInShare({ by: KEY, salt: key, flag: key }, percent);
    return [share, threshold["value"] === true ? "on" : "off"] as const;
  });
  return booleanOf(chained(chain, null), flag["enabled"] === true);
}

/** A flag with variants, whose values are their keys, and one beside it with the attachments. */
function addVariants(draft: Draft, segments: Segments, flag: Json, key: string, path: string): void {
  const variants = Array.isArray(flag["variants"]) ? flag["variants"].filter(isObject) : [];
  const attachments = variants.map(({ attachment }) => parsed(attachment));
  const hasAll = attachments.length > 0 && attachments.every(isObject);
  const keyOf = (variant: Json) => String(variant["key"]);
  draft.add(
    key,
    path,
    (note) => {
      if (!hasAll && attachments.some((each) => each !== undefined))
        note("/variants", "attachments are imported only where each variant has an object: these are not");
      return variantFlag(
        segments,
        flag,
        key,
        Object.fromEntries(variants.map((each) => [keyOf(each), keyOf(each)])),
        note,
      );
    },
    detailsOf(flag),
  );
  if (!hasAll) return;
  const values = Object.fromEntries(variants.map((each, at) => [keyOf(each), attachments[at]]));
  draft.add(`${key}.attachment`, path, (note) =>
    variantFlag(segments, flag, key, values, note, `${key}.attachment`),
  );
}

function parsed(attachment: unknown): unknown {
  if (attachment === null || attachment === "") return undefined;
  if (typeof attachment !== "string") return attachment;
  try {
    return JSON.parse(attachment);
  } catch {
    return attachment;
  }
}

function variantFlag(
  segments: Segments,
  flag: Json,
  key: string,
  variants: Json,
  note: Noting,
  into = key,
): FlagdFlag {
  if (Object.keys(variants).length === 0) throw new Unsupported("it has no variants");
  const chain = listOf(flag["rules"], "rules").map((each, at) => {
    const rule = objectOf(each, "a rule");
    const own: Noting = (path, message) => note(`/rules/${at}${path}`, message);
    return [segmentRule(segments, rule, own), distributed(rule, key, into, variants, own)] as const;
  });
  const fallback = listOf(flag["variants"], "variants").find(
    (each) => isObject(each) && each["default"] === true,
  );
  const isOn = flag["enabled"] === true;
  if (!isOn && fallback !== undefined)
    note("", "it is off: readers get the default of their code, not its default variant");
  const defaultVariant = isObject(fallback) ? String(fallback["key"]) : null;
  return flagOfRule(isOn ? "ENABLED" : "DISABLED", variants, chained(chain, null), defaultVariant);
}

/** The variant of a reader in the segment of a rule. */
function distributed(rule: Json, salt: string, flag: string, variants: Json, note: Noting): unknown {
  let given = 0;
  const shares = listOf(rule["distributions"], "distributions").map((each) => {
    const { variant, rollout } = objectOf(each, "a distribution");
    const name = String(variant);
    if (!Object.hasOwn(variants, name)) throw new Unsupported(`it has no variant ${name}`);
    if (typeof rollout !== "number" || rollout < 0) throw new Unsupported("a share is no number");
    // A share beyond 100 % has no reader.
    const weight = Math.min(Math.round(rollout * 100), 10_000 - given);
    given += weight;
    return [name, weight] as const;
  });
  const total = shares.reduce((sum, [, weight]) => sum + weight, 0);
  if (total === 0) throw new Unsupported("a rule has no variant");
  const [first, ...others] = shares.filter(([, weight]) => weight > 0);
  if (others.length === 0 && total >= 10_000) return first![0];
  note("/distributions", "shares by targetingKey: they are kept, who is in which differs");
  const result = fractional({ by: KEY, salt, flag }, shares);
  return total >= 10_000
    ? result
    : { if: [isInShare({ by: KEY, salt: `${salt} all`, flag }, total / 100), result, null] };
}
