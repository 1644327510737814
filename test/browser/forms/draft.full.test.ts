import { afterAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { createForm } from "../../../src/forms/forms.ts";
import { createSite } from "../../../src/http/site.ts";
import { openServices, openTestApp, siteOptions } from "../../support/app.ts";
import { openChromium } from "../../support/pages/chromium.ts";
import { describeInBrowser } from "../../support/pages/dashboard-browser.ts";
import { OPERATOR } from "../../support/records/caller.ts";

const app = openTestApp();
const site = createSite(openServices(app), siteOptions(app));
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: (request) => site.fetch(request, () => "127.0.0.1"),
});
const origin = server.url.origin;

let body = "";
const pages = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: () =>
    new Response(`<!doctype html><title>Page</title><script src="${origin}/v1/draft.js"></script>${body}`, {
      headers: { "Content-Type": "text/html; charset=utf-8" },
    }),
});
afterAll(() => Promise.all([server.stop(true), pages.stop(true)]));

const schema = { type: "object", properties: { email: { type: "string", format: "email" } } };
const home = pages.url.href;
const form = await createForm(app, OPERATOR, {
  slug: "contact",
  schema,
  successUrl: `${home}thanks`,
  errorUrl: `${home}oops`,
});

const FIELDS = `<input name="email"><textarea name="text"></textarea><button>Send</button>`;
const formOf = (fields: string, draft = "data-draft") =>
  `<form method="post" ${draft} action="${origin}/v1/s/${form.key}">${fields}</form>`;

