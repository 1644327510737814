import { isObject } from "../../base/json.ts";
import { type FlagdFlag, NEEDS } from "../flagd/definition.ts";
import { REQUIREMENT_LIMITS, findFlagSlugFault } from "../limits.ts";
import { type Requirement, requirementsText } from "./requirement.ts";

/** A flag of an export without the condition of what it needs, which is its own member; any other flag as it is. */
export function unconditional(flag: FlagdFlag): { flag: FlagdFlag; requires?: string } {
  const { [NEEDS]: named, ...others } = flag.metadata ?? {};
  const needs = typeof named === "string" ? parsed(named) : undefined;
  if (!areRequirements(needs)) return { flag };
  const { metadata: _, ...rest } = flag;
  const own = { ...rest, ...(Object.keys(others).length > 0 && { metadata: others }) };
  return { flag: withoutCondition(own), requires: requirementsText(needs) };
}

/** A flag, or its payload, without the condition that an export gives one that is on. */
export function withoutCondition(flag: FlagdFlag): FlagdFlag {
  const { targeting, defaultVariant: _, ...rest } = flag;
  const parts = targeting?.["if"];
  if (flag.state === "DISABLED" || !Array.isArray(parts) || parts.length !== 3 || parts[2] !== null)
    return flag;
  const served: unknown = parts[1];
  if (typeof served === "string") return { ...rest, defaultVariant: served };
  if (!isObject(served)) return rest;
  // A rule, asked whether it yields nothing, in which case the default is served.
  const [asked, usual, rule] = Array.isArray(served["if"]) ? (served["if"] as unknown[]) : [];
  if (isObject(rule) && Bun.deepEquals(asked, { "==": [rule, null] }) && typeof usual === "string")
    return { ...rest, defaultVariant: usual, targeting: rule };
  return { ...rest, targeting: served };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function areRequirements(value: unknown): value is Requirement[] {
  const { flags, variants: most } = REQUIREMENT_LIMITS;
  if (!Array.isArray(value) || value.length === 0 || value.length > flags) return false;
  const names = new Set(value.map((each) => (isObject(each) ? each["flag"] : undefined)));
  const isOne = (each: unknown) =>
    isObject(each) &&
    typeof each["flag"] === "string" &&
    findFlagSlugFault(each["flag"]) === undefined &&
    (each["variants"] === undefined || areVariants(each["variants"], most));
  return names.size === value.length && value.every(isOne);
}

function areVariants(value: unknown, most: number): boolean {
  const isName = (each: unknown) => typeof each === "string" && each !== "";
  return Array.isArray(value) && value.length > 0 && value.length <= most && value.every(isName);
}
