import { isObject } from "../../base/json.ts";
import { yieldToEventLoop } from "../../base/event-loop.ts";
import { AppError } from "../../base/errors.ts";
import { findSlugFault } from "../../base/slug.ts";
import { findFlagSlugFault, findPayloadFault, MAX_DESCRIPTION, PAYLOAD_SUFFIX } from "../limits.ts";
import { payloadText } from "../flag.ts";
import { type FlagRules, takesPayload } from "../rules/rules.ts";
import {
  type Fault,
  defineFlag,
  type FlagDefinition,
  type FlagdFlag,
  type ImportPlan,
  payloadOf,
} from "./definition.ts";
import { type Findings, inspectRules, inspectSegment } from "./check.ts";
import { missingSegments } from "./results.ts";
import { findMetadataFault, pointer } from "./shape.ts";
import { RULE_OF } from "../requires/inlined.ts";
import { unconditional, withoutCondition } from "../requires/unconditional.ts";
import { findNestingFaults } from "./nested-segments.ts";

type Json = Record<string, unknown>;

/** Most faults that an error lists. */
const SHOWN = 20;
/** Flags that are checked before other work of the process runs. */
const TURN = 20;

const PARTS = new Set(["$schema", "flags", "$evaluators", "metadata"]);
const FLAG_PARTS = new Set(["state", "description", "variants", "defaultVariant", "targeting", "metadata"]);

/**
 * Plans the changes that a flagd file makes in an environment with these segments. Throws `invalid` for a file that
 * cannot be imported, with a JSON pointer (RFC 6901) to each fault. `warnings` name what flagd accepts but cannot
 * evaluate.
 */
export async function planImport(
  document: Json,
  existing: ReadonlyMap<string, unknown>,
): Promise<{ plan: ImportPlan; warnings: string[] }> {
  const faults: Fault[] = [];
  const fault = (path: string, message: string) => void faults.push({ path, message });
  const warnings: string[] = [];
  const warn = (path: string, message: string) => void warnings.push(`${path}: ${message}`);
  const addFault = (path: string, inner: Fault | undefined) => {
    if (inner) fault(path + inner.path, inner.message);
  };
  const add = (path: string, found: Findings) => {
    addFault(path, found.fault);
    for (const each of found.warnings) warn(path + each.path, each.message);
  };
  const { flags, $evaluators = {}, metadata, $schema } = document;
  requireNoResource(document);
  for (const part of Object.keys(document)) if (!PARTS.has(part)) fault(pointer("", part), UNKNOWN);
  if ($schema !== undefined && typeof $schema !== "string") fault("/$schema", "must be a string");
  if (metadata !== undefined) addFault("", findMetadataFault(metadata));

  const rules = new Map<string, unknown>();
  if (!isObject($evaluators)) fault("/$evaluators", "must be an object of rules by name");
  else
    for (const [name, rule] of Object.entries($evaluators)) {
      // The rule of a needed flag in an export, which the flag itself has.
      if (name.startsWith(RULE_OF)) continue;
      const path = pointer("/$evaluators", name);
      const misnamed = findSlugFault("segment", name);
      if (misnamed !== undefined) fault(path, misnamed);
      const found = isObject(rule) ? inspectSegment(rule) : { fault: NO_OBJECT, warnings: [] };
      add(path, found);
      if (!found.fault) rules.set(name, rule);
    }

  const segments = new Map([...existing, ...rules]);
  for (const [name, message] of findNestingFaults(existing, segments))
    fault(pointer("/$evaluators", name), message);
  for (const [name, rule] of rules)
    for (const missing of missingSegments(rule, segments))
      warn(pointer("/$evaluators", name), `the segment "${missing}" does not exist`);
  const definitions = new Map<string, FlagDefinition>();
  if (!isObject(flags)) fault("/flags", "must be an object of flags by key");
  else {
    for (const [index, [key, flag]] of Object.entries(flags).entries()) {
      if (index % TURN === TURN - 1) await yieldToEventLoop();
      if (key.endsWith(PAYLOAD_SUFFIX)) continue;
      const path = pointer("/flags", key);
      const misnamed = findFlagSlugFault(key);
      if (misnamed !== undefined) fault(path, misnamed);
      const inner = findFlagFaults(flag);
      for (const each of inner) addFault(path, each);
      if (inner.length > 0) continue;
      const { flag: own, ...needs } = unconditional(flag as FlagdFlag);
      const found = inspectRules(rulesOf(own), segments);
      add(path, found);
      if (misnamed !== undefined || found.fault) continue;
      definitions.set(key, { ...defineFlag(key, own), ...needs });
    }
    takePayloads(flags, definitions, fault);
  }
  if (faults.length > 0) throw refusal(faults);
  const plan = {
    flags: [...definitions.values()],
    segments: [...rules].map(([name, rule]) => ({ name, rule: JSON.stringify(rule) })),
    metadata: metadata === undefined ? null : JSON.stringify(metadata),
  };
  return { plan, warnings };
}

