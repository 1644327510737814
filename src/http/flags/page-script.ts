import { once } from "../../base/once.ts";
import { escapeHtml } from "../../delivery/text.ts";
import { bundleBrowserCode } from "../dashboard/bundle.ts" with { type: "macro" };
import { acceptsGzip } from "../codings.ts";
import { NO_SNIFF } from "../security.ts";
import { matches } from "./etag.ts";

const SCRIPT: string = bundleBrowserCode("flags/script/visit.ts");

/** The script of pages, compressed once, with its file name for good. */
const pageScript = once(async () => {
  const bytes = new TextEncoder().encode(SCRIPT);
  const hash = new Bun.CryptoHasher("sha256").update(bytes).digest("hex").slice(0, 16);
  return {
    bytes,
    gzipped: Bun.gzipSync(bytes, { level: 9 }),
    name: `flags.${hash}.js`,
    etag: `"${hash}"`,
    integrity: `sha384-${new Bun.CryptoHasher("sha384").update(bytes).digest("base64")}`,
  };
});

/** The tag of a page for the script below an address, by its name for good, with a browser key. */
export async function pinnedTag(address: string, key: string): Promise<string> {
  const { name, integrity } = await pageScript();
  return `<script src="${escapeHtml(address)}/v1/${name}" integrity="${integrity}" crossorigin="anonymous" data-key="${key}"></script>`;
}

/** Answers with the script, or 304. */
export async function answerScript(
  { headers }: Request,
  caching = "public, max-age=3600",
): Promise<Response> {
  const { bytes, gzipped, etag } = await pageScript();
  const isGzip = acceptsGzip(headers.get("accept-encoding"));
  const sent = {
    ...NO_SNIFF,
    "Content-Type": "text/javascript; charset=utf-8",
    "Access-Control-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Cache-Control": caching,
    ETag: etag,
    Vary: "Accept-Encoding",
  };
  const known = headers.get("if-none-match");
  if (known !== null && matches(known, etag)) return new Response(null, { status: 304, headers: sent });
  return new Response(isGzip ? gzipped : bytes, {
    headers: { ...sent, ...(isGzip && { "Content-Encoding": "gzip" }) },
  });
}

/** Answers with the script of that name, which never changes; 404 for one of another release. */
export async function answerPinned(request: Request, name: string): Promise<Response> {
  if (name === (await pageScript()).name) return answerScript(request, "public, max-age=31536000, immutable");
  const message = "this release has no such script: /v1/flags.js is the present one";
  const headers = { ...NO_SNIFF, "Access-Control-Allow-Origin": "*", "Cache-Control": "no-store" };
  return Response.json({ error: true, code: 404, message }, { status: 404, headers });
}
