import type { Flag } from "../../../src/flags/flag.ts";
import { type FlagDetail, rulesSummary } from "./rules.ts";

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
