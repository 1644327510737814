import { shortFileName } from "../base/file-name.ts";

/** Headers that make a browser save a file under its name and never show or run it (RFC 6266, RFC 8187). */
export function attachment(given: string, type: string): Record<string, string> {
  // Proxies refuse answers with headers of more than a few kilobytes.
  const name = shortFileName(given.toWellFormed());
  const ascii = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return {
    "Content-Type": type,
    "Content-Disposition": `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`,
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; sandbox",
  };
}
