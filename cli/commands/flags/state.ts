import type { Flag } from "../../../src/flags/flag.ts";
import { SECTIONS } from "../../../src/flags/flag-fields.ts";
import { type FlagDetail, rulesSummary } from "./rules.ts";

const OWN = ["State", "payload", "expiry", "variants", "rules"];

/** Describes the values of a flag in each environment, and `more`. */
export function ownValues(...more: readonly string[]): string {
  const words = [...OWN, ...SECTIONS.map(([section]) => section.toLowerCase()), ...more];
  return `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** `on`, `off`, or `off, expired`. */
export function stateOf(flag: Flag): string {
  if (flag.enabled) return "on";
  return hasExpired(flag) ? "off, expired" : "off";
}

/** The state with the variants, the rule and the preview, if any: `on, 3 variants, rule, preview`. */
export function summaryOf(flag: FlagDetail): string {
  return [stateOf(flag), rulesSummary(flag), flag.isPreview ? "preview" : ""].filter(Boolean).join(", ");
}

export function hasExpired({ expiredAt }: Flag): boolean {
  return expiredAt !== null && Date.parse(expiredAt) <= Date.now();
}

export function payloadOf(flag: Flag): string {
  return JSON.stringify(flag.payload);
}
