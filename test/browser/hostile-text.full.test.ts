import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { openChromium } from "../support/pages/chromium.ts";
import { describeInBrowser, signInBrowser } from "../support/pages/dashboard-browser.ts";
import { fullPages } from "../support/pages/dashboard-pages.ts";
import { startFullServer } from "../support/pages/full-dashboard.ts";
import { HOSTILE_TEXTS } from "../support/pages/hostile-texts.ts";

const { made, server } = await startFullServer(HOSTILE_TEXTS);

const PAGES = [
  ...fullPages(made),
  ...made.submissions.map((id) => `/inbox/contact/${id}`),
  ...[0, 20, 40].map((index) => `/projects/shop/environments/develop/flags/flag-${index}`),
];
/** Pages that a test opens. */
const STEP = 25;

/** The text as pages show it: control characters have pictures. */
const shownAs = (text: string) =>
  text
    .replace("\u202e", "\u2426")
    .replace("\u202c", "\u2426")
    .replace("\u0007", "\u2407")
    .replace("\u001b", "\u241b");

describeInBrowser("Text of others", () => {
  const browser = openChromium();
  let page: Page;
  /** What a page did that it must not do. */
  const incidents: string[] = [];

  beforeAll(async () => {
    // Each sign-in records the browser that it came from.
    for (const userAgent of HOSTILE_TEXTS.slice(0, 3)) {
      const { context } = await signInBrowser(browser(), server, { user: "admin", userAgent });
      await context.close();
    }
    const opened = await signInBrowser(browser(), server, { user: "admin" });
    page = opened.page;
    page.on("dialog", (dialog) => {
      incidents.push(`${page.url()}: a dialog: ${dialog.type()} ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("request", (request) => {
      if (new URL(request.url()).origin !== server.url)
        incidents.push(`${page.url()} asks for ${request.url()}`);
    });
    page.on("pageerror", (error) => incidents.push(`${page.url()}: ${error.message}`));
    await opened.context.exposeFunction("violated", (what: string) =>
      incidents.push(`${page.url()}: ${what}`),
    );
    await opened.context.addInitScript(`addEventListener("securitypolicyviolation", (event) =>
      violated(event.effectiveDirective + " " + event.blockedURI + " " + event.sample))`);
  }, 60_000);

  type Look = { text: string; strangers: string[] };
  const known = new Map<string, Look>();
  const read = async (path: string): Promise<Look> => {
    if (!known.has(path)) {
      await page.goto(`${server.url}/dashboard${path}`);
      known.set(path, await page.evaluate<Look>(LOOK));
    }
    return known.get(path)!;
  };

  for (let start = 0; start < PAGES.length; start += STEP) {
    const paths = PAGES.slice(start, start + STEP);
    test(`is text on pages ${start + 1} to ${start + paths.length}`, async () => {
      for (const path of paths) {
        expect([path, (await read(path)).strangers]).toEqual([path, []]);
      }
      expect(incidents).toEqual([]);
    });
  }

  test("is shown by some page, each of them", async () => {
    let unseen = HOSTILE_TEXTS;
    for (const path of PAGES) {
      if (unseen.length === 0) break;
      const { text } = await read(path);
      unseen = unseen.filter((each) => !text.includes(shownAs(each)));
    }
    expect(unseen).toEqual([]);
  });
});

/** The text of the page, also in its fields, and the elements in it that no page of the dashboard has. */
const LOOK = `(() => {
  const fields = [...document.querySelectorAll("input, textarea")].map(({ value }) => value);
  const strangers = "iframe, object, embed, base, style, marquee, video, audio, math, meta[http-equiv], body script, " +
    "[onerror], [onload], [onfocus], [onmouseover], [style], a[href^='javascript' i], a[href^='data' i]";
  return {
    text: [document.body.textContent, ...fields].join("\\n"),
    strangers: [...document.querySelectorAll(strangers)].map((each) => each.outerHTML.slice(0, 200)),
  };
})()`;
