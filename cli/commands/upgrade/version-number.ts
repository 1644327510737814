/** A version as releases have them (semver.org), with an optional `v`. */
export const VERSION_NUMBER = /^v?\d{1,6}\.\d{1,6}\.\d{1,6}(?:-[0-9A-Za-z.-]{1,50})?$/;

/** Whether a version comes before a release, such as `1.0.0-rc.1`. */
export const isPrerelease = (version: string): boolean => version.includes("-");

/** Orders versions by precedence (semver.org, 11): negative if `a` is the older one. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  const core = firstDifference(left.core, right.core);
  if (core !== 0) return core;
  // A version without a suffix is later than all with one.
  if (left.suffix.length === 0 || right.suffix.length === 0) return right.suffix.length - left.suffix.length;
  return firstDifference(left.suffix, right.suffix) || left.suffix.length - right.suffix.length;
}

function partsOf(version: string): { core: string[]; suffix: string[] } {
  const [core = "", ...rest] = version.replace(/^v/, "").split("-");
  const suffix = rest.join("-");
  return { core: core.split("."), suffix: suffix === "" ? [] : suffix.split(".") };
}

function firstDifference(a: string[], b: string[]): number {
  for (const [index, left] of a.entries()) {
    const right = b[index];
    if (right === undefined || left === right) continue;
    const [isNumber, isOtherNumber] = [/^\d+$/.test(left), /^\d+$/.test(right)];
    if (isNumber && isOtherNumber) return Number(left) - Number(right);
    // Numbers come before words.
    if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
    return left < right ? -1 : 1;
  }
  return 0;
}
