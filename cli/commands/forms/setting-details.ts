import { formatBytes } from "../../../src/base/bytes.ts";
import type { Form } from "../../../src/forms/form.ts";
import { DEFAULT_SETTINGS } from "../../../src/forms/settings.ts";
import { shorten } from "../../output/text.ts";

/** Items of a list that are shown to a person. */
const MAX_SHOWN = 10;

/** The settings that differ from the default, named and in words. */
export function settingDetails(form: Form): [name: string, value: string][] {
  // A server of an earlier version does not send them.
  const settings = { ...DEFAULT_SETTINGS, ...form };
  const { attach, retention, spamRetention } = settings;
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
    ["notifies", listed(settings.notify)],
    ["notify subject", settings.notifySubject],
    ["address field", settings.emailField],
    [
      "attaches",
      attach !== DEFAULT_SETTINGS.attach && (attach === 0 ? "nothing" : `up to ${formatBytes(attach)}`),
    ],
    ["autoreply", settings.autoreply && "on"],
    ["reply subject", settings.autoreplySubject],
    ["reply text", settings.autoreplyText && shorten(settings.autoreplyText, 60)],
    ["retention", retention !== null && spanOf(retention)],
    ["spam retention", spamRetention !== DEFAULT_SETTINGS.spamRetention && spanOf(spamRetention)],
    ["metadata", settings.metadata !== "none" && settings.metadata],
    ["success message", settings.successMessage && shorten(settings.successMessage, 60)],
    ["language", settings.language],
  ];
  return all.flatMap(([name, value]): [string, string][] =>
    typeof value === "string" ? [[name, value]] : [],
  );
}

/** Seconds as `90 days` or `12 hours`. */
function spanOf(seconds: number | null): string {
  if (seconds === null) return "forever";
  const [unit, name] = UNITS.find(([unit]) => seconds % unit === 0)!;
  const count = seconds / unit;
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}

const UNITS = [
  [86_400, "day"],
  [3600, "hour"],
  [60, "minute"],
  [1, "second"],
] as const;

/** The first items of a list; null for an empty one. */
function listed(items: string[]): string | null {
  if (items.length === 0) return null;
  const shown = items.slice(0, MAX_SHOWN).join(", ");
  return items.length > MAX_SHOWN ? `${shown} and ${items.length - MAX_SHOWN} more` : shown;
}

function propertiesOf({ properties }: Record<string, unknown>): string[] {
  return typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
}
