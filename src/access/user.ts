import { AppError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import type { SecondFactor } from "./factors/second-factor.ts";
import type { UserRole } from "./role.ts";

/** How the dashboard behaves for one user. */
export type UserSettings = {
  /** A name of the IANA database, such as `Europe/Berlin`; null for the time zone of the browser. */
  timeZone: string | null;
  /** Whether single keys are shortcuts. */
  shortcuts: boolean;
};

export const DEFAULT_SETTINGS: UserSettings = { timeZone: null, shortcuts: true };

/** A person who signs in to the dashboard. */
export type User = {
  name: string;
  role: UserRole;
  hasPassword: boolean;
  secondFactors: SecondFactor[];
  settings: UserSettings;
  createdAt: string;
};

/** Whether a value is the settings of a user, or some of them. */
export function areUserSettings(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { timeZone = null, shortcuts = true } = value;
  const isZone = timeZone === null || (typeof timeZone === "string" && isTimeZone(timeZone));
  return isZone && typeof shortcuts === "boolean";
}

/** Whether a text names a time zone. */
export function isTimeZone(text: string): boolean {
  try {
    void new Intl.DateTimeFormat("en", { timeZone: text });
    return true;
  } catch {
    return false;
  }
}

export function noSuchUser(name: string): AppError {
  return new AppError("not_found", `user "${name}" does not exist`, { reason: "user-not-found" });
}
