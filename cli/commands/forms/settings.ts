import type { Command, Option } from "commander";
import type { FormPatch } from "../../../src/forms/form.ts";
import type { Kind, Setting } from "../../../src/forms/settings/setting.ts";
import { SETTINGS, type SettingName, inOrder } from "../../../src/forms/settings/settings.ts";
import type { Input } from "../../session/input.ts";
import { optionFor } from "../../session/near-misses.ts";
import { jsonObject, sourceOf } from "../../session/sources.ts";
import { usage } from "../../session/usage.ts";
import {
  countValue,
  durationValue,
  isUnset,
  originsValue,
  rateValue,
  sizeValue,
  switchValue,
  timeValue,
} from "../../session/values.ts";

/** The options that `create` and `set` share. */
export function withSettings(command: Command): Command {
  for (const name of inOrder("option")) command.addOption(optionOf(name));
  return command;
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
  return uploads === undefined ? patch : { ...patch, uploads: onOff(uploads) };
}

export function onOff(state: string): boolean {
  if (state !== "on" && state !== "off") throw usage(`uploads are on or off, not ${state}`);
  return state === "on";
}

function optionOf(name: SettingName): Option {
  const [flags, help] = SETTINGS[name].option!;
  return optionFor(name, `--${flags}`, help);
}

const NEVER = { none: null, off: null };
const DEFAULT = { default: null };

/** Words that stand for a value, by the kind of a setting that has none of its own. */
const WORDS: Partial<Record<Kind["is"], Record<string, unknown>>> = {
  url: { none: null, ...DEFAULT },
  text: { ...NEVER, ...DEFAULT },
  area: { ...NEVER, ...DEFAULT },
  field: { ...NEVER, ...DEFAULT },
  choice: { ...NEVER, ...DEFAULT },
  bytes: DEFAULT,
  count: NEVER,
  seconds: NEVER,
  time: NEVER,
  json: NEVER,
  list: { none: [], off: [] },
};

const SCHEMA = '{"properties":{"email":{"type":"string","format":"email"}}}';

async function valueOf(
  given: string | string[],
  option: string,
  { kind, words = WORDS[kind.is] ?? {}, isSource }: Setting<unknown>,
  input: Input,
): Promise<unknown> {
  const texts = [given].flat();
  const text = texts[0]!;
  if (texts.length === 1 && Object.hasOwn(words, text)) return words[text];
  switch (kind.is) {
    case "switch":
      return switchValue(text, option);
    case "count":
      // The server has words of its own for what is too few.
      return countValue(text, option, kind.errors ? 0 : kind.least);
    case "bytes":
      return sizeValue(text, option);
    case "seconds":
      return durationValue(text, option);
    case "rate":
      return rateValue(text, option);
    case "time":
      return timeValue(text, option, Date.now(), "none");
    case "json":
      return jsonObject(text, option, SCHEMA, input);
    case "choice":
      if (kind.isOpen || kind.among.includes(text)) return text;
      throw usage(`${option} is ${kind.among.slice(0, -1).join(", ")} or ${kind.among.at(-1)}, not ${text}`);
    case "list":
      return texts;
    case "origins":
      return originsValue(texts);
    case "senders":
      return texts.filter((each) => !isUnset(each));
    case "name":
    case "url":
    case "text":
    case "area":
    case "field":
      return isSource ? sourceOf(text, option, input) : text;
    default:
      return kind satisfies never;
  }
}
