import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { addAxe, openChromium } from "../support/pages/chromium.ts";
import { describeInBrowser, signInBrowser } from "../support/pages/dashboard-browser.ts";
import { EMPTY_PAGES, OPEN_PAGES, fullPages } from "../support/pages/dashboard-pages.ts";
import { startServer } from "../support/executable.ts";
import { startFullServer } from "../support/pages/full-dashboard.ts";
import { WIDE, faultsOf, hasNoPlace } from "./accessibility.ts";

const bare = await startServer();
const { made, server: furnished } = await startFullServer();

/** Pages whose commands would say nothing. */
const WITHOUT_COMMANDS = /^\/(\?.*|me|go(\?.*)?|keys|people|sign-in|link\/.*|invitation\/.*|nowhere)?$/;

/** Pages of no section. */
const WITHOUT_PLACE = /^\/(keys|sign-in.*|link\/.*|invitation\/.*|nowhere)$/;

/** Does something in the open page, and waits for the page that follows. */
type Act = (page: Page) => Promise<void>;

describeInBrowser("A page", () => {
  const browser = openChromium();
  let empty: Page;
  let full: Page;
  let open: Page;
  beforeAll(async () => {
    const options = { viewport: WIDE, reducedMotion: "reduce" } as const;
    empty = (await signInBrowser(browser(), bare, options)).page;
    full = (await signInBrowser(browser(), furnished, { user: "admin", ...options })).page;
    open = await (await browser().newContext(options)).newPage();
    for (const page of [empty, full, open]) await addAxe(page);
    await open.goto(`${bare.url}/dashboard/sign-in`);
  }, 60_000);

  const goTo = async (page: Page, path: string) => {
    await page.setViewportSize(WIDE);
    await page.goto(`${new URL(page.url()).origin}/dashboard${path}`);
  };

  async function check(page: Page, paths: readonly string[]): Promise<void> {
    const faults: string[] = [];
    for (const path of paths) {
      await goTo(page, path);
      faults.push(...(await faultsOf(page)));
      const headings = await page.locator("h1").count();
      if (headings !== 1) faults.push(`${path} has ${headings} h1`);
      const commands = await page.locator("main :is(code, pre)").count();
      if (commands === 0 && !WITHOUT_COMMANDS.test(path)) faults.push(`${path} has no command`);
      if (!WITHOUT_PLACE.test(path) && (await hasNoPlace(page)))
        faults.push(`${path} has no current place on a phone`);
    }
    expect(faults).toEqual([]);
  }

  for (const path of OPEN_PAGES)
    test(`without anybody signed in is for everybody: ${path}`, () => check(open, [path]));
  for (let start = 0; start < EMPTY_PAGES.length; start += 3) {
    const paths = EMPTY_PAGES.slice(start, start + 3);
    test(`with nothing to show is for everybody: ${paths.join(" ")}`, () => check(empty, paths));
  }
  const paths = fullPages(made);
  for (let start = 0; start < paths.length; start += 3) {
    const some = paths.slice(start, start + 3);
    test(`that is full is for everybody, ${start + 1} to ${start + some.length}`, () => check(full, some));
  }

  const production = "/projects/shop/environments/production/flags/checkout";
  const answers: [what: string, path: string, act: Act][] = [
    [
      "the dialog of a locked environment",
      production,
      async (page) => {
        await page.locator("#payload-part > summary").click();
        await page.getByRole("textbox", { name: "Payload" }).fill('"other"');
        await page.getByRole("button", { name: "Save in production", exact: true }).click();
        await page.getByRole("dialog").waitFor();
      },
    ],
    [
      "the question of a switch",
      production,
      async (page) => {
        await page.locator("#now details.ask > summary").click();
        await page.getByRole("button", { name: "Turn off in production", exact: true }).waitFor();
      },
    ],
    [
      "a payload that is no JSON",
      production,
      async (page) => {
        await page.locator("#payload-part > summary").click();
        await page.getByRole("textbox", { name: "Payload" }).fill("{\n  broken\n}");
        await page.getByRole("button", { name: "Save in production", exact: true }).click();
        await page.locator("[aria-invalid=true]").waitFor();
      },
    ],
    [
      "what a change would do",
      "/projects/shop/environments/develop/flags/checkout",
      async (page) => {
        await page.locator("#other-contexts > summary").click();
        await page.getByRole("button", { name: "Try", exact: true }).click();
        await page.getByRole("table").first().waitFor();
      },
    ],
    [
      "a form without a slug",
      "/forms/new",
      async (page) => {
        await page.getByLabel("Slug").fill("not a slug");
        await page.getByRole("button", { name: "Create the form" }).click();
        await page.locator("[aria-invalid=true]").waitFor();
      },
    ],
    [
      "an archived submission, to be undone",
      "/inbox",
      async (page) => {
        await page.locator("input[name=submission]").first().check();
        await page.getByRole("button", { name: "Archive", exact: true }).click();
        await page.getByRole("button", { name: "Undo" }).waitFor();
      },
    ],
    [
      "the question before an erasure",
      "/people?q=bob%40example.com",
      async (page) => {
        await page.getByLabel("More actions").click();
        await page.getByRole("button", { name: "Erase…" }).click();
        await page.getByRole("dialog").waitFor();
      },
    ],
    [
      "the secret of a new token",
      "/access/tokens",
      async (page) => {
        await page.getByLabel("Name").fill("pipeline");
        await page.getByText("Something else: scopes").click();
        await page.getByLabel("flags:read", { exact: true }).check();
        await page.getByRole("button", { name: "Create the token" }).click();
        await page.getByText("ff_").first().waitFor();
      },
    ],
    [
      "a promotion to look at",
      "/projects/shop/compare?from=develop&to=staging",
      async (page) => {
        await page.getByRole("button", { name: /Promote all/ }).click();
        await page.getByRole("heading", { level: 1, name: "Promote to staging" }).waitFor();
      },
    ],
  ];
  for (const [what, path, act] of answers)
    test(`that shows ${what} is for everybody`, async () => {
      await goTo(full, path);
      await act(full);
      expect(await faultsOf(full)).toEqual([]);
    });

  test("has a title that no other kind of page has", async () => {
    const titles = new Map<string, string>();
    for (const path of paths) {
      const page = await full.request.get(`${furnished.url}/dashboard${path}`);
      titles.set(path, /<title>(.*?)<\/title>/.exec(await page.text())![1]!);
    }
    const kinds = [...titles];
    const seen = new Map<string, string>();
    const shared: string[] = [];
    for (const [path, title] of kinds) {
      const other = seen.get(title);
      if (other !== undefined && !isSameKind(path, other)) shared.push(`${path} and ${other}: ${title}`);
      seen.set(title, path);
    }
    expect(shared).toEqual([]);
    expect(titles.get("/projects/shop/compare?from=develop&to=production")).toContain("develop");
  });
});

/** Whether two addresses are of one kind of page, in two of its states, or of two submissions. */
const isSameKind = (one: string, other: string) => kindOf(one) === kindOf(other);
const kindOf = (path: string) => path.split("?")[0]!.replace(/[\da-f]{8}-[\da-f-]{27}/, "ID");
