import { afterAll, expect, test } from "bun:test";
import type { BrowserContextOptions, Page, Request as Sent } from "playwright-core";
import { createToken } from "../../src/access/tokens.ts";
import { setFlag } from "../../src/flags/flags.ts";
import { createForm } from "../../src/forms/forms.ts";
import { createSite } from "../../src/http/site.ts";
import { createProject } from "../../src/projects/projects.ts";
import { openServices, openTestApp, siteOptions } from "../support/app.ts";
import { openChromium } from "../support/pages/chromium.ts";
import { describeInBrowser } from "../support/pages/dashboard-browser.ts";
import { OPERATOR } from "../support/records/caller.ts";

const app = openTestApp();
const site = createSite(openServices(app), siteOptions(app));
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: (request) => site.fetch(request, () => "127.0.0.1"),
});
const origin = server.url.origin;

const project = await createProject(app, OPERATOR, { slug: "shop", environments: ["live"] });
const place = { project: "shop", environment: "live" };
const set = (flag: string, patch: object) =>
  setFlag(app, OPERATOR, { ...place, flag }, { enabled: true, browser: true, ...patch });
await set("banner", {});
await set("gone", { enabled: false });
await set("hero", { variants: { a: "A", b: "B" }, defaultVariant: "b" });
await set("secret", { browser: false });
await set("resting", { enabled: false, variants: { a: "A" }, defaultVariant: "a" });
const BROWSER = { name: "site", scopes: ["flags:browser" as const], ...place };
const { token: key } = await createToken(app, OPERATOR, BROWSER);
const schema = {
  type: "object",
  required: ["email"],
  properties: { email: { type: "string", format: "email" } },
};
const form = await createForm(app, OPERATOR, { slug: "contact", schema });

const FLAGS = `
  <p data-flag="banner" hidden>banner</p><p data-flag="gone">gone</p>
  <p data-flag="hero" data-flag-variant="a" hidden>hero a</p><p data-flag="hero" data-flag-variant="a b" hidden>hero b</p>
  <p data-flag="secret" hidden>secret</p><p data-flag="none">as written</p>`;
const FORM = `<form method="post" action="${origin}/v1/s/${form.key}">
  <label>Email <input name="email"></label><button>Send</button></form>`;

let [attributes, body] = ["", FLAGS];
const pages = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: () =>
    new Response(
      `<!doctype html><title>Page</title><script src="${origin}/v1/flags.js" crossorigin="anonymous" data-key="${key}" ${attributes}></script>${body}`,
      {
        headers: {
          "Content-Type": "text/html; charset=utf-8",
          "Content-Security-Policy": `default-src 'none'; script-src ${origin}; connect-src ${origin}; style-src 'none'; form-action ${origin}`,
        },
      },
    ),
});
afterAll(() => Promise.all([server.stop(true), pages.stop(true)]));

