/**
 * The name that differs in the fewest characters, at most in a third of them, without case and separators; null if none
 * does. With `countSwaps` two neighbours in the wrong order count as one.
 */
export function nearestOf(name: string, others: string[], countSwaps = false): string | null {
  const wanted = plain(name);
  let nearest: string | null = null;
  let least = Math.max(1, Math.floor(wanted.length / 3) + 1);
  for (const other of others) {
    if (other === name) continue;
    const distance = distanceOf(wanted, plain(other), countSwaps);
    if (distance < least) [nearest, least] = [other, distance];
  }
  return nearest;
}

/** The name that is probably meant: the only one that begins with what was typed, or else the nearest; null if none is. */
export function meantBy(name: string, others: string[]): string | null {
  const longer = name.length < 3 ? [] : others.filter((each) => plain(each).startsWith(plain(name)));
  return longer.length === 1 && longer[0] !== name ? longer[0]! : nearestOf(name, others, true);
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[._-]/g, "");
}

/** Characters to insert, remove or replace, and with `countSwaps` neighbours to swap (optimal string alignment). */
function distanceOf(a: string, b: string, countSwaps: boolean): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = countSwaps && i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? before[j - 2]! + 1 : Infinity;
      next.push(Math.min(replaced, swapped, row[j]! + 1, next[j - 1]! + 1));
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}
