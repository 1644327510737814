/** Compares texts for sorting, the same on every machine. */
export function textOrder(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