describeInBrowser("in a browser (needs /usr/bin/chromium), the script of drafts", () => {
  const browser = openChromium();

  async function open(content: string, before?: string) {
    body = content;
    const context = await browser().newContext();
    const page = await context.newPage();
    const faults: string[] = [];
    page.on("pageerror", (error) => faults.push(String(error)));
    if (before !== undefined) await page.addInitScript(before);
    await page.goto(home);
    return { page, faults, [Symbol.asyncDispose]: () => context.close() };
  }
  /** What both storages hold, as text. */
  const stored = (page: Page) =>
    page.evaluate<string>("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])");
  const values = (page: Page) =>
    page.evaluate<unknown[]>("[...document.querySelectorAll('input, textarea')].map((each) => each.value)");
  const again = (page: Page) => page.goto(`${home}?again`).then(() => page.goto(home));

  test("keeps what was typed, chosen and ticked, and nothing secret, hidden or of control", async () => {
    const fields = `<input name="name"><input name="a" type="checkbox"><input name="b" type="radio" value="1"><input name="b" type="radio" value="2">
      <select name="c"><option>x<option>y</select><select name="d" multiple><option>x<option>y<option>z</select>
      <input name="pass" type="password"><input name="shown" autocomplete="current-password"><input name="off" autocomplete="off">
      <input name="card" autocomplete="billing cc-number"><input name="secret" type="hidden" value="HIDDEN"><input name="_gotcha"><input name="file" type="file">`;
    await using opened = await open(formOf(fields));
    const { page, faults } = opened;
    for (const name of ["pass", "shown", "off", "card", "_gotcha"])
      await page.fill(`[name=${name}]`, "SECRET");
    await page.fill("[name=name]", "Ada");
    await page.check("[name=a]");
    await page.check("[name=b][value='2']");
    await page.selectOption("[name=c]", "y");
    await page.selectOption("[name=d]", ["x", "z"]);
    expect(await stored(page)).not.toMatch(/SECRET|HIDDEN/);
    await again(page);
    const state = `[...document.forms[0].elements].map((each) => each.multiple && each.options ? [...each.selectedOptions].map((o) => o.value).join() : each.type == "checkbox" || each.type == "radio" ? each.checked : each.value)`;
    expect(await page.evaluate<unknown[]>(state)).toEqual([
      "Ada",
      true,
      false,
      true,
      "y",
      "x,z",
      "",
      "",
      "",
      "",
      "HIDDEN",
      "",
      "",
    ]);
    expect(faults).toEqual([]);
  });

  test("is gone once the browser has sent the form and came to its success URL", async () => {
    await using opened = await open(formOf(FIELDS));
    const { page } = opened;
    await page.fill("[name=email]", "ada@example.com");
    expect(await stored(page)).toContain("ada@example.com");
    await page.click("button");
    await page.waitForURL("**/thanks*");
    await page.goto(home);
    expect(await values(page)).toEqual(["", ""]);
    expect(await stored(page)).toBe("[{},{}]");
  });

  test("stays after a submission that was refused, by a link of the error page or by Back", async () => {
    await using opened = await open(formOf(FIELDS) + `<a href="/">again</a>`);
    const { page } = opened;
    await page.fill("[name=email]", "nobody");
    await page.fill("[name=text]", "Hello");
    await page.click("button");
    await page.waitForURL("**/oops*");
    await page.click("a");
    await page.waitForURL(home);
    expect(await values(page)).toEqual(["nobody", "Hello"]);
    await page.click("button");
    await page.waitForURL("**/oops*");
    await page.goBack();
    expect(await values(page)).toEqual(["nobody", "Hello"]);
  });

  test("goes with flags.js: it stays if the form was refused, and is gone once it was sent", async () => {
    const script = `<script src="${origin}/v1/flags.js" crossorigin="anonymous" data-key="none"></script>`;
    await using opened = await open(script + formOf(FIELDS));
    const { page } = opened;
    await page.fill("[name=email]", "nobody");
    await page.click("button");
    await page.locator("[aria-invalid=true]").waitFor();
    expect(await stored(page)).toContain("nobody");
    await again(page);
    expect(await values(page)).toEqual(["nobody", ""]);
    await page.fill("[name=email]", "ada@example.com");
    await page.click("button");
    await page.waitForURL("**/thanks*");
    expect(await stored(page)).not.toContain("ada@example.com");
  });

  test("keeps two forms apart, and leaves a form without data-draft alone", async () => {
    const two = formOf(FIELDS) + formOf(FIELDS, 'data-draft="other"') + formOf(FIELDS, "");
    await using opened = await open(two);
    const { page } = opened;
    for (const [index, text] of ["one", "two", "three"].entries())
      await page.locator("textarea").nth(index).fill(text);
    await again(page);
    expect(await values(page)).toEqual(["", "one", "", "two", "", ""]);
    await page.evaluate("document.forms[0].reset()");
    await again(page);
    expect(await values(page)).toEqual(["", "", "", "two", "", ""]);
  });

  test("is gone after 7 days, or if it cannot be read", async () => {
    await using opened = await open(formOf(FIELDS) + formOf(FIELDS, 'data-draft="other"'));
    const { page } = opened;
    for (const [index, text] of ["one", "two"].entries())
      await page.locator("textarea").nth(index).fill(text);
    await page.evaluate(`for (const key of Object.keys(localStorage)) {
      const [at, ...rest] = JSON.parse(localStorage[key]);
      localStorage[key] = key.includes("other") ? JSON.stringify([at - 6.9 * 864e5, ...rest]) : JSON.stringify([at - 7.1 * 864e5, ...rest]);
    }
    localStorage["formflag-draft gone"] = "{broken";
    localStorage["mine"] = "1";`);
    await again(page);
    expect(await values(page)).toEqual(["", "", "", "two"]);
    expect(await page.evaluate<string[]>("Object.keys(localStorage).sort()")).toEqual([
      "formflag-draft other",
      "mine",
    ]);
  });

  test.each([
    [
      "is full",
      "Object.defineProperty(window, 'localStorage', { value: new Proxy({}, { set() { throw new DOMException('', 'QuotaExceededError') } }) })",
    ],
    [
      "is blocked",
      "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('', 'SecurityError') } })",
    ],
  ])("does nothing if the storage %s, and the form is sent as ever", async (_, before) => {
    await using opened = await open(formOf(FIELDS), before);
    const { page, faults } = opened;
    await page.fill("[name=email]", "ada@example.com");
    await page.click("button");
    await page.waitForURL("**/thanks*");
    expect(faults).toEqual([]);
  });
});
