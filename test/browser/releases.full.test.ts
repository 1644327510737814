import { beforeAll, expect, test } from "bun:test";
import { createLink } from "../../src/access/users.ts";
import { setFlag } from "../../src/flags/flags.ts";
import { applyDue } from "../../src/flags/schedule/schedule-job.ts";
import { createProject } from "../../src/projects/projects.ts";
import { openTestApp } from "../support/app.ts";
import { OPERATOR } from "../support/records/caller.ts";
import { openChromium } from "../support/pages/chromium.ts";
import { WITH_JAVASCRIPT, describeInBrowser } from "../support/pages/dashboard-browser.ts";
import { openDashboard } from "../support/pages/dashboard.ts";
import { button, startFlagServer } from "../support/flag-server.ts";
import { releaseFlow } from "./releases.ts";

releaseFlow(await startFlagServer(), WITH_JAVASCRIPT);

describeInBrowser("A change for later", () => {
  const browser = openChromium();
  // With a clock of its own, so that no test waits.
  const app = openTestApp();
  const { created } = openDashboard(app);
  const place = { project: "shop", environment: "develop", flag: "checkout" };
  let url = "";
  beforeAll(async () => {
    app.clock.now = Date.now();
    await createProject(app, OPERATOR, { slug: "shop", environments: ["develop"] });
    const dashboard = await created;
    const site = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request) =>
        dashboard.fetch(request, { client: { address: "127.0.0.1" } as never, peer: () => "127.0.0.1" }),
    });
    site.unref();
    url = site.url.origin;
  });
  const later = async (ms: number) => {
    app.clock.now += ms;
    await applyDue(app, (fault) => {
      throw new Error(fault);
    });
  };
  const isOn = async () => (await app.store.flags.find(place))!.enabled;

  test("happens when it is due, and a change for a while ends", async () => {
    await setFlag(app, OPERATOR, place, { payload: 1 });
    const { context, page } = await openAsAdmin();
    await page.goto(`${url}/dashboard/projects/shop/environments/develop/flags/checkout`);
    await page.getByRole("radio", { name: "For a while" }).click();
    await page.getByLabel("How long").selectOption({ label: "2 hours" });
    await page.getByRole("button", { name: "Release for 2 hours in develop" }).waitFor();
    await page.locator("#release-form button[value=release]").click();
    await page.getByText("Released in develop. For the next 2 hours, everyone gets on").waitFor();
    await page.getByRole("heading", { name: "Scheduled in develop" }).waitFor();
    expect(await isOn()).toBe(true);
    await later(7_000_000);
    expect(await isOn()).toBe(true);
    await later(300_000);
    expect(await isOn()).toBe(false);

    await page.reload();
    await page.getByRole("radio", { name: "At a time" }).click();
    const details = page.locator("input[name=details]");
    const before = await details.inputValue();
    const tomorrow = new Date(app.clock.now + 86_400_000).toISOString().slice(0, 16);
    await page.getByLabel("When", { exact: true }).fill(tomorrow);
    while ((await details.inputValue()) === before) await Bun.sleep(20);
    // Of all the sentences that the page has, the one that shows.
    expect(await page.locator("#release-form .will p").first().innerText()).toMatch(
      new RegExp(`^Tomorrow, ${tomorrow.slice(11)}, everyone gets on\\.$`),
    );
    await page.locator("#release-form button[value=release]").click();
    await page.getByText(/Scheduled in develop\. Tomorrow, .* everyone gets on/).waitFor();
    await later(80_000_000);
    expect(await isOn()).toBe(false);
    await later(10_000_000);
    expect(await isOn()).toBe(true);
    await context.close();
  }, 60_000);

  test("can be cancelled", async () => {
    await setFlag(app, OPERATOR, place, { enabled: true });
    const { context, page } = await openAsAdmin();
    await page.goto(`${url}/dashboard/projects/shop/environments/develop/flags/checkout`);
    await page.getByRole("radio", { name: "Nobody" }).click();
    await page.getByRole("radio", { name: "For a while" }).click();
    await page.locator("#release-form button[value=release]").click();
    await page.getByText("For the next 8 hours, nobody gets on").first().waitFor();
    await page.goto(`${url}/dashboard/projects/shop/releases?show=scheduled`);
    await page.getByRole("link", { name: "Cancel…: checkout" }).click();
    await button(page, "Cancel this change").click();
    await page.getByText("Nothing is released step by step, at a time, or as an experiment").waitFor();
    await later(86_400_000);
    expect(await isOn()).toBe(false);
    await context.close();
  }, 60_000);

  async function openAsAdmin() {
    const context = await browser().newContext({ timezoneId: "UTC" });
    const page = await context.newPage();
    const { secret } = await createLink(app, OPERATOR);
    await page.goto(`${url}/dashboard/link/${secret}`);
    await button(page, "Sign in here").click();
    await page.waitForURL(/\/dashboard\/start/);
    return { context, page };
  }
});