/** Gives flags the payloads that the file has as flags of their own. */
function takePayloads(
  flags: Json,
  definitions: ReadonlyMap<string, FlagDefinition>,
  fault: (path: string, message: string) => void,
): void {
  for (const [key, flag] of Object.entries(flags)) {
    if (!key.endsWith(PAYLOAD_SUFFIX)) continue;
    const path = pointer("/flags", key);
    const slug = key.slice(0, -PAYLOAD_SUFFIX.length);
    const definition = definitions.get(slug);
    const own = isObject(flag) ? payloadOf(withoutCondition(flag as FlagdFlag)) : undefined;
    if (!Object.hasOwn(flags, slug) || (definition && !takesPayload(definition.rules)))
      fault(path, `only the payload of a flag that is true or false has such a name, which "${slug}" is not`);
    else if (!own) fault(path, "is not a payload as an export writes it");
    else {
      const excess = findPayloadFault(own.payload);
      if (excess !== undefined) fault(pointer(path, "variants"), excess);
      if (definition) definition.payload = payloadText(own.payload);
    }
  }
}

/** Throws `invalid` for a resource of Kubernetes, which has the file in it. */
function requireNoResource({ kind, spec }: Json): void {
  if (!isObject(spec) || (kind !== "FeatureFlag" && kind !== "FeatureFlagConfiguration")) return;
  const place = kind === "FeatureFlag" ? "spec.flagSpec" : "spec.featureFlagSpec";
  throw new AppError("invalid", `this is a ${kind} of Kubernetes, whose flags are in ${place}`, {
    hint: `write what is in ${place} to a file, and import that`,
  });
}

const NO_OBJECT: Fault = { path: "", message: "must be an object" };
const UNKNOWN = "is not known to flagd and would be lost: put what people should know into metadata";

function findFlagFaults(flag: unknown): Fault[] {
  if (!isObject(flag)) return [NO_OBJECT];
  const { state, description = "", variants, defaultVariant } = flag;
  const faults = Object.keys(flag)
    .filter((part) => !FLAG_PARTS.has(part))
    .map((part) => ({ path: pointer("", part), message: UNKNOWN }));
  if (state !== "ENABLED" && state !== "DISABLED")
    faults.push({ path: "/state", message: "must be ENABLED or DISABLED" });
  if (typeof description !== "string" || description.length > MAX_DESCRIPTION)
    faults.push({
      path: "/description",
      message: `must be a string of at most ${MAX_DESCRIPTION} characters`,
    });
  if (!isObject(variants)) return [...faults, { path: "/variants", message: "must be an object" }];
  if (typeof defaultVariant === "string" && defaultVariant && !Object.hasOwn(variants, defaultVariant))
    faults.push({ path: "/defaultVariant", message: `"${defaultVariant}" is not one of the variants` });
  return faults;
}

function rulesOf(flag: FlagdFlag): FlagRules {
  const { state: _, description: __, ...rules } = flag;
  return rules;
}

function refusal(faults: Fault[]): AppError {
  const lines = faults.slice(0, SHOWN).map(({ path, message }) => `${path}: ${message}`);
  const rest = faults.length > SHOWN ? [`and ${faults.length - SHOWN} more`] : [];
  const count = faults.length === 1 ? "there is a fault" : `there are ${faults.length} faults`;
  return new AppError("invalid", [`nothing is imported, ${count}:`, ...lines, ...rest].join("\n"), {
    hint: "https://flagd.dev/reference/flag-definitions/ shows what a definition looks like",
  });
}
