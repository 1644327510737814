import { FIELDS, OPTIONAL_NAMES } from "../../../src/flags/flag-fields.ts";
import type { RampView } from "../../../src/flags/ramps/ramp-words.ts";
import { requirementsInWords } from "../../../src/flags/requires/requirement.ts";
import { type Detail, details, indentedJson, printableLines } from "../../output/text.ts";
import { findFlag, readPlace } from "./place.ts";
import type { FlagDetail } from "./rules.ts";
import { payloadOf, stateOf } from "./state.ts";
import { verb } from "../../session/verb.ts";

export const addGetCommand = verb("get", {
  argument: ["[flag]", "slug of the flag"],
  description: "show a flag as it is set in an environment",
  options: ["project", "environment", "field"],
  parse: readPlace,
  run: async (session, place) => {
    const { value: flag, revision } = await findFlag(session, place);
    await session.print(flag, await describeFlag(flag, revision));
  },
});

async function describeFlag(flag: FlagDetail, revision: number): Promise<string> {
  const facts = details([
    ["flag", flag.slug],
    ["state", stateOf(flag)],
    ...(await variantLines(flag)),
    ["payload", payloadOf(flag)],
    ["expires", flag.expiredAt ?? "never"],
    ["description", flag.description],
    ...optionalLines(flag),
    ...(flag.neededBy === undefined ? [] : [["needed by", flag.neededBy.join(", ")] satisfies Detail]),
    // A server of an earlier version sends none.
    ...(flag.ramp === undefined ? [] : await rampLines(flag.ramp)),
    ["created", flag.createdAt],
    ["updated", flag.updatedAt],
    ["revision", String(revision)],
  ]);
  return facts + (await ownRule(flag)) + contentsOf(flag);
}

/** A rule that has no words. */
async function ownRule(flag: FlagDetail): Promise<string> {
  if (flag.variants === undefined) return "";
  const { ruleClauses } = await loadRuleWords();
  return ruleClauses(flag) === null ? `\nrule\n${indentedJson(flag.targeting)}` : "";
}

/** The language of rules, which a plain flag does not need: loading it takes as long as reading the flag. */
function loadRuleWords() {
  return import("../../../src/flags/rules/rule-words.ts");
}

/** Markdown, indented, so that no line passes for one of ours. */
function contentsOf(flag: FlagDetail): string {
  return OPTIONAL_NAMES.map((name) => {
    const { kind, label } = FIELDS[name];
    const value = flag[name];
    if (kind !== "markdown" || typeof value !== "string" || value === "") return "";
    const lines = printableLines(value.trimEnd()).replaceAll(/^/gm, " ".repeat(8));
    return `\n${label.toLowerCase()}\n${lines}\n`;
  }).join("");
}

async function rampLines(ramp: RampView): Promise<Detail[]> {
  const { rampInWords, rampStatusInWords } = await import("../../../src/flags/ramps/ramp-words.ts");
  return [
    ["ramp", `${rampStatusInWords(ramp)}: ${rampInWords(ramp)}`],
    ...ramp.guards.map((guard): Detail => ["", `guard: ${guard}`]),
  ];
}

function optionalLines(flag: FlagDetail): Detail[] {
  return OPTIONAL_NAMES.flatMap((name): Detail[] => {
    const { kind, label } = FIELDS[name];
    const value = flag[name];
    if (value === undefined || kind === "markdown") return [];
    if (name === "requires") return [[name, requirementsInWords(flag[name] ?? [])]];
    const texts = Array.isArray(value)
      ? value.map(String)
      : Object.entries(value).map((pair) => pair.join("="));
    const isText = typeof value === "string";
    const text = typeof value === "boolean" ? (value ? "on" : "off") : isText ? value : texts.join(", ");
    return [[label.toLowerCase(), text]];
  });
}

/** One line for each variant, then the default variant, the rule in words and the metadata. */
async function variantLines(flag: FlagDetail): Promise<Detail[]> {
  const { variants, defaultVariant, metadata } = flag;
  if (variants === undefined) return [];
  const { OWN_RULE, ruleClauses } = await loadRuleWords();
  const words = ruleClauses(flag) ?? [OWN_RULE];
  const values = Object.entries(variants).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  return [
    ...values.map((value, index): Detail => [index === 0 ? "variants" : "", value]),
    ["default", defaultVariant ?? "none"],
    ...words.map((line, index): Detail => [index === 0 ? "rule" : "", line]),
    ["metadata", metadata && JSON.stringify(metadata)],
  ];
}
