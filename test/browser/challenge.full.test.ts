import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { createChallengeKeys, createChallenger } from "../../src/forms/intake/challenge.ts";
import { altchaWidget, altchaWorker } from "../../src/http/forms/challenge.ts";
import { barriersOf, openChromium } from "../support/pages/chromium.ts";
import { describeInBrowser } from "../support/pages/dashboard-browser.ts";

const FORM = "abcdefghijklmnopqrstuvwx";

const { create, verify } = createChallenger(
  createChallengeKeys((length) => crypto.getRandomValues(new Uint8Array(length))),
  // The lowest counter is solved in the shortest time.
  { now: Date.now, random: (length) => new Uint8Array(length) },
);

describe("the files of the widget", () => {
  test.each([
    ["the module", altchaWidget],
    ["the worker", altchaWorker],
  ])("%s may be loaded by any website and cached for a day", async (_, answer) => {
    const { status, headers } = await answer();
    expect(status).toBe(200);
    expect(headers.toJSON()).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "access-control-allow-origin": "*",
      "cache-control": "public, max-age=86400",
      "x-content-type-options": "nosniff",
    });
  });

  test("the module names its license and loads nothing else", async () => {
    const text = await (await altchaWidget()).text();
    expect(text).toContain("Permission is hereby granted, free of charge");
    expect(new Bun.Transpiler({ loader: "js" }).scanImports(text)).toEqual([]);
  });
});

type Visit = { page: Page; violations: () => Promise<string[]>; workers: string[] };

describeInBrowser("in a browser (needs /usr/bin/chromium)", () => {
  const browser = openChromium();
  /** Answers pages, widget and challenges, by the names localhost and 127.0.0.1: two origins, both of them secure. */
  let server: Bun.Server<undefined>;
  let csp = "";
  let posted = Promise.withResolvers<Map<string, unknown>>();

  beforeAll(() => {
    server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      routes: {
        "/v1/altcha.js": altchaWidget,
        "/v1/altcha-worker.js": altchaWorker,
        "/v1/s/:key/challenge": async ({ params }) =>
          Response.json(await create(params.key), { headers: { "Access-Control-Allow-Origin": "*" } }),
        "/v1/s/:key": async (request) => {
          posted.resolve(new Map(await request.formData()));
          return new Response("thanks");
        },
        "/page/:lang": ({ params, url }) =>
          new Response(formPage(params.lang, new URL(url).searchParams.get("from") ?? ""), {
            headers: { "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": csp },
          }),
        // Watches what the policy refuses, before the widget runs.
        "/watch.js": new Response(
          'globalThis.refused = []; addEventListener("securitypolicyviolation", (event) => refused.push(`${event.effectiveDirective} ${event.blockedURI}`));',
          { headers: { "Content-Type": "text/javascript" } },
        ),
      },
    });
  });

  afterAll(() => server?.stop(true));

  const visit = async (host: string, path: string, policy: string): Promise<Visit> => {
    csp = policy;
    posted = Promise.withResolvers();
    const page = await browser().newPage();
    const workers: string[] = [];
    page.on("worker", (worker) => void workers.push(worker.url()));
    await page.goto(`http://${host}:${server.port}${path}`);
    await page.locator("altcha-widget input[type=checkbox]").waitFor();
    return { page, workers, violations: () => page.evaluate("refused") };
  };

  const isSolved = (page: Page) => page.locator('.altcha[data-state="verified"]').waitFor();

  /** The rules of accessibility that the page breaks with an impact of serious or critical. */
  const barriers = (page: Page) => barriersOf(page, { impacts: ["serious", "critical"] });

  const border = (page: Page) =>
    page.evaluate('getComputedStyle(document.querySelector(".altcha-main")).borderTopWidth');

  test("a click solves the challenge, and the form is sent with it, under a policy that allows only files of this server", async () => {
    const policy =
      "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
    const { page, workers, violations } = await visit("localhost", "/page/en", policy);
    expect(await border(page)).toBe("1px");
    expect(await barriers(page)).toEqual([]);
    await page.getByText("I'm not a robot").click();
    await isSolved(page);
    expect(await barriers(page)).toEqual([]);
    expect(new Set(workers)).toEqual(new Set([`http://localhost:${server.port}/v1/altcha-worker.js`]));
    expect(await violations()).toEqual([]);
    await page.getByRole("button", { name: "Send" }).click();
    const fields = await posted.promise;
    expect([...fields.keys()]).toEqual(["email", "altcha"]);
    expect(verify(FORM, String(fields.get("altcha")))).toEqual({
      nonce: expect.stringMatching(/^[0-9a-f]{32}$/),
      expiresAt: expect.any(Number),
    });
    await page.close();
  }, 60_000);

  test("another website needs to allow this server and workers that are blobs; its language is used", async () => {
    const own = `http://localhost:${server.port}`;
    const policy = `default-src 'none'; script-src 'self' ${own}; worker-src blob:; connect-src ${own}; form-action ${own}`;
    const { page, workers, violations } = await visit("127.0.0.1", `/page/de?from=${own}`, policy);
    expect(await border(page)).toBe("1px");
    await page.getByLabel("Ich bin kein Roboter").press("Space");
    await isSolved(page);
    expect(await barriers(page)).toEqual([]);
    expect(workers.length).toBeGreaterThan(0);
    for (const worker of workers) expect(worker).toStartWith(`blob:http://127.0.0.1:${server.port}/`);
    expect(await violations()).toEqual([]);
    await page.getByRole("button", { name: "Send" }).click();
    expect(verify(FORM, String((await posted.promise).get("altcha")))).not.toBeNull();
    await page.close();
  }, 60_000);

  test("a form that is not solved is not sent by the browser", async () => {
    const { page } = await visit("localhost", "/page/en", "default-src 'self'");
    await page.getByRole("button", { name: "Send" }).click();
    expect(await page.evaluate("document.querySelector('form').checkValidity()")).toBe(false);
    expect(await page.evaluate("new FormData(document.querySelector('form')).get('altcha')")).toBeFalsy();
    await page.close();
  }, 60_000);
});

function formPage(lang: string, from: string): string {
  return `<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<title>Contact</title>
<script src="/watch.js"></script>
<script type="module" src="${from}/v1/altcha.js"></script>
</head>
<body>
<main>
<h1>Contact</h1>
<form method="post" enctype="multipart/form-data" action="${from}/v1/s/${FORM}">
<p><label>Email <input type="email" name="email" value="ada@example.com"></label></p>
<altcha-widget challenge="${from}/v1/s/${FORM}/challenge"></altcha-widget>
<p><button>Send</button></p>
</form>
</main>
</body>
</html>
`;
}
