import * as z from "zod/mini";
import { schemaOf, shownSchema, textSchema } from "../../base/kinds/kinds-schema.ts";
import { isHoneypotName } from "../intake/control-fields.ts";
import { isFlagName } from "../intake/open-when.ts";
import { isOriginPattern } from "../../base/origins.ts";
import { isTimeZone } from "../../access/user.ts";
import { plainAddress } from "../../delivery/address.ts";
import { ITEMS } from "./items.ts";
import type { Item, Kind, Setting } from "./setting.ts";
import {
  type ColumnSettings,
  type FormSettings,
  NAMES,
  SETTINGS,
  type SettingName,
  type SettingsPatch,
  isRequired,
} from "./settings.ts";

type Shown = ColumnSettings & FormSettings;

function patchSchema(name: string, kind: Kind): z.ZodMiniType {
  switch (kind.is) {
    case "switch":
      return z.boolean();
    case "url":
      return webAddress(kind.what);
    case "area":
      return textSchema(name, kind.most);
    case "field":
      return z
        .string()
        .check(
          z.refine(isHoneypotName, `${name} is the name of a field`),
          z.meta({ maxLength: ITEMS.honeypot.most }),
        );
    case "flag":
      return z
        .string()
        .check(z.refine(isFlagName, `${name} is a flag such as shop/production/contact-open, or null`));
    case "zone":
      return z
        .string()
        .check(
          z.maxLength(100),
          z.refine(isTimeZone, `${name} is a time zone such as Europe/Berlin, or null`),
        );
    case "list":
      return z
        .array(itemOf(kind.item))
        .check(z.maxLength(kind.most, `a form has at most ${kind.most} ${kind.of}`));
    case "origins":
      return z.array(origin).check(z.maxLength(100));
    case "senders":
      return z.array(sender).check(z.maxLength(1000));
    case "name":
    case "text":
    case "count":
    case "bytes":
    case "seconds":
    case "time":
    case "choice":
    case "rate":
    case "json":
      return schemaOf(name, kind);
    default:
      return kind satisfies never;
  }
}

const webAddress = (what: string) =>
  z.string().check(
    // First, because reading an address takes time quadratic in the marks of its host.
    z.maxLength(2000, { error: `${what} has at most 2000 characters`, abort: true }),
    z.url({
      protocol: /^https?$/,
      error: `${what} is an absolute address such as https://example.com/thanks`,
    }),
  );

/** An origin as browsers send it (RFC 6454): scheme, host and port; or one with a wildcard for its subdomains. */
const origin = z
  .string()
  .check(z.refine(isOriginPattern, "an origin looks like https://example.com or https://*.example.com"));

const sender = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
  error: "a blocked sender is an address or a range such as 203.0.113.0/24",
});

function itemOf(item: Item) {
  const { isValid, error, most } = ITEMS[item];
  const checks = [z.refine<string>(isValid, error), z.meta({ maxLength: most })] as const;
  if (item === "fileType") return z.string().check(z.toLowerCase(), ...checks);
  // An address is stored in one spelling, with its domain in ASCII.
  if (item === "mailAddress")
    return z.string().check(
      z.overwrite((text) => plainAddress(text) ?? text),
      ...checks,
    );
  return z.string().check(...checks);
}

/** The settings of a form as the admin API shows them. */
export const shownSettings = fromSettings((_, { kind, default: unset, hasNull }) => {
  const schema = shownSchema(kind);
  return unset === null || hasNull ? z.nullable(schema) : schema;
}) as { [N in keyof Shown]: z.ZodMiniType<Shown[N]> };

/** A change to settings: absent settings stay as they are, null resets a setting to its default. */
export const patchedSettings = fromSettings((name, { kind }) => {
  const schema = patchSchema(name, kind);
  return z.optional(isRequired(name) ? schema : z.nullable(schema));
}) as {
  [N in keyof SettingsPatch]-?: z.ZodMiniOptional<z.ZodMiniType<Exclude<SettingsPatch[N], undefined>>>;
};

function fromSettings(schemaOf: (name: SettingName, setting: Setting<unknown>) => z.ZodMiniType) {
  return Object.fromEntries(NAMES.map((name) => [name, schemaOf(name, SETTINGS[name])]));
}