describeInBrowser("in a browser (needs /usr/bin/chromium), the script of pages", () => {
  const browser = openChromium();

  /** A page with the script; `sent` are the bodies of its requests by path. */
  async function open(options: BrowserContextOptions = {}, before?: (page: Page) => Promise<unknown>) {
    const context = await browser().newContext(options);
    const page = await context.newPage();
    const sent: { path: string; body: string }[] = [];
    const faults: string[] = [];
    page.on("request", (request: Sent) => {
      if (request.method() !== "POST") return;
      sent.push({ path: new URL(request.url()).pathname, body: request.postData() ?? "" });
    });
    page.on("console", (message) => {
      if (/Content Security Policy|Uncaught/.test(message.text())) faults.push(message.text());
    });
    page.on("pageerror", (error) => faults.push(String(error)));
    await before?.(page);
    await page.goto(pages.url.href);
    const bodies = (path: string) =>
      sent
        .filter((each) => each.path === path)
        .map((each) => JSON.parse(each.body) as Record<string, unknown>);
    const contexts = () => bodies("/ofrep/v1/evaluate/flags").map(({ context }) => context);
    const stored = () => page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])");
    const visible = async () =>
      page.evaluate("formflag.ready").then(() => page.locator("p:visible").allInnerTexts());
    return { page, context, faults, contexts, stored, visible, events: () => bodies("/v1/events") };
  }

  test("shows what flags say, under a strict policy, without a cookie", async () => {
    [attributes, body] = ["", FLAGS];
    const { page, context, faults, visible, contexts, events } = await open();
    expect(await visible()).toEqual(["banner", "hero b", "as written"]);
    const asked = "[formflag.flag('hero', 0), formflag.variant('hero'), formflag.flag('none', 7)]";
    expect(await page.evaluate<unknown>(asked)).toEqual(["B", "b", 7]);
    const without = "[formflag.flag('resting', 0), formflag.variant('resting')]";
    expect(await page.evaluate<unknown>(without)).toEqual([0, undefined]);
    await page.evaluate(`document.body.insertAdjacentHTML("beforeend", '<p data-flag="gone">later</p>')`);
    await page.getByText("later").waitFor({ state: "hidden" });
    await page.evaluate("formflag.track('signup')");
    await page.waitForRequest((request) => (request.postData() ?? "").includes("signup"));
    expect(contexts()[0]).toEqual({ targetingKey: expect.any(String) });
    expect(events()[0]).toMatchObject({ exposures: ["banner", "gone", "hero"], events: [] });
    expect([await context.cookies(), faults]).toEqual([[], []]);
  });

  test("shows a flag by what it needs for its visitor, also of a flag that pages cannot read, and as it is after a change", async () => {
    const isPro = { if: [{ "==": [{ var: "plan" }, "pro"] }, "on", "off"] };
    const boolean = { variants: { on: true, off: false }, defaultVariant: "off" };
    await set("cart", { enabled: false });
    await set("vault", { ...boolean, targeting: isPro, browser: false });
    await set("checkout", { requires: [{ flag: "cart" }] });
    await set("tint", {
      variants: { red: "#f00", blue: "#00f" },
      defaultVariant: "red",
      requires: [{ flag: "checkout" }, { flag: "vault" }],
    });
    const shownAs = async (plan: string) => {
      attributes = `data-storage="none" data-context='{"plan":"${plan}"}'`;
      body = `<p data-flag="cart">cart</p><p data-flag="checkout">checkout</p>
        <p data-flag="tint" data-flag-variant="red">tint red</p><p data-flag="tint" data-flag-variant="blue">tint blue</p>`;
      const { page, visible, faults } = await open({}, (page) =>
        page.route("**/ofrep/**", async (route) => {
          const response = await route.fetch();
          answers.push(await response.text());
          return route.fulfill({ response });
        }),
      );
      const shown = await visible();
      const asked = "[formflag.flag('checkout', 'none'), formflag.flag('tint', 'none')]";
      const values = await page.evaluate<unknown[]>(asked);
      expect(faults).toEqual([]);
      await page.context().close();
      return [shown, ...values];
    };
    const answers: string[] = [];
    expect(await shownAs("pro")).toEqual([[], false, "none"]);
    await set("cart", { enabled: true });
    expect(await shownAs("pro")).toEqual([["cart", "checkout", "tint red"], true, "#f00"]);
    expect(await shownAs("free")).toEqual([["cart", "checkout"], true, "none"]);
    await set("tint", { defaultVariant: "blue" });
    expect(await shownAs("pro")).toEqual([["cart", "checkout", "tint blue"], true, "#00f"]);
    await set("checkout", { requires: [{ flag: "cart", variants: ["off"] }] });
    expect(await shownAs("pro")).toEqual([["cart"], false, "none"]);
    await set("cart", { enabled: false });
    expect(await shownAs("pro")).toEqual([["checkout", "tint blue"], true, "#00f"]);
    expect(answers.map((each) => each.includes("vault"))).toEqual(answers.map(() => false));
    expect(answers).toHaveLength(6);
  });

  test("settles at once by the last answer of the tab", async () => {
    [attributes, body] = ["", FLAGS];
    const { page, visible } = await open();
    await visible();
    await page.route("**/ofrep/**", () => {});
    await page.reload();
    expect(await visible()).toEqual(["banner", "hero b", "as written"]);
  });

  test.each([
    ["the time is up", async (page: Page) => page.route("**/ofrep/**", () => {})],
    ["the network fails", async (page: Page) => page.route("**/ofrep/**", (route) => route.abort())],
    [
      "the server fails",
      async (page: Page) => page.route("**/ofrep/**", (route) => route.fulfill({ status: 500 })),
    ],
  ])("leaves the page as written if %s", async (_, before) => {
    [attributes, body] = ['data-timeout="50"', FLAGS];
    const { visible } = await open({}, before);
    expect(await visible()).toEqual(["gone", "as written"]);
  });

  test.each([
    ["Do Not Track", `Object.defineProperty(navigator, "doNotTrack", { get: () => "1" })`],
    [
      "Global Privacy Control",
      `Object.defineProperty(navigator, "globalPrivacyControl", { get: () => true })`,
    ],
  ])("stores and sends nothing of a visitor under %s", async (_, script) => {
    [attributes, body] = ['data-user="ann"', FLAGS + FORM];
    const opened = await open({}, (page) => page.addInitScript(script));
    expect(await opened.visible()).toEqual(["banner", "hero b", "as written"]);
    await opened.page.evaluate("formflag.consent(true), formflag.track('signup')");
    await opened.page.getByLabel("Email").fill("ann@example.com");
    await opened.page.getByRole("button").click();
    await opened.page.getByText("Thank you").waitFor();
    expect([opened.contexts(), opened.events(), await opened.stored()]).toEqual([[{}], [], "[{},{}]"]);
    const { submissions } = await app.store.submissions.list(form.key, 1, null);
    expect(submissions[0]!.flags).toBeNull();
  });

  test("waits for consent where that is required, and forgets once it is taken back", async () => {
    [attributes, body] = ['data-consent="required" data-storage="local"', FLAGS];
    const { page, visible, contexts, stored, events } = await open();
    await visible();
    expect([contexts(), events(), await stored()]).toEqual([[{}], [], "[{},{}]"]);
    await page.evaluate("formflag.consent(true)");
    expect(contexts()[1]).toEqual({ targetingKey: expect.any(String) });
    expect(await stored()).toContain('"formflag":');
    await page.evaluate("formflag.consent(false)");
    expect(await stored()).toBe("[{},{}]");
  });

  test("sends a form again with one key until it is stored, with the variants of its sender", async () => {
    [attributes, body] = ["", FLAGS + FORM];
    const keys: string[] = [];
    const { page, visible } = await open({}, (page) =>
      page.route("**/v1/s/**", (route) => {
        const request = route.request();
        if (request.method() !== "POST") return route.continue();
        keys.push(request.headers()["idempotency-key"]!);
        if (keys.length === 1) return route.abort();
        return keys.length === 2 ? route.fulfill({ status: 503 }) : route.continue();
      }),
    );
    await visible();
    const count = await app.store.submissions.count(form.key, ["inbox"]);
    await page.getByLabel("Email").fill("ann@example.com");
    await page.getByRole("button").click();
    await page.getByRole("button").click();
    await page.getByRole("status").filter({ hasText: "Thank you" }).waitFor();
    expect([keys.length, new Set(keys).size]).toEqual([3, 1]);
    expect(await page.getByLabel("Email").inputValue()).toBe("");
    expect(await app.store.submissions.count(form.key, ["inbox"])).toBe(count + 1);
    const { submissions } = await app.store.submissions.list(form.key, 1, null);
    const variants = { banner: "on", gone: "off", hero: "b" };
    expect(submissions[0]!.flags).toMatchObject({ ...place, variants });
    expect(submissions[0]!.data).toEqual({ email: "ann@example.com" });
  }, 60_000);

  test("shows what is wrong behind the inputs of a form, and keeps what was typed", async () => {
    [attributes, body] = ["", FORM];
    const { page, faults } = await open();
    const email = page.getByLabel("Email");
    await email.fill("nobody");
    await page.getByRole("button").click();
    await page.locator("[aria-invalid=true]").waitFor();
    const shown = `(() => { const e = document.activeElement; return [e.name, e.value, e.getAttribute("aria-invalid"),
      document.getElementById(e.getAttribute("aria-describedby").trim()).textContent !== ""] })()`;
    expect(await page.evaluate<unknown>(shown)).toEqual(["email", "nobody", "true", true]);
    await email.fill("ann@example.com");
    await page.getByRole("button").click();
    await page.getByText("Thank you").waitFor();
    expect(await page.locator("[aria-invalid]").count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test("works beside scripts that add headers of a trace to every request, as do reads and streams of the page", async () => {
    [attributes, body] = ["", FLAGS];
    const added = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" };
    const headers = JSON.stringify({ ...added, baggage: "a=b", "sentry-trace": "0af7-b7ad-1" });
    const { page, visible, events, faults } = await open({}, (page) =>
      page.addInitScript(`{
        const send = window.fetch;
        window.fetch = (input, init) => {
          const request = new Request(input, init);
          for (const [name, value] of Object.entries(${headers})) request.headers.set(name, value);
          return send(request);
        };
      }`),
    );
    const seen: unknown[] = [];
    page.on("request", (request) => seen.push(request.headers()["traceparent"]));
    expect(await visible()).toEqual(["banner", "hero b", "as written"]);
    const sent = page.waitForResponse((answer) => new URL(answer.url()).pathname === "/v1/events");
    await page.evaluate("formflag.track('signup')");
    expect([(await sent).status(), events()[0]]).toMatchObject([
      200,
      { exposures: ["banner", "gone", "hero"] },
    ]);
    const status = (path: string, more: object) =>
      page.evaluate<number>(
        `fetch(${JSON.stringify(origin + path)}, ${JSON.stringify(more)}).then((answer) => (answer.body?.cancel(), answer.status))`,
      );
    const keys = { "x-project-key": project.key, "x-environment-key": project.environments[0]!.key };
    expect(await status("/api/v1/flags", { headers: keys })).toBe(200);
    expect(await status("/api/v1/flags/banner", { headers: keys })).toBe(200);
    const all = await page.evaluate<{ eventStreams: { endpoint: { requestUri: string } }[] }>(
      `fetch("${origin}/ofrep/v1/evaluate/flags", { method: "POST", body: "{}", headers: ${JSON.stringify(keys)} }).then((answer) => answer.json())`,
    );
    const { requestUri } = all.eventStreams[0]!.endpoint;
    expect(await status(requestUri, { headers: { "last-event-id": "1-2" } })).toBe(200);
    expect([new Set(seen.slice(1)), faults]).toEqual([new Set(Object.values(added)), []]);
  });

  test("is not needed: without JavaScript the page is as written, and the form is sent", async () => {
    [attributes, body] = ["", FLAGS + FORM];
    const context = await browser().newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(pages.url.href);
    expect(await page.locator("p:visible").allInnerTexts()).toEqual(["gone", "as written"]);
    await page.getByLabel("Email").fill("ann@example.com");
    await page.getByRole("button").click();
    await page.waitForURL(/\/v1\/thanks/);
  });
});
