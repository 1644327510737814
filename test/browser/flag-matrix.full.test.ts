import { expect, test } from "bun:test";
import { setDetails, setFlag } from "../../src/flags/flags.ts";
import { setEnvironment } from "../../src/projects/environments.ts";
import { createProject } from "../../src/projects/projects.ts";
import { openTestApp } from "../support/app.ts";
import { startServer } from "../support/executable.ts";
import { openChromium } from "../support/pages/chromium.ts";
import {
  WITH_JAVASCRIPT,
  WITHOUT_JAVASCRIPT,
  describeInBrowser,
  signInBrowser,
} from "../support/pages/dashboard-browser.ts";
import { OPERATOR } from "../support/records/caller.ts";

const LONG = "a-flag-of-a-team-that-writes-the-year-the-quarter-and-the-ticket-into-each-name-2026-q3-shop-";

const SHOP = { project: "shop" };

const VARIANT = "a-variant-with-a-name-that-is-wider-than-a-phone-and-goes-on-and-on";
const RULE = {
  variants: { [VARIANT]: "قيمة ".repeat(40), other: "x".repeat(300) },
  defaultVariant: "other",
  targeting: { if: [{ in: [{ var: "email" }, ["one-of-many@example.com", "ب".repeat(120)]] }, VARIANT] },
};

const app = openTestApp();
await createProject(app, OPERATOR, { slug: "shop", environments: ["develop", "staging", "production"] });
for (const [index, flag] of [`${LONG}4711`, `${LONG}4712`, "short", "plain"].entries()) {
  const description = ["أين طلبي؟ ".repeat(20), "Where is my order? ".repeat(20), "Where is my order?", ""][
    index
  ];
  for (const environment of ["develop", "staging", "production"])
    await setFlag(app, OPERATOR, { project: "shop", environment, flag }, { description, enabled: index < 2 });
  if (index === 3) continue;
  const tags = ["checkout", "الدفع", "release-of-the-third-quarter-of-2026", "growth"].slice(0, 4 - index);
  await setDetails(app, OPERATOR, { project: "shop", flag }, { owner: "فريق الدفع والفواتير والعملاء", tags });
}
const WIDE = ["develop", "an-environment-with-a-rather-long-name", "production"];
await createProject(app, OPERATOR, { slug: "wide", environments: WIDE });
for (const environment of WIDE)
  for (const flag of [`${LONG}4711`, "short"])
    await setFlag(app, OPERATOR, { project: "wide", environment, flag }, { enabled: true, ...RULE });
const server = await startServer([], { data: app.directory });

