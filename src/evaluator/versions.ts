import { onList } from "./code.ts";

const NUMBER = "(0|[1-9]\\d*)";
const BEFORE = "(?:0|[1-9]\\d*|\\d*[a-zA-Z-][\\da-zA-Z-]*)";
const BUILD = "[\\da-zA-Z-]+";
const VERSION = new RegExp(
  `^v?${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-(${BEFORE}(?:\\.${BEFORE})*))?(?:\\+${BUILD}(?:\\.${BUILD})*)?$`,
);
const MAX_LENGTH = 256;

/**
 * The three numbers of a version of https://semver.org, and the identifiers of one before it. Undefined for what is none. A major
 * version, alone or with a minor one, is a version too.
 */
function versionOf(value: unknown): (string | number)[] | undefined {
  if (typeof value === "object" && value !== null) return undefined;
  const text = String(value).replace(/^v/i, "");
  const zeros = /^\d{1,16}(\.\d{1,16})?$/.exec(text);
  const whole = (zeros ? `${text}${zeros[1] ? ".0" : ".0.0"}` : text).trim();
  if (text.length > MAX_LENGTH) return undefined;
  const [, major, minor, patch, before] = VERSION.exec(whole) ?? [];
  const numbers = [major, minor, patch].map(Number);
  if (!numbers.every(Number.isSafeInteger)) return undefined;
  const identifiers = before?.split(".").map((each) => (/^\d+$/.test(each) ? Number(each) : each)) ?? [];
  return [...numbers, ...identifiers];
}

type Version = readonly (string | number)[];

/** Below 0 if the first version comes before the other. Numbers come before texts, and a version after those before it. */
function compare(a: Version, b: Version): number {
  for (let at = 0; ; at += 1) {
    const [x, y] = [a[at], b[at]];
    if (x === undefined || y === undefined) {
      const order = a.length - b.length;
      return at === 3 ? -order : order;
    }
    if (x === y) continue;
    return typeof x === typeof y ? (x < y ? -1 : 1) : typeof x === "number" ? -1 : 1;
  }
}

const HOLDS: ReadonlyMap<unknown, (order: number, a: Version, b: Version) => boolean> = new Map<
  unknown,
  (order: number, a: Version, b: Version) => boolean
>([
  ["=", (order) => order === 0],
  ["!=", (order) => order !== 0],
  ["<", (order) => order < 0],
  ["<=", (order) => order <= 0],
  [">", (order) => order > 0],
  [">=", (order) => order >= 0],
  ["^", (_, a, b) => a[0] === b[0]],
  ["~", (_, a, b) => a[0] === b[0] && a[1] === b[1]],
]);

/** The operation `sem_ver`; null for arguments that are no versions or no comparison. */
export const semVer = onList((values) => {
  const [a, b] = [versionOf(values[0]), versionOf(values[2])];
  const holds = HOLDS.get(values[1]);
  return values.length === 3 && a && b && holds ? holds(compare(a, b), a, b) : null;
});
