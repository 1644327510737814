import { NO_SNIFF } from "../security.ts";

const HEADERS = {
  ...NO_SNIFF,
  "Content-Type": "text/javascript; charset=utf-8",
  // Browsers load a module of another origin only with CORS: https://html.spec.whatwg.org/#fetch-a-single-module-script
  "Access-Control-Allow-Origin": "*",
  "Cache-Control": "public, max-age=86400",
} as const;

/**
 * Answers `/v1/altcha.js`: an ES module that defines `<altcha-widget challenge="…">`, which adds a hidden field `altcha`
 * to the form around it. Needs a page served by HTTPS or from localhost. The first call loads the files.
 */
export async function altchaWidget(): Promise<Response> {
  const { WIDGET } = await import("./altcha/files.ts");
  return new Response(WIDGET, { headers: HEADERS });
}

/**
 * Answers `altcha-worker.js` in the same directory, from which the widget starts its workers on pages of the same
 * origin. A page with it needs no more than `script-src 'self'; worker-src 'self'; connect-src 'self'`.
 */
export async function altchaWorker(): Promise<Response> {
  const { WORKER } = await import("./altcha/files.ts");
  return new Response(WORKER, { headers: HEADERS });
}
