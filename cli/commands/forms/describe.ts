import { clock } from "../../../src/base/clock.ts";
import { formatBytes } from "../../../src/base/bytes.ts";
import { durationInWords } from "../../../src/base/units.ts";
import type { Form, FormPatch } from "../../../src/forms/form.ts";
import { stateOf } from "../../../src/forms/intake/opening.ts";
import type { Kind } from "../../../src/forms/settings/setting.ts";
import { DEFAULT_SETTINGS, NAMES, SETTINGS, type SettingName } from "../../../src/forms/settings/settings.ts";
import { learnedInWords } from "../../../src/forms/spam/learning-store.ts";
import { checksNothing } from "../../../src/forms/validation/keywords.ts";
import { formUrl, pageUrl } from "../../../src/http/forms/links.ts";
import { details, shorten, shown } from "../../output/text.ts";
import type { Config } from "../../session/config.ts";
import { servedAt } from "../../session/storage.ts";

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

/**
 * Forms for a person, in place of a script that has the address of its server: their URLs begin with that of the server that
 * runs on the data directory, if one does.
 */
export async function allServed<T extends { url: string }>(
  config: Config,
  forms: readonly T[],
): Promise<T[]> {
  const origin = forms.some(({ url }) => url.startsWith("/")) ? await servedAt(config) : null;
  return forms.map((form) => (form.url.startsWith("/") ? { ...form, url: (origin ?? "") + form.url } : form));
}

/** One form, as {@link allServed}. */
export async function served<T extends { url: string }>(config: Config, form: T): Promise<T> {
  return (await allServed(config, [form]))[0]!;
}

/** A form with its key and its settings, for a person. */
export function describeForm(form: WithUrl<Form>): string {
  return details([
    ["project", form.project || null],
    ["form", form.slug],
    ["name", form.name],
    ["key", form.key],
    ["address", form.url],
    ["page", form.page ? pageUrl(form.url) : null],
    ...COLUMN_NAMES.flatMap((name) => (name === "name" ? [] : [COLUMN_LINES[name](form)])),
    ...settingDetails(form),
    ["filter", form.learned ? learnedInWords(form.learned) : null],
    ["created", form.createdAt],
    ["updated", form.updatedAt],
  ]);
}

/** The secrets of external checks that are new, for a person. */
export function describeSecrets(form: object): string {
  const { checkSecrets = [] } = form as { checkSecrets?: { check: string; secret: string }[] };
  return details(checkSecrets.map(({ check, secret }) => [`secret of ${check}`, secret]));
}

/** Says that a schema checks nothing, if a patch sets one that does not. */
export function noteEmptySchema(note: (text: string) => void, slug: string, { schema }: FormPatch): void {
  if (schema && checksNothing(schema))
    note(
      shown`the schema of ${slug} checks nothing: fields belong under properties, as in --schema '{"properties":{"email":{"type":"string"}}}'\n`,
    );
}

type Line = [label: string, text: string];

/** The lines of the settings that have a column of their own. */
const COLUMN_LINES = {
  name: ({ name }) => ["name", name],
  // A server of an earlier version sends no times.
  enabled: (form) => ["state", stateOf({ ...DEFAULT_SETTINGS, ...form }, clock.now())],
  uploads: (form) => ["files", uploadsOf(form)],
  successUrl: ({ successUrl }) => ["success URL", successUrl ?? "built-in page"],
  errorUrl: ({ errorUrl }) => ["error URL", errorUrl ?? "built-in page"],
  allowedOrigins: ({ allowedOrigins }) => ["origins", allowedOrigins.join(", ") || "any"],
  rateLimit: ({ rateLimit }) => [
    "rate limit",
    rateLimit ? `${rateLimit.count} in ${rateLimit.seconds} s from one sender` : "none",
  ],
  blockedSenders: ({ blockedSenders }) => ["blocked senders", blockedSenders.join(", ") || "none"],
} satisfies Record<string, (form: Form) => Line>;

const COLUMN_NAMES = Object.keys(COLUMN_LINES) as (keyof typeof COLUMN_LINES)[];

/** The settings of a patch as they are after it, for a person. */
export function describeSettings(form: Form, patch: FormPatch): string {
  const names = NAMES.filter((name) => Object.hasOwn(patch, name));
  const opening =
    patch.opensAt === undefined && patch.closesAt === undefined ? [] : [lineOf("enabled", form)];
  return details([...names.map((name) => lineOf(name, form)), ...opening]);
}

function lineOf(name: SettingName, form: Form): Line {
  const column = (COLUMN_LINES as Partial<Record<SettingName, (form: Form) => Line>>)[name];
  if (column) return column(form);
  if (name === "maxFileSize") return ["largest file", formatBytes(form.maxFileSize)];
  const { line, kind, default: unset, option, empty = "none" } = SETTINGS[name];
  const value: unknown = { ...DEFAULT_SETTINGS, ...form }[name];
  const label = line?.[0] ?? option?.[0].replace(/ .*/, "").replaceAll("-", " ") ?? name;
  if (value === null || (Array.isArray(value) && value.length === 0)) return [label, empty];
  if (typeof value === "boolean") return [label, value ? "on" : "off"];
  const inWords = Bun.deepEquals(value, unset) ? undefined : line?.[1];
  return [label, inWords ? inWords(value!) : textOf(value, kind)];
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
  if (kind.is === "bytes") return formatBytes(value as number);
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
