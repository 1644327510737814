import { expect, test } from "bun:test";
import { setDetails, setFlag } from "../../src/flags/flags.ts";
import { createProject } from "../../src/projects/projects.ts";
import { openTestApp } from "../support/app.ts";
import { startServer } from "../support/executable.ts";
import { openChromium } from "../support/pages/chromium.ts";
import { describeInBrowser, signInBrowser } from "../support/pages/dashboard-browser.ts";
import { OPERATOR } from "../support/records/caller.ts";

const LONG = "a-flag-of-a-team-that-writes-the-year-the-quarter-and-the-ticket-into-each-name-2026-q3-shop-";

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
const server = await startServer([], { data: app.directory });

describeInBrowser("The list of flags", () => {
  const browser = openChromium();

  test("is a line a flag from 1,100 px on, and never wider than the window", async () => {
    const { page, context } = await signInBrowser(browser(), server);
    const heights = "[...document.querySelectorAll('tbody tr')].map((row) => Math.round(row.offsetHeight))";
    const isWithin =
      "[document.documentElement, document.querySelector('.wide')].every((each) => each.scrollWidth <= each.clientWidth)";
    for (const width of [1600, 1280, 1100, 390, 320]) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto(`${server.url}/dashboard/projects/shop`);
      expect({ width, isWithin: await page.evaluate<boolean>(isWithin) }).toEqual({ width, isWithin: true });
      const rows = await page.evaluate<number[]>(heights);
      expect(rows).toHaveLength(4);
      if (width >= 1100) expect(Math.max(...rows)).toBeLessThan(48);
    }
    await context.close();
  });

  test("ticks all, or a range with Shift, counts them, and keeps what is done with them in view", async () => {
    const { page, context } = await signInBrowser(browser(), server);
    await page.setViewportSize({ width: 1280, height: 500 });
    await page.goto(`${server.url}/dashboard/projects/shop`);
    const count = page.locator(".tally");
    expect(await count.isVisible()).toBe(false);
    await page.getByRole("checkbox", { name: "plain" }).click();
    await page.getByRole("checkbox", { name: "short" }).click({ modifiers: ["Shift"] });
    const ticked = () => page.locator("[name=flag]:checked").count();
    expect(await ticked()).toBe(2);
    await page.getByRole("checkbox", { name: "Tick every flag of this page" }).click();
    expect(await ticked()).toBe(4);
    const { y, height } = (await count.boundingBox())!;
    expect(y + height).toBeLessThanOrEqual(500);
    await context.close();
  });
});
