import type { Form } from "../../../src/forms/form.ts";
import { DEFAULT_SETTINGS } from "../../../src/forms/settings.ts";

/** Items of a list that are shown to a person. */
const MAX_SHOWN = 10;

/** The settings of intake that differ from the default, named and in words. */
export function intakeDetails(form: Form): [name: string, value: string][] {
  // A server of an earlier version does not send them.
  const settings = { ...DEFAULT_SETTINGS, ...form };
  const { maxSubmissions, spam, spamLinks, spamDisposable, duplicates, challenge, schema } = settings;
  const all: [name: string, value: string | null | false][] = [
    ["file types", listed(settings.allowedTypes)],
    ["opens", settings.opensAt],
    ["closes", settings.closesAt],
    ["submissions", maxSubmissions !== null && `at most ${maxSubmissions}`],
    ["spam", spam === "reject" && "refused"],
    ["honeypots", listed(settings.honeypots)],
    ["spam words", listed(settings.spamWords)],
    ["spam addresses", listed(settings.spamEmails)],
    ["spam links", spamLinks !== null && `more than ${spamLinks}`],
    ["disposable mail", spamDisposable && "spam"],
    ["duplicates", duplicates !== null && `spam within ${duplicates} s`],
    ["challenge", challenge && "required"],
    ["schema", schema && (listed(propertiesOf(schema)) ?? "without properties")],
  ];
  return all.flatMap(([name, value]): [string, string][] =>
    typeof value === "string" ? [[name, value]] : [],
  );
}

/** The first items of a list; null for an empty one. */
function listed(items: string[]): string | null {
  if (items.length === 0) return null;
  const shown = items.slice(0, MAX_SHOWN).join(", ");
  return items.length > MAX_SHOWN ? `${shown} and ${items.length - MAX_SHOWN} more` : shown;
}

function propertiesOf({ properties }: Record<string, unknown>): string[] {
  return typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
}
