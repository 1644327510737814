import { isoTime } from "../../base/clock.ts";
import { COLUMNS } from "./columns.ts";
import { INTAKE } from "./intake.ts";
import { KEPT } from "./kept.ts";
import { MAIL } from "./mail.ts";
import type { Setting } from "./setting.ts";

/** Settings that are stored in one column as JSON, where they differ from the default. */
const STORED = { ...INTAKE, ...MAIL, ...KEPT };

const TABLE = { ...COLUMNS, ...STORED };

export type SettingName = keyof typeof TABLE;

/** Every setting of a form, in the order of the admin API. */
export const SETTINGS = TABLE as Record<SettingName, Setting<unknown>>;

type Values<N extends SettingName> = { [Name in N]: (typeof TABLE)[Name]["default"] };

/** The settings that have a column of their own. */
export type ColumnSettings = Values<keyof typeof COLUMNS>;

/** The settings of a form that are stored in one column. */
export type FormSettings = Values<keyof typeof STORED>;

/** Settings that null does not reset. */
const REQUIRED = ["name", "enabled", "uploads", "learn", "allowedOrigins", "blockedSenders"] as const;

type RequiredName = (typeof REQUIRED)[number];

export function isRequired(name: SettingName): boolean {
  return REQUIRED.some((each) => each === name);
}

/** A change of settings: absent settings stay as they are, null resets one to its default. */
export type SettingsPatch = {
  [N in RequiredName]?: Values<N>[N] | undefined;
} & {
  [N in Exclude<SettingName, RequiredName>]?: Values<N>[N] | null | undefined;
};

export const NAMES = Object.keys(SETTINGS) as SettingName[];

export function isStored(name: string): name is keyof FormSettings {
  return Object.hasOwn(STORED, name);
}

/** The names of the settings that have an option, or a field in the dashboard, in their order there. */
export function inOrder(place: "option" | "field"): SettingName[] {
  const names = NAMES.filter((name) => SETTINGS[name][place]);
  const placeOf = (name: SettingName) => SETTINGS[name].after?.[place];
  const withNext = (name: SettingName): SettingName[] => [
    name,
    ...names.filter((each) => placeOf(each) === name).flatMap(withNext),
  ];
  return names.filter((name) => !placeOf(name)).flatMap(withNext);
}

const STORED_NAMES = Object.keys(STORED) as (keyof FormSettings)[];

/** The settings of a form that sets none: every submission is accepted, and only a filled honeypot is spam. */
export const DEFAULT_SETTINGS = Object.fromEntries(
  STORED_NAMES.map((name) => [name, SETTINGS[name].default]),
) as Readonly<FormSettings>;

/** The stored settings that a patch gives: the default for null, times in UTC. */
export function givenSettings(patch: SettingsPatch): Partial<FormSettings> {
  const given = STORED_NAMES.flatMap((name) => {
    const { kind, hasNull, default: unset } = SETTINGS[name];
    const value = patch[name];
    if (value === undefined) return [];
    if (kind.is === "time" && typeof value === "string") return [[name, isoTime(Date.parse(value))]];
    return [[name, value ?? (hasNull ? null : unset)]];
  });
  return Object.fromEntries(given) as Partial<FormSettings>;
}

/** The settings that differ from the default, as they are stored. */
export function storedSettings(settings: FormSettings): Partial<FormSettings> {
  const isSet = (name: keyof FormSettings) =>
    JSON.stringify(settings[name]) !== JSON.stringify(DEFAULT_SETTINGS[name]);
  return Object.fromEntries(STORED_NAMES.filter(isSet).map((name) => [name, settings[name]]));
}
