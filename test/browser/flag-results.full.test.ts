import { expect, test } from "bun:test";
import { button, startFlagServer } from "../support/flag-server.ts";
import { openChromium } from "../support/pages/chromium.ts";
import { describeInBrowser, signInBrowser } from "../support/pages/dashboard-browser.ts";
import { SAID, VIEWPORTS, WRONG, watchResults } from "./results.ts";

const server = await startFlagServer();

describeInBrowser("The pages of flags", () => {
  const browser = openChromium();

  for (const viewport of VIEWPORTS)
    test(`show the results of a switch, a rule, a payload, details and a new flag in a window of ${viewport.width} px`, async () => {
      const shop = await server.newProject();
      await shop.set("develop", "--on", "--variants", '{"on":true,"off":false}', "--default", "off");
      for (let at = 0; at < 30; at += 1)
        await server.cli.json("flags", "set", `more-${at}`, "-p", shop.slug, "-e", "develop");
      const { context, page } = await signInBrowser(browser(), server.server, { user: "admin", viewport });
      const { check, faults } = watchResults(page);

      await page.goto(shop.pathOf("develop"));
      await button(page, "Turn off in develop").click();
      await check("a flag turned off", SAID);
      const rest = page.getByRole("group", { name: "Everyone else" });
      await rest.getByLabel("Serve").selectOption("shares");
      await rest.getByLabel("Share of on").fill("25");
      await button(page, "Save in develop").click();
      await check("a saved rule", SAID);
      await page.getByRole("textbox", { name: "Payload" }).fill("{ broken");
      await button(page, "Save in develop").click();
      await check("a broken payload", WRONG);
      await page.goto(shop.pathOf("develop"));
      await page.locator("summary", { hasText: "owner, tags, archive" }).first().click();
      await page.getByLabel("Owner").fill("ann");
      await button(page, "Save details").click();
      await check("saved details", SAID);

      await page.goto(shop.page);
      await page.locator("summary", { hasText: "Create a flag" }).click();
      await page.getByRole("form", { name: "Create a flag" }).getByLabel("Name").fill("not a name");
      await button(page, "Create flag").click();
      await check("a flag with a wrong name", WRONG);

      expect(faults).toEqual([]);
      await context.close();
    }, 120_000);
});
