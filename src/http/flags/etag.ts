/** A strong entity tag for a text: the same only for the same text (RFC 9110, 8.8.3). */
export function etagOf(text: string): string {
  return `"${new Bun.CryptoHasher("sha256").update(text).digest("base64url").slice(0, 27)}"`;
}

/** Whether `If-None-Match`, which compares weakly and may hold several tags, holds this one (RFC 9110, 13.1.2). */
export function matches(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === etag || ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.split(",").some((each) => each.trim().replace(/^W\//, "") === etag);
}
