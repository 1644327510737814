import { once } from "../../base/once.ts";
import { escapeHtml } from "../../delivery/text.ts";
import { bundleBrowserCode } from "../dashboard/bundle.ts" with { type: "macro" };
import { readKeptScripts } from "./kept-scripts.ts" with { type: "macro" };
import { scriptName } from "./kept-scripts.ts";
import { acceptsGzip } from "../codings.ts";
import { NO_SNIFF } from "../security.ts";
import { matches } from "./etag.ts";

const SCRIPT: string = bundleBrowserCode("flags/script/visit.ts");
const DRAFT: string = bundleBrowserCode("flags/script/draft.ts");
/** Scripts of earlier releases, whose pinned addresses are in pages. */
const KEPT: Readonly<Record<string, string>> = readKeptScripts();

/** A script of pages, compressed once, with its file name for good. */
function packed(text: string) {
  const bytes = new TextEncoder().encode(text);
  const name = scriptName(text);
  return {
    bytes,
    gzipped: Bun.gzipSync(bytes, { level: 12, library: "libdeflate" }),
    name,
    etag: `"${name.slice("flags.".length, -".js".length)}"`,
    integrity: `sha384-${new Bun.CryptoHasher("sha384").update(bytes).digest("base64")}`,
  };
}

type Script = ReturnType<typeof packed>;

/** The script of this release, and the texts of all by their names. */
const scripts = once(async (): Promise<{ present: string; texts: Readonly<Record<string, string>> }> => {
  const present = scriptName(SCRIPT);
  return { present, texts: { ...KEPT, [present]: SCRIPT } };
});

/** Scripts that have been sent, by name. */
const asked = new Map<string, Script>();

/** The script of that name, or of this release; undefined for one that no release had. */
async function findScript(name?: string): Promise<Script | undefined> {
  const { present, texts } = await scripts();
  const wanted = name ?? present;
  if (!Object.hasOwn(texts, wanted)) return undefined;
  let found = asked.get(wanted);
  if (!found) asked.set(wanted, (found = packed(texts[wanted]!)));
  return found;
}

/** The tag of a page for the script below an address, by its name for good, with a browser key. */
export async function pinnedTag(address: string, key: string): Promise<string> {
  const { name, integrity } = (await findScript())!;
  return `<script src="${escapeHtml(address)}/v1/${name}" integrity="${integrity}" crossorigin="anonymous" data-key="${key}"></script>`;
}

/** How long a browser may use the script of this release without a request. */
const HOUR = "public, max-age=3600";

/** Answers with the script of this release, or 304. */
export async function answerScript(request: Request): Promise<Response> {
  return answer(request, (await findScript())!, HOUR);
}

const draft = once(async () => packed(DRAFT));

/** Answers with the script of drafts in forms, or 304. */
export async function answerDraft(request: Request): Promise<Response> {
  return answer(request, await draft(), HOUR);
}

function answer({ headers }: Request, { bytes, gzipped, etag }: Script, caching: string): Response {
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
  const body = isGzip ? gzipped : bytes;
  const ofBody = { ...(isGzip && { "Content-Encoding": "gzip" }), "Content-Length": String(body.length) };
  return new Response(body, { headers: { ...sent, ...ofBody } });
}

/** Answers with the script of that name, which never changes; 404 for one that no release had. */
export async function answerPinned(request: Request, name: string): Promise<Response> {
  const script = await findScript(name);
  if (script) return answer(request, script, "public, max-age=31536000, immutable");
  const message = "there is no such script: /v1/flags.js is the present one";
  const headers = { ...NO_SNIFF, "Access-Control-Allow-Origin": "*", "Cache-Control": "no-store" };
  return Response.json({ error: true, code: 404, message }, { status: 404, headers });
}
