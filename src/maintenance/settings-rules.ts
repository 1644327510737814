import { isObject } from "../base/json.ts";
import { isHoneypotName } from "../forms/intake/control-fields.ts";
import { isFlagName } from "../forms/intake/open-when.ts";
import { isTimeZone } from "../access/user.ts";
import { ITEMS } from "../forms/settings/items.ts";
import type { Kind } from "../forms/settings/setting.ts";
import { SETTINGS, isStored } from "../forms/settings/settings.ts";

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Whether a value, as parsed JSON, holds settings of a form, each with a value that it can have. */
export function areSettings(value: unknown): boolean {
  if (!isObject(value)) return false;
  return Object.entries(value).every(([name, setting]) => {
    if (!isStored(name)) return false;
    const { kind, hasNull } = SETTINGS[name];
    return setting === null ? hasNull === true : fits(setting, kind);
  });
}

function fits(value: unknown, kind: Kind): boolean {
  switch (kind.is) {
    case "switch":
      return typeof value === "boolean";
    case "count":
    case "bytes":
    case "seconds":
      return Number.isInteger(value) && Number(value) >= kind.least && Number(value) <= kind.most;
    case "json":
      return isObject(value);
    case "list":
      return (
        Array.isArray(value) &&
        value.length <= kind.most &&
        value.every((item) => isText(item) && ITEMS[kind.item].isValid(item))
      );
    case "time":
      return isText(value) && TIME.test(value) && !Number.isNaN(Date.parse(value));
    case "text":
    case "area":
      return isText(value) && value.length <= kind.most;
    case "field":
      return isText(value) && isHoneypotName(value);
    case "flag":
      return isText(value) && isFlagName(value);
    case "zone":
      return isText(value) && isTimeZone(value);
    case "choice":
      return isText(value) && kind.among.includes(value);
    // These have columns of their own.
    case "name":
    case "url":
    case "origins":
    case "senders":
    case "rate":
      return false;
    default:
      return kind satisfies never;
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
