import { onList } from "./code.ts";

/** A version of https://semver.org: three numbers, and identifiers of one that comes before it. */
type Version = { numbers: number[]; before: (string | number)[] };

const NUMBER = "(0|[1-9]\\d*)";
const BEFORE = "(?:0|[1-9]\\d*|\\d*[a-zA-Z-][\\da-zA-Z-]*)";
const VERSION = new RegExp(
  `^v?${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-(${BEFORE}(?:\\.${BEFORE})*))?(?:\\+[\\da-zA-Z-]+(?:\\.[\\da-zA-Z-]+)*)?$`,
);
const MAX_LENGTH = 256;

/** Null for what is none. A major version, alone or with a minor one, is a version too. */
function versionOf(value: unknown): Version | null {
  if (typeof value === "object" && value !== null) return null;
  const text = String(value).replace(/^[vV]/, "");
  const whole = /^\d{1,16}$/.test(text)
    ? `${text}.0.0`
    : /^\d{1,16}\.\d{1,16}$/.test(text)
      ? `${text}.0`
      : text;
  if (whole.length > MAX_LENGTH) return null;
  const [, major, minor, patch, before] = VERSION.exec(whole.trim()) ?? [];
  const numbers = [Number(major), Number(minor), Number(patch)];
  if (!numbers.every(Number.isSafeInteger)) return null;
  return { numbers, before: before === undefined ? [] : before.split(".").map(identifierOf) };
}

function identifierOf(text: string): string | number {
  return /^\d+$/.test(text) ? Number(text) : text;
}

/** Below 0 if the first version comes before the other. */
function compare(a: Version, b: Version): number {
  for (let at = 0; at < 3; at += 1)
    if (a.numbers[at] !== b.numbers[at]) return a.numbers[at]! - b.numbers[at]!;
  // A version comes after those that are before it.
  if (a.before.length === 0 || b.before.length === 0) return b.before.length - a.before.length;
  for (let at = 0; at < Math.min(a.before.length, b.before.length); at += 1) {
    const [x, y] = [a.before[at]!, b.before[at]!];
    if (x === y) continue;
    // Numbers come before texts.
    return typeof x === typeof y ? (x < y ? -1 : 1) : typeof x === "number" ? -1 : 1;
  }
  return a.before.length - b.before.length;
}

const HOLDS: Readonly<Record<string, (order: number, a: Version, b: Version) => boolean>> = {
  "=": (order) => order === 0,
  "!=": (order) => order !== 0,
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
  "^": (_, { numbers: [a] }, { numbers: [b] }) => a === b,
  "~": (_, a, b) => a.numbers[0] === b.numbers[0] && a.numbers[1] === b.numbers[1],
};

/** The operation `sem_ver`; null for arguments that are no versions or no comparison. */
export const semVer = onList((values) => {
  const [version, comparison, other] = values;
  const [a, b] = [versionOf(version), versionOf(other)];
  if (values.length !== 3 || !a || !b || typeof comparison !== "string" || !Object.hasOwn(HOLDS, comparison))
    return null;
  return HOLDS[comparison]!(compare(a, b), a, b);
});
