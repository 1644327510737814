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
      await page.locator("#rules-part > summary").click();
      const rest = page.getByRole("group", { name: "Everyone else" });
      await rest.getByLabel("Serve").selectOption("shares");
      await rest.getByLabel("Share of on").fill("25");
      await button(page, "Save in develop").click();
      await check("a saved rule", SAID);
      await page.locator("#payload-part > summary").click();
      await page.getByRole("textbox", { name: "Payload" }).fill("{ broken");
      await button(page, "Save in develop").click();
      await check("a broken payload", WRONG);
      await page.goto(shop.pathOf("develop"));
      await page.locator("summary", { hasText: "Name, owner, tags" }).first().click();
      await page.getByLabel("Owner").fill("ann");
      await button(page, "Save details").click();
      await check("saved details", SAID);

      await page.goto(shop.page);
      await page.locator("summary", { hasText: "New flag" }).click();
      await page.getByRole("form", { name: "New flag" }).getByLabel("Name").fill("not a name");
      await button(page, "Create flag").click();
      await check("a flag with a wrong name", WRONG);

      expect(faults).toEqual([]);
      await context.close();
    }, 120_000);

  for (const viewport of VIEWPORTS)
    test(`show what is done with the flags that are ticked in a window of ${viewport.width} px`, async () => {
      const shop = await server.newProject();
      for (let at = 10; at < 40; at += 1)
        await server.cli.json(
          "flags",
          "set",
          `flag-${at}`,
          "-p",
          shop.slug,
          "-e",
          "develop",
          "--payload",
          "1",
        );
      await server.cli.json("environments", "unlock", "production", "-p", shop.slug, "--yes");
      const { context, page } = await signInBrowser(browser(), server.server, { user: "admin", viewport });
      const { check, faults, seenOf } = watchResults(page);
      const acts = page.getByRole("region", { name: "Ticked flags" });
      const see = async (each: string, where: string) => {
        const seen = await seenOf(`.bulkbar ${each}`);
        if (seen !== "seen") faults.push(`${each} with ${where}: ${seen}`);
      };
      const tick = async (flag: string) => {
        const box = page.getByRole("checkbox", { name: `Tick ${flag}` });
        await box.scrollIntoViewIfNeeded();
        await box.check();
        for (const each of ["summary", "[value=archive]", "[formaction]"]) await see(each, `${flag} ticked`);
      };
      const openTag = async () => {
        await acts.locator("summary", { hasText: "Tag…" }).click();
        for (const each of ["[name=tag]", "[value=tag]"]) await see(each, "the menu open");
      };

      await page.goto(shop.page);
      await tick("flag-10");
      await openTag();
      await acts.getByRole("textbox", { name: "Tag" }).fill("beta");
      await acts.getByRole("button", { name: "Tag", exact: true }).click();
      await check("a tag", SAID);
      await page.goto(shop.page);
      await tick("flag-25");
      await acts.getByRole("button", { name: "Archive" }).click();
      await check("flags in the archive", SAID);
      await page.goto(shop.page);
      await tick("flag-39");
      await button(page, "Copy develop to production…").click();
      await page.getByRole("heading", { name: "Promote to production" }).waitFor();
      await check("what a promotion does", "h1");
      await page.getByRole("button", { name: /^Promote/ }).click();
      await check("a promotion", SAID);
      await page.goto(shop.page);
      await tick("flag-30");
      await openTag();
      await acts.getByRole("button", { name: "Tag", exact: true }).click();
      await check("a tag without a name", "#messages .said, main .notice.bad, [aria-invalid=true]");

      expect(faults).toEqual([]);
      await context.close();
    }, 120_000);
});
