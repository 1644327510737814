/** A strong entity tag for a text: equal for equal texts alone (RFC 9110, 8.8.3). */
export function etagOf(text: string): string {
  return `"${new Bun.CryptoHasher("sha256").update(text).digest("base64url").slice(0, 27)}"`;
}

/** `If-None-Match` compares weakly and may name several (RFC 9110, 13.1.2). */
export function matches(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === etag || ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.split(",").some((each) => each.trim().replace(/^W\//, "") === etag);
}
