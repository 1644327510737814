/** Containers inside containers: 0 for `1`, 1 for `{"a":1}`. Looks no deeper than `limit` + 1. */
export function depthOf(value: unknown, limit: number): number {
  if (typeof value !== "object" || value === null) return 0;
  if (limit === 0) return 1;
  let deepest = 0;
  for (const child of Object.values(value)) {
    const depth = depthOf(child, limit - 1);
    if (depth > deepest) deepest = depth;
    if (deepest > limit - 1) break;
  }
  return deepest + 1;
}
