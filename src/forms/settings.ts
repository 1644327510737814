import type * as z from "zod/mini";
import { MiB } from "../base/bytes.ts";
import { isoTime } from "../base/clock.ts";
import type { formSettingsPatchSchema, formSettingsSchema } from "./settings-schema.ts";

/** The settings of a form that are stored in one column. */
export type FormSettings = z.infer<typeof formSettingsSchema>;

type FormSettingsPatch = z.infer<typeof formSettingsPatchSchema>;

/** Seconds. */
const DAY = 86_400;

/** The settings of a form that sets none: every submission is accepted, and only a filled honeypot is spam. */
export const DEFAULT_SETTINGS: Readonly<FormSettings> = {
  allowedTypes: [],
  opensAt: null,
  closesAt: null,
  maxSubmissions: null,
  spam: "keep",
  honeypots: [],
  spamWords: [],
  spamEmails: [],
  spamLinks: null,
  spamDisposable: false,
  duplicates: null,
  challenge: false,
  schema: null,
  notify: [],
  notifySubject: null,
  emailField: null,
  attach: 10 * MiB,
  autoreply: false,
  autoreplySubject: null,
  autoreplyText: null,
  retention: null,
  spamRetention: 30 * DAY,
  metadata: "none",
  successMessage: null,
  language: null,
  page: false,
};

type Name = keyof FormSettings;

const NAMES = Object.keys(DEFAULT_SETTINGS) as Name[];

/** The settings that a patch gives: the default for null, times in UTC. `spamRetention` has null as a value: never. */
export function givenSettings(patch: FormSettingsPatch): Partial<FormSettings> {
  const given = NAMES.filter((name) => patch[name] !== undefined);
  const valueOf = (name: Name) =>
    name === "spamRetention" ? patch[name] : (patch[name] ?? DEFAULT_SETTINGS[name]);
  const settings = Object.fromEntries(given.map((name) => [name, valueOf(name)]));
  for (const name of ["opensAt", "closesAt"] as const) {
    const time = patch[name];
    if (typeof time === "string") settings[name] = isoTime(Date.parse(time));
  }
  return settings;
}

/** The settings that differ from the default, as they are stored. */
export function storedSettings(settings: FormSettings): Partial<FormSettings> {
  const isSet = (name: Name) => JSON.stringify(settings[name]) !== JSON.stringify(DEFAULT_SETTINGS[name]);
  return Object.fromEntries(NAMES.filter(isSet).map((name) => [name, settings[name]]));
}
