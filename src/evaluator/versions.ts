import { isObject, onList } from "./code.ts";

const IDENTIFIER = /^(?:0|[1-9]\d*|\d*[a-zA-Z-][\da-zA-Z-]*)$/;
const VERSION = /^v?(\d+\.\d+\.\d+)(?:-([^+]*))?(?:\+[\da-zA-Z-]+(?:\.[\da-zA-Z-]+)*)?$/;
const MAX_LENGTH = 256;

/** Three numbers, and the identifiers of a version before that. */
type Version = readonly (string | number)[];

/**
 * A version of https://semver.org; undefined for what is none. A major version, alone or with a minor one, is a version too.
 */
function versionOf(value: unknown): Version | undefined {
  if (isObject(value) || String(value).length > MAX_LENGTH) return undefined;
  const text = String(value)
    .replace(/^v/i, "")
    .replace(/^\d{1,16}$/, "$&.0")
    .replace(/^\d{1,16}\.\d{1,16}$/, "$&.0");
  const [, numbers = "", before] = VERSION.exec(text.trim()) ?? [];
  const identifiers = `${numbers}${before === undefined ? "" : `.${before}`}`.split(".");
  if (!identifiers.every((each) => IDENTIFIER.test(each))) return undefined;
  const version = identifiers.map((each) => (/\D/.test(each) ? each : Number(each)));
  return version.slice(0, 3).every(Number.isSafeInteger) ? version : undefined;
}

/** Below 0 if the first version comes before the other. Numbers come before texts, and a version after those before it. */
function compare(a: Version, b: Version): number {
  for (let at = 0; ; at += 1) {
    const [x, y] = [a[at], b[at]];
    if (x === undefined || y === undefined) return (a.length - b.length) * (at === 3 ? -1 : 1);
    if (x === y) continue;
    return typeof x === typeof y ? (x < y ? -1 : 1) : typeof x === "number" ? -1 : 1;
  }
}

/** The orders of two versions for which a comparison holds. */
const ORDERS = new Map<unknown, string>(
  Object.entries({ "=": "0", "!=": "-+", "<": "-", "<=": "-0", ">": "+", ">=": "0+", "^": "0", "~": "0" }),
);

/** The operation `sem_ver`; null for arguments that are no versions or no comparison. */
export const semVer = onList((values) => {
  const [version, comparison, other] = values;
  const [a, b, orders] = [versionOf(version), versionOf(other), ORDERS.get(comparison)];
  if (values.length !== 3 || !a || !b || orders === undefined) return null;
  const parts = comparison === "^" ? 1 : comparison === "~" ? 2 : undefined;
  return orders.includes("-0+"[Math.sign(compare(a.slice(0, parts), b.slice(0, parts))) + 1]!);
});
