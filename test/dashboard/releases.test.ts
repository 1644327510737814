import { beforeAll, expect, test } from "bun:test";
import { createLink } from "../../src/access/users.ts";
import { setFlag } from "../../src/flags/flags.ts";
import { applyDue } from "../../src/flags/schedule.ts";
import { createProject } from "../../src/projects/projects.ts";
import { openTestApp } from "../support/app.ts";
import { OPERATOR } from "../support/caller.ts";
import { openChromium } from "../support/chromium.ts";
import { describeInBrowser, signInBrowser } from "../support/dashboard-browser.ts";
import { openDashboard } from "../support/dashboard.ts";
import { button, startFlagServer } from "../support/flag-server.ts";

const { server, cli, newProject } = await startFlagServer();

type Promotion = {
  flags: { slug: string }[];
  segments: { name: string; copied: boolean }[];
  unchanged: number;
};

describeInBrowser("A release", () => {
  const browser = openChromium();

  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? "with JavaScript" : "without JavaScript";
    const openAs = (user: string) => signInBrowser(browser(), server, { user, javaScriptEnabled });

    test(`is rolled back in a locked environment, ${how}`, async () => {
      const shop = await newProject();
      await shop.set("production", "--payload", '"one"', "--on");
      await shop.set("production", "--payload", '"two"');
      const { context, page } = await openAs("releaser");
      await page.goto(`${shop.page}/history`);
      await page.getByRole("link", { name: "Roll back…" }).nth(1).click();
      await page.getByRole("heading", { level: 1, name: "Roll back checkout" }).waitFor();
      for (const text of ['"one"', '"two"']) await page.locator("main").getByText(text).first().waitFor();
      await page.getByLabel("Why").fill("two broke it");
      await button(page, "Roll back checkout in production").click();
      await page.getByLabel("Type production to confirm").fill("production");
      await page.locator("#confirmation").getByRole("button").first().click();
      await page.getByRole("status").getByText("checkout").waitFor();
      expect((await shop.get("production")).payload).toBe("one");
      await page.goto(`${shop.page}/history`);
      await page.getByText("two broke it").waitFor();
      await context.close();
    });

    test(`is promoted as the command line would, with the segment of its rule, ${how}`, async () => {
      const shop = await newProject();
      const at = ["-p", shop.slug, "-e", "develop"];
      await cli.json(
        "segments",
        "set",
        "staff",
        ...at,
        "--rule",
        '{"ends_with":[{"var":"email"},"@example.com"]}',
      );
      await shop.set("develop", "--variants", '{"on":true,"off":false}', "--default", "off", "--on");
      await shop.set("develop", "--targeting", '{"if":[{"$ref":"staff"},"on","off"]}');
      for (const flag of ["search", "menu"])
        await cli.json("flags", "set", flag, ...at, "--payload", `"${flag}"`, "--on");
      const from = ["-p", shop.slug, "--from", "develop", "--to", "production"];
      const dryRun = () =>
        cli.json<Promotion>("flags", "promote", "--all", "--segments", ...from, "--dry-run");
      const planned = await dryRun();
      expect(planned.flags.length).toBe(3);

      const { context, page } = await openAs("releaser");
      await page.goto(`${shop.page}/compare?from=develop&to=production`);
      const boxes = page.getByRole("checkbox", { name: /^Promote / });
      const listed = await boxes.evaluateAll((all) =>
        all.map((each) => (each as unknown as { value: string }).value),
      );
      expect(listed.toSorted()).toEqual(planned.flags.map(({ slug }) => slug).toSorted());
      await page.getByRole("checkbox", { name: "Promote checkout" }).check();
      await page.getByRole("checkbox", { name: /^Copy the segments/ }).check();
      await button(page, "Promote what is ticked…").click();
      await page.getByRole("heading", { level: 1, name: "Promote to production" }).waitFor();
      await page.locator("#promote").getByRole("button").first().click();
      await page.getByLabel("Type production to confirm").fill("production");
      await page.locator("#confirmation").getByRole("button").first().click();
      await page.getByRole("status").getByText("promoted", { exact: false }).waitFor();
      expect((await shop.get("production")).enabled).toBe(true);
      expect((await dryRun()).flags.map(({ slug }) => slug).toSorted()).toEqual(["menu", "search"]);
      await context.close();
    });
  }
});

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
    await page.getByText("For a while, or later").click();
    await page.locator("#span").selectOption({ label: "2 hours" });
    await button(page, "Turn on for a while in develop").click();
    await page.getByText("checkout is on in develop for 2 hours.").waitFor();
    await page.getByRole("heading", { name: "Scheduled in develop" }).waitFor();
    expect(await isOn()).toBe(true);
    await later(7_000_000);
    expect(await isOn()).toBe(true);
    await later(300_000);
    expect(await isOn()).toBe(false);

    await page.reload();
    await page.getByText("For a while, or later").click();
    const tomorrow = new Date(app.clock.now + 86_400_000).toISOString().slice(0, 16);
    await page.getByLabel("Turn on at").fill(tomorrow);
    await button(page, "Turn on later in develop").click();
    await page.getByText(/checkout turns on in develop on/).waitFor();
    await later(80_000_000);
    expect(await isOn()).toBe(false);
    await later(10_000_000);
    expect(await isOn()).toBe(true);
    await context.close();
  });

  test("can be cancelled", async () => {
    await setFlag(app, OPERATOR, place, { enabled: true });
    const { context, page } = await openAsAdmin();
    await page.goto(`${url}/dashboard/projects/shop/environments/develop/flags/checkout`);
    await page.getByText("For a while, or later").click();
    await button(page, "Turn off for a while in develop").click();
    await page.getByText("checkout is off in develop for 2 hours.").waitFor();
    await page.goto(`${url}/dashboard/projects/shop/scheduled`);
    await page.getByRole("link", { name: "Cancel…" }).click();
    await button(page, "Cancel this change").click();
    await page.getByText("No change is scheduled").waitFor();
    await later(86_400_000);
    expect(await isOn()).toBe(false);
    await context.close();
  });

  async function openAsAdmin() {
    const context = await browser().newContext({ timezoneId: "UTC" });
    const page = await context.newPage();
    const { secret } = await createLink(app, OPERATOR);
    await page.goto(`${url}/dashboard/link/${secret}`);
    await button(page, "Sign in here").click();
    await page.waitForURL(/\/dashboard\/me/);
    return { context, page };
  }
});
