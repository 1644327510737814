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
  /** The address that gets mail about changes to approve; null for none, and absent for users of before. */
  reviewMail?: string | null | undefined;
  /** By name; none if it is absent. */
  views?: readonly SavedView[];
};

/** A link to a list of submissions, by its path behind that of the dashboard. */
export type SavedView = { name: string; to: string };

/** Views of one user, and the characters of the name of one. */
export const MAX_VIEWS = 50;
export const MAX_VIEW_NAME = 60;

/** Characters of an address (RFC 5321, 4.5.3.1). */
const MAX_MAIL = 254;

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

/** Users by their role, and those with neither a password nor a passkey, who sign in by a link alone. */
export type UserCounts = {
  all: number;
  withoutWay: number;
  roles: Readonly<Partial<Record<UserRole, number>>>;
};

/** Users of one role, or only those without a password and a passkey. */
export type UserFilter = { role?: UserRole | undefined; isWithoutWay?: boolean | undefined };

/** Whether a value is the settings of a user, or some of them. */
export function areUserSettings(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { timeZone = null, shortcuts = true, reviewMail = null, views = [] } = value;
  const isMail = reviewMail === null || (typeof reviewMail === "string" && reviewMail.length <= MAX_MAIL);
  if (!Array.isArray(views) || views.length > MAX_VIEWS || !views.every(isSavedView)) return false;
  const isZone = timeZone === null || (typeof timeZone === "string" && isTimeZone(timeZone));
  return isZone && isMail && typeof shortcuts === "boolean";
}

export function isSavedView(value: unknown): value is SavedView {
  if (!isObject(value)) return false;
  const { name, to } = value;
  const isName = typeof name === "string" && name.length <= MAX_VIEW_NAME && /^\S(?:.*\S)?$/u.test(name);
  return isName && !/\p{Cc}/u.test(name) && typeof to === "string" && /^\/inbox[!-~]{0,4000}$/.test(to);
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
