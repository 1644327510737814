import { formatBytes } from "../../../src/base/bytes.ts";
import { durationInWords } from "../../../src/base/units.ts";
import type { Form } from "../../../src/forms/form.ts";
import { stateOf } from "../../../src/forms/intake/opening.ts";
import type { Kind } from "../../../src/forms/settings/setting.ts";
import { DEFAULT_SETTINGS, NAMES, SETTINGS } from "../../../src/forms/settings/settings.ts";
import { formUrl, pageUrl } from "../../../src/http/forms/links.ts";
import { details, shorten } from "../../output/text.ts";
import type { Config } from "../../session/config.ts";

type WithUrl<T> = T & { url: string };

/** A form with its URL, absolute if the address of the server is known. */
export function withUrl<T extends Form & { url?: string }>({ server }: Config, form: T): WithUrl<T> {
  const url = form.url ?? formUrl(null, "", form.key);
  if (server === null || URL.canParse(url)) return { ...form, url };
  const { origin, pathname } = new URL(server);
  // A proxy may remove a prefix that the server does not know.
  const prefix = pathname.replace(/\/+$/, "");
  return { ...form, url: origin + (url.startsWith(`${prefix}/`) ? url : prefix + url) };
}

/** A form with its key and its settings, for a person. */
export function describeForm(form: WithUrl<Form>): string {
  const { rateLimit } = form;
  return details([
    ["form", form.slug],
    ["name", form.name],
    ["key", form.key],
    ["address", form.url],
    // A server of an earlier version knows no pages.
    ...(form.page ? [["page", pageUrl(form.url)] as [string, string]] : []),
    // A server of an earlier version sends no times.
    ["state", stateOf({ ...DEFAULT_SETTINGS, ...form }, Date.now())],
    ["files", uploadsOf(form)],
    ["success URL", form.successUrl ?? "built-in page"],
    ["error URL", form.errorUrl ?? "built-in page"],
    ["origins", form.allowedOrigins.join(", ") || "any"],
    ["rate limit", rateLimit ? `${rateLimit.count} in ${rateLimit.seconds} s from one sender` : "none"],
    ["blocked senders", form.blockedSenders.join(", ") || "none"],
    ...settingDetails(form),
    ["created", form.createdAt],
    ["updated", form.updatedAt],
  ]);
}

/** The limits of uploads, or `off`. */
export function uploadsOf(form: Form): string {
  return form.uploads ? `at most ${form.maxFiles} of ${formatBytes(form.maxFileSize)}` : "off";
}

/** The settings that differ from the default, named and in words. */
function settingDetails(form: Form): [name: string, value: string][] {
  // A server of an earlier version does not send all of them.
  const settings = { ...DEFAULT_SETTINGS, ...form };
  return NAMES.flatMap((name): [string, string][] => {
    const { line, kind, default: unset } = SETTINGS[name];
    const value: unknown = settings[name];
    if (line === undefined || Bun.deepEquals(value, unset)) return [];
    const [label, inWords] = line;
    return [[label, inWords ? inWords(value!) : textOf(value, kind)]];
  });
}

function textOf(value: unknown, kind: Kind): string {
  if (Array.isArray(value)) return listed(value);
  if (kind.is === "seconds") return value === null ? "forever" : durationInWords(value as number);
  if (kind.is === "area") return shorten(value as string, 60);
  if (kind.is === "json") return listed(propertiesOf(value as object)) || "without properties";
  return String(value);
}

/** Items of a list that are shown to a person. */
const MAX_SHOWN = 10;

/** The first items of a list. */
function listed(items: string[]): string {
  const shown = items.slice(0, MAX_SHOWN).join(", ");
  return items.length > MAX_SHOWN ? `${shown} and ${items.length - MAX_SHOWN} more` : shown;
}

function propertiesOf({ properties }: { properties?: unknown }): string[] {
  return typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
}
