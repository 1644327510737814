/** A timestamp in milliseconds since 1970 as ISO 8601. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
