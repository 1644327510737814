import type * as z from "zod/mini";
import { isoTime } from "../base/clock.ts";
import type { formSettingsPatchSchema, formSettingsSchema } from "./settings-schema.ts";

/** The settings of a form that are stored in one column. */
export type FormSettings = z.infer<typeof formSettingsSchema>;

type FormSettingsPatch = z.infer<typeof formSettingsPatchSchema>;

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
};

type Name = keyof FormSettings;

const NAMES = Object.keys(DEFAULT_SETTINGS) as Name[];

/** The settings that a patch gives: the default for null, times in UTC. */
export function givenSettings(patch: FormSettingsPatch): Partial<FormSettings> {
  const given = NAMES.filter((name) => patch[name] !== undefined);
  const settings = Object.fromEntries(given.map((name) => [name, patch[name] ?? DEFAULT_SETTINGS[name]]));
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
