/** Parts of conditions that one flag may need, since a part can be repeated wherever it is referred to. */
const MAX_PARTS = 50_000;

let left = MAX_PARTS;

/** Begins the conditions of another flag or segment. */
export function resetBudget(): void {
  left = MAX_PARTS;
}

/** Counts parts of a condition. Throws `RangeError` for too many. */
export function spend(parts: number): void {
  if ((left -= parts) < 0) throw new RangeError("too many parts");
}
