/** The address of a server without a slash at its end, a query or a fragment. Throws `TypeError` for another text. */
export function baseOf(url: string | URL): string {
  const { origin, pathname } = new URL(url);
  return origin + (pathname.endsWith("/") ? pathname.slice(0, -1) : pathname);
}
