import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { openChromium } from "../support/pages/chromium.ts";
import { describeInBrowser, signInBrowser } from "../support/pages/dashboard-browser.ts";
import { startFullServer } from "../support/pages/full-dashboard.ts";
import { WIDE, barriersAsShown } from "./accessibility.ts";

const { made, server } = await startFullServer();
const FLAG = "/projects/shop/environments/production/flags/checkout";

/** A page of each section. `accessibility.full.test.ts` visits all, also in the dark, enlarged and on a phone. */
const PAGES = [
  "/",
  "/inbox",
  `/inbox/contact/${made.withFiles}`,
  "/forms/contact/settings",
  "/projects/shop",
  FLAG,
  "/projects/shop/history",
  `/projects/shop/changes/${made.change}`,
  "/audit",
  "/deliveries?status=failed",
  "/projects/shop/members",
  "/projects/shop/settings",
  "/access/users/viewer",
  "/health",
];

describeInBrowser("A page of each section", () => {
  const browser = openChromium();
  let page: Page;
  beforeAll(async () => {
    ({ page } = await signInBrowser(browser(), server, { user: "admin", viewport: WIDE }));
  });

  test("has no barrier", async () => {
    const faults: string[] = [];
    for (const path of PAGES) {
      await page.goto(`${server.url}/dashboard${path}`);
      faults.push(...(await barriersAsShown(page)).map((fault) => `${path}: ${fault}`));
      expect(await page.locator("h1").count()).toBe(1);
    }
    expect(faults).toEqual([]);
  });
});
