import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { openChromium } from "../support/pages/chromium.ts";
import { type Way, describeInBrowser, signInBrowser } from "../support/pages/dashboard-browser.ts";
import { type FlagServer, button } from "../support/flag-server.ts";

type Promotion = {
  flags: { slug: string }[];
  segments: { name: string; copied: boolean }[];
  unchanged: number;
};

/** What people do to bring a change to other environments, or to take it back. */
export function releaseFlow({ server, cli, newProject }: FlagServer, { how, javaScriptEnabled }: Way): void {
  describeInBrowser("A release", () => {
    const browser = openChromium();
    const openAs = (user: string) => signInBrowser(browser(), server, { user, javaScriptEnabled });

    test(`is rolled back in a locked environment, ${how}`, async () => {
      const shop = await newProject();
      await shop.set("production", "--payload", '"one"', "--on");
      await shop.set("production", "--payload", '"two"');
      const { context, page } = await openAs("releaser");
      await page.goto(`${shop.page}/history`);
      await page
        .getByRole("link", { name: /^Revision \d+, checkout$/ })
        .nth(1)
        .click();
      await page.getByRole("link", { name: "Restore this state…" }).click();
      await page.getByRole("heading", { level: 1, name: "Roll back checkout" }).waitFor();
      for (const text of ['"one"', '"two"']) await page.locator("main").getByText(text).first().waitFor();
      await button(page, "Roll back checkout in production").click();
      await page.getByLabel("Why").fill("two broke it");
      await page.getByLabel("Type production to confirm").fill("production");
      await page.locator("#confirmation").getByRole("button").first().click();
      await page.getByRole("status").getByText("checkout").waitFor();
      expect((await shop.get("production")).payload).toBe("one");
      await page.goto(`${shop.page}/history`);
      await page.getByText("two broke it").waitFor();
      await context.close();
    });

    test.if(javaScriptEnabled)(
      `is reviewed on a page that stays when its tab is looked at again, ${how}`,
      async () => {
        const shop = await newProject();
        await shop.set("develop", "--payload", '"one"', "--on");
        const { context, page } = await openAs("releaser");
        await page.goto(`${shop.page}/compare?from=develop&to=production`);
        const loading = page.waitForRequest((request) => request.headers()["x-update"] !== undefined);
        await lookAgain(page);
        expect((await loading).url()).toBe(page.url());
        await page.getByRole("checkbox", { name: "Promote checkout" }).check();
        await button(page, "Promote what is ticked…").click();
        await page.locator("#promote").waitFor();
        const loads = updatesOf(page);
        await lookAgain(page);
        expect(loads).toEqual([]);
        await page.locator("#promote").getByRole("button").first().waitFor();
        await context.close();
      },
    );

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
  });
}

/** The addresses that a page loads from now on to show what has changed. */
function updatesOf(page: Page): string[] {
  const loads: string[] = [];
  page.on("request", (request) => {
    if (request.headers()["x-update"] !== undefined) loads.push(request.url());
  });
  return loads;
}

/** Tells a page that its tab is looked at again, and waits until it has had the time that it collects changes for. */
function lookAgain(page: Page): Promise<void> {
  return page.evaluate(`new Promise((resolve) => {
    document.dispatchEvent(new Event("visibilitychange"));
    setTimeout(resolve, 200);
  })`);
}
