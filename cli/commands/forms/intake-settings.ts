import type { Command } from "commander";
import type { FormPatch } from "../../../src/forms/form.ts";
import type { Input } from "../../session/input.ts";
import { jsonObject } from "../../session/sources.ts";
import { usage } from "../../session/usage.ts";
import {
  countValue,
  durationValue,
  isUnset,
  listValue,
  switchValue,
  timeValue,
} from "../../session/values.ts";

/** The options of `create` and `set` that decide which submissions are accepted, and what is spam. */
export function withIntakeSettings(command: Command): Command {
  return command
    .option("--allow-type <type...>", "only files of these types, such as .pdf or image/*; any for all")
    .option("--opens-at <time>", "submissions are accepted from this time on, in ISO 8601 or as 7d; or none")
    .option("--closes-at <time>", "submissions are accepted before this time, in ISO 8601 or as 7d; or none")
    .option("--max-submissions <n>", "submissions that the form holds, without spam; none for no limit")
    .option("--spam <keep|reject>", "keep spam in a folder of its own, or refuse it; default for keep")
    .option("--honeypot <name...>", "fields that people leave empty, besides the built-in ones; or none")
    .option("--spam-word <word...>", "words that make a submission spam; * is a wildcard; or none")
    .option("--spam-email <address...>", "addresses that make a submission spam; * is a wildcard; or none")
    .option("--spam-links <n>", "a submission with more links is spam; none for any number")
    .option("--spam-disposable <on|off>", "addresses of disposable mail services are spam")
    .option("--duplicates <time>", "a sender who repeats a submission within this time sends spam; or off")
    .option("--challenge <on|off>", "a submission without a solved challenge is spam")
    .option("--schema <json>", "what submissions have to match: JSON Schema, @FILE, - or none");
}

type IntakeOptions = {
  allowType?: string[];
  opensAt?: string;
  closesAt?: string;
  maxSubmissions?: string;
  spam?: string;
  honeypot?: string[];
  spamWord?: string[];
  spamEmail?: string[];
  spamLinks?: string;
  spamDisposable?: string;
  duplicates?: string;
  challenge?: string;
  schema?: string;
};

/** The settings of `withIntakeSettings` that were given, as the admin API takes them. Throws `invalid`. */
export async function intakeSettingsOf(input: Input): Promise<FormPatch> {
  const given = input.options as IntakeOptions;
  const patch: FormPatch = {};
  if (given.allowType !== undefined) patch.allowedTypes = listValue(given.allowType, "any");
  if (given.opensAt !== undefined) patch.opensAt = timeOrNone(given.opensAt, "--opens-at");
  if (given.closesAt !== undefined) patch.closesAt = timeOrNone(given.closesAt, "--closes-at");
  if (given.maxSubmissions !== undefined)
    patch.maxSubmissions = countOrNone(given.maxSubmissions, "--max-submissions", 1);
  if (given.spam !== undefined) patch.spam = spamValue(given.spam);
  if (given.honeypot !== undefined) patch.honeypots = listValue(given.honeypot);
  if (given.spamWord !== undefined) patch.spamWords = listValue(given.spamWord);
  if (given.spamEmail !== undefined) patch.spamEmails = listValue(given.spamEmail);
  if (given.spamLinks !== undefined) patch.spamLinks = countOrNone(given.spamLinks, "--spam-links");
  if (given.spamDisposable !== undefined)
    patch.spamDisposable = switchValue(given.spamDisposable, "--spam-disposable");
  if (given.duplicates !== undefined)
    patch.duplicates = isUnset(given.duplicates) ? null : durationValue(given.duplicates, "--duplicates");
  if (given.challenge !== undefined) patch.challenge = switchValue(given.challenge, "--challenge");
  if (given.schema !== undefined) {
    const example = '{"properties":{"email":{"type":"string","format":"email"}}}';
    const read = () => jsonObject(given.schema!, "--schema", example, input);
    patch.schema = isUnset(given.schema) ? null : ((await read()) as Record<string, unknown>);
  }
  return patch;
}

function timeOrNone(text: string, option: string): string | null {
  return isUnset(text) ? null : timeValue(text, option, Date.now(), "none");
}

function countOrNone(text: string, option: string, least = 0): number | null {
  return isUnset(text) ? null : countValue(text, option, least);
}

function spamValue(text: string): "keep" | "reject" | null {
  if (text === "default") return null;
  if (text === "keep" || text === "reject") return text;
  throw usage(`--spam is keep or reject, not ${text}`);
}
