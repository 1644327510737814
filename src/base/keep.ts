/**
 * Returns a function that makes a value once for each key and keeps it. Before it would keep more than `most` values, it
 * forgets all of them.
 */
export function keepLast<V extends {} | null>(most: number): (key: string | number, make: () => V) => V {
  const kept = new Map<string | number, V>();
  return (key, make) => {
    const known = kept.get(key);
    if (known !== undefined) return known;
    const value = make();
    if (kept.size >= most) kept.clear();
    kept.set(key, value);
    return value;
  };
}