describeInBrowser("The list of flags", () => {
  const browser = openChromium();

  test("is two or three short lines a flag from 1,280 px on, and never wider than the window", async () => {
    const { page, context } = await signInBrowser(browser(), server);
    const heights =
      "[...document.querySelectorAll('tr[data-flag]')].map((row) => Math.round(row.offsetHeight))";
    const isWithin =
      "[document.documentElement, document.querySelector('.flags')].every((each) => each.scrollWidth <= each.clientWidth)";
    for (const width of [1600, 1280, 1100, 390, 320]) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto(`${server.url}/dashboard/projects/shop`);
      expect({ width, isWithin: await page.evaluate<boolean>(isWithin) }).toEqual({ width, isWithin: true });
      await page.goto(`${server.url}/dashboard/projects/wide`);
      expect({ width, isWithin: await page.evaluate<boolean>(isWithin) }).toEqual({ width, isWithin: true });
      await page.goto(`${server.url}/dashboard/projects/shop`);
      const rows = await page.evaluate<number[]>(heights);
      expect(rows).toHaveLength(4);
      if (width < 1280) continue;
      expect(Math.max(...rows)).toBeLessThan(130);
      expect((await page.locator("#flag-plain").boundingBox())!.height).toBeLessThan(60);
    }
    await context.close();
  });

  test("leads to a page that is never wider than the window, with long names too", async () => {
    const { page, context } = await signInBrowser(browser(), server);
    for (const width of [1280, 390, 320]) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto(`${server.url}/dashboard/projects/wide/flags/${LONG}4711?environment=develop`);
      for (const part of ["rules", "variants"]) await page.locator(`#${part}-part > summary`).click();
      const isWithin = "document.documentElement.scrollWidth <= document.documentElement.clientWidth";
      expect({ width, isWithin: await page.evaluate<boolean>(isWithin) }).toEqual({ width, isWithin: true });
    }
    await context.close();
  });

  test("names production in one line on a phone with a scrollbar, and what its search looks for", async () => {
    const { page, context } = await signInBrowser(browser(), server);
    for (const width of [390, 375, 320]) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto(`${server.url}/dashboard/projects/shop/flags/plain?environment=production`);
      const heights = await page.evaluate<number[]>(
        "[...document.querySelectorAll('.envs .env')].map(({ offsetHeight }) => offsetHeight)",
      );
      expect(heights).toHaveLength(3);
      expect({ width, most: Math.max(...heights) < 30 }).toEqual({ width, most: true });
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${server.url}/dashboard/projects/shop`);
    const search = page.getByRole("searchbox", { name: "Search flags" });
    // A text that is as long as the placeholder shows the room for it.
    await search.fill((await search.getAttribute("placeholder"))!);
    const room =
      "(({ scrollWidth, clientWidth }) => clientWidth - scrollWidth)(document.querySelector('#search'))";
    expect(await page.evaluate<number>(room)).toBe(0);
    await context.close();
  });

  test("ticks all, or a range with Shift, counts them, and keeps what is done with them in view", async () => {
    const { page, context } = await signInBrowser(browser(), server);
    await page.setViewportSize({ width: 1280, height: 500 });
    await page.goto(`${server.url}/dashboard/projects/shop`);
    const count = page.locator(".tally");
    expect(await count.isVisible()).toBe(false);
    await page.getByRole("checkbox", { name: "Tick plain" }).click();
    await page.getByRole("checkbox", { name: "Tick short" }).click({ modifiers: ["Shift"] });
    const ticked = () => page.locator("[name=flag]:checked").count();
    expect(await ticked()).toBe(2);
    await page.getByRole("checkbox", { name: "Tick every flag of this page" }).click();
    expect(await ticked()).toBe(4);
    const { y, height } = (await count.boundingBox())!;
    expect(y + height).toBeLessThanOrEqual(500);
    await context.close();
  });

  test.each([WITH_JAVASCRIPT, WITHOUT_JAVASCRIPT])(
    "turns a flag on with one press, and asks where the environment is locked, $how",
    async ({ javaScriptEnabled }) => {
      const { page, context } = await signInBrowser(browser(), server, { javaScriptEnabled });
      const stateOf = async (environment: string) =>
        (await app.store.flags.find({ project: "shop", environment, flag: "short" }))!.enabled;
      const turned = page.getByRole("switch", { name: "short in staging" });
      await page.goto(`${server.url}/dashboard/projects/shop`);
      for (const isOn of [true, false]) {
        await turned.click();
        await page.getByText(`short is ${isOn ? "on" : "off"} in staging.`).waitFor();
        expect(await turned.getAttribute("aria-checked")).toBe(String(isOn));
        expect(await stateOf("staging")).toBe(isOn);
      }
      await setEnvironment(app, OPERATOR, "shop", "production", { locked: true });
      await page.goto(`${server.url}/dashboard/projects/shop`);
      const ask = page.locator("[id='flag-short'] details.ask");
      await ask.locator("summary").click();
      await ask.getByLabel("Why").fill("to be seen");
      await ask.getByRole("button", { name: "Turn on in production" }).click();
      await page.getByText("short is on in production.").waitFor();
      expect(await stateOf("production")).toBe(true);
      await setEnvironment(app, OPERATOR, "shop", "production", { locked: false });
      await setFlag(app, OPERATOR, { ...SHOP, environment: "production", flag: "short" }, { enabled: false });
      await context.close();
    },
  );

  test.each([WITH_JAVASCRIPT, WITHOUT_JAVASCRIPT])(
    "turns ticked flags on in an environment, and takes that back by one Undo, $how",
    async ({ javaScriptEnabled }) => {
      const { page, context } = await signInBrowser(browser(), server, { javaScriptEnabled });
      await page.goto(`${server.url}/dashboard/projects/shop`);
      for (const flag of ["plain", "short"])
        await page.getByRole("checkbox", { name: `Tick ${flag}` }).check();
      const bar = page.getByRole("region", { name: "Ticked flags" });
      await bar.getByText("Turn on in…").click();
      await bar.getByLabel("Environment").selectOption("staging");
      await bar.getByRole("button", { name: "Turn on", exact: true }).click();
      await page.getByText("2 flags are on in staging.").waitFor();
      expect(await bar.isVisible()).toBe(false);
      const switches = ["plain", "short"].map((flag) =>
        page.getByRole("switch", { name: `${flag} in staging` }),
      );
      for (const each of switches) expect(await each.getAttribute("aria-checked")).toBe("true");
      await page.locator("#messages").getByRole("button", { name: "Undo" }).click();
      await page.getByText("2 flags changed back.").waitFor();
      for (const each of switches) expect(await each.getAttribute("aria-checked")).toBe("false");
      await context.close();
    },
  );

  test("answers who changed a flag, and takes it back, with four interactions", async () => {
    const { page, context } = await signInBrowser(browser(), server);
    const place = { ...SHOP, environment: "production", flag: "plain" };
    await setFlag(app, OPERATOR, place, { enabled: true });
    await setFlag(app, OPERATOR, { ...place, flag: "short" }, { description: "later" });
    await page.goto(`${server.url}/dashboard/projects/shop`);
    let interactions = 0;
    const one = async (act: Promise<unknown>) => ((interactions += 1), await act);
    await one(page.getByRole("link", { name: "History" }).click());
    const search = page.getByRole("searchbox", { name: "Flag or name" });
    await search.waitFor();
    await one(search.fill("plain").then(() => search.press("Enter")));
    await page.waitForURL(/name=plain/);
    await page.getByRole("article").first().getByText(OPERATOR.name).waitFor();
    await one(page.getByRole("link", { name: "Undo…" }).click());
    await one(page.getByRole("button", { name: "Roll back plain in production" }).click());
    await page.getByRole("status").getByText("plain").waitFor();
    expect((await app.store.flags.find(place))!.enabled).toBe(false);
    expect(interactions).toBeLessThanOrEqual(4);
    await context.close();
  });
});
