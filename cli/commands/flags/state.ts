import { clock } from "../../../src/base/clock.ts";
import type { Flag } from "../../../src/flags/flag.ts";
import { requirementsInWords } from "../../../src/flags/requires/requirement.ts";
import type { FlagDetail } from "./rules.ts";

/** `on`, `off`, or `off, expired`; with `, archived`, which readers do not get. */
export function stateOf(flag: Flag & { archived?: boolean | undefined }): string {
  const state = flag.enabled ? "on" : hasExpired(flag) ? "off, expired" : "off";
  return flag.archived ? `${state}, archived` : state;
}

/** The state with the rule in words, what it needs and the preview, if any: `on (25 % of users on; everyone else off), needs new-cart to be on, preview`. */
export async function summaryOf(flag: FlagDetail): Promise<string> {
  const rule = flag.variants === undefined ? "" : await ruleOf(flag);
  const when = flag.enabled ? "" : "when on: ";
  return `${stateOf(flag)}${rule === "" ? "" : ` (${when}${rule})`}${needsOf(flag)}${flag.isPreview ? ", preview" : ""}`;
}

/** The needs of a flag, behind its state: `, needs new-cart to be on`; empty for nothing. */
export function needsOf({ requires = [] }: FlagDetail): string {
  return requires.length === 0 ? "" : `, ${requirementsInWords(requires)}`;
}

/** The language of rules is loaded for flags that have one. */
async function ruleOf(flag: FlagDetail): Promise<string> {
  return (await import("../../../src/flags/rules/rule-words.ts")).ruleSentence(flag);
}

export function hasExpired({ expiredAt }: Flag): boolean {
  return expiredAt !== null && Date.parse(expiredAt) <= clock.now();
}

export function payloadOf(flag: Flag): string {
  return JSON.stringify(flag.payload);
}
