import type { Option } from "commander";
import type { FormPatch } from "../../../src/forms/form.ts";
import type { Kind, Setting } from "../../../src/forms/settings/setting.ts";
import { SETTINGS, type SettingName, inOrder } from "../../../src/forms/settings/settings.ts";
import { kindValue } from "../../session/card.ts";
import { listOption } from "../../session/command-line.ts";
import type { Input } from "../../session/input.ts";
import { optionFor } from "../../session/guesses/near-misses.ts";
import { usage } from "../../session/usage.ts";
import { isUnset, switchValue } from "../../session/values.ts";
import type { Taken } from "../../session/verb.ts";

/** The options that `create` and `set` share. */
export function settingOptions(): readonly Taken[] {
  return [...inOrder("option").map(optionOf), ["--uploads <on|off>", "accept files (default: off)"]];
}

/** The settings that were given, as the admin API takes them. Throws `invalid`. */
export async function settingsOf(input: Input): Promise<FormPatch> {
  const patch: Record<string, unknown> = {};
  for (const name of inOrder("option")) {
    const option = optionOf(name);
    const given = input.options[option.attributeName()] as string | string[] | undefined;
    if (given !== undefined) patch[name] = await valueOf(given, option.long!, SETTINGS[name], input);
  }
  const uploads = input.options["uploads"] as string | undefined;
  return uploads === undefined ? patch : { ...patch, uploads: switchValue(uploads, "--uploads") };
}

function optionOf(name: SettingName): Option {
  const { option, kind } = SETTINGS[name];
  const [flags, help] = option!;
  if (!["list", "origins", "senders"].includes(kind.is)) return optionFor(name, `--${flags}`, help);
  // Addresses and types hold no spaces; spam words and names of fields may.
  const items = kind.is === "list" && ["spamWord", "honeypot"].includes(kind.item) ? "phrases" : "words";
  return Object.assign(listOption(`--${flags}`, help, items), { field: name });
}

const NEVER = { none: null, off: null };
const FOREVER = { never: null, forever: null };
const DEFAULT = { default: null };

/** Words that stand for a value, by the kind of a setting that has none of its own. */
const WORDS: Partial<Record<Kind["is"], Record<string, unknown>>> = {
  url: { ...NEVER, ...DEFAULT },
  text: { ...NEVER, ...DEFAULT },
  area: { ...NEVER, ...DEFAULT },
  field: { ...NEVER, ...DEFAULT },
  flag: { ...NEVER, ...DEFAULT },
  choice: { ...NEVER, ...DEFAULT },
  bytes: DEFAULT,
  count: NEVER,
  seconds: { ...NEVER, ...FOREVER },
  time: { ...NEVER, ...FOREVER },
  json: NEVER,
  list: { none: [], off: [] },
};

/** Throws `invalid` for a word that stands for a whole list, beside items of a list. */
function requireItems(texts: readonly string[], option: string, words: readonly string[]): void {
  const word = texts.length < 2 ? undefined : texts.find((each) => isUnset(each) || words.includes(each));
  if (word !== undefined)
    throw usage(
      `${option}: ${word} stands alone, not in a list`,
      `write ${option} ${word}, or the items alone`,
    );
}

async function valueOf(
  given: string | string[],
  option: string,
  { kind, words = WORDS[kind.is] ?? {}, isSource }: Setting<unknown>,
  input: Input,
): Promise<unknown> {
  const texts = [given].flat();
  const text = texts[0]!;

  if (texts.length === 1 && Object.hasOwn(words, text)) return words[text];
  if (kind.is === "list" && kind.item === "honeypot" && /^(?:on|true|yes|1)$/i.test(text))
    throw usage(
      `${option} takes the name of a field, not ${text}`,
      `name a field that people leave empty: ${option} website; the built-in ones are always on`,
    );
  // In a list of spam words, off and none are words.
  if (!(kind.is === "list" && kind.item === "spamWord"))
    requireItems(texts, option, [...Object.keys(words), ...(kind.is === "origins" ? ["any", "*"] : [])]);
  return kindValue(texts, option, { kind, isSource }, input);
}
