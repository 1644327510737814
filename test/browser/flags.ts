import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { openChromium } from "../support/pages/chromium.ts";
import { type Way, describeInBrowser, signInBrowser } from "../support/pages/dashboard-browser.ts";
import { eventually } from "../support/eventually.ts";
import { type FlagServer, button } from "../support/flag-server.ts";

/** What people do with a flag. */
export function flagFlow({ server, newProject }: FlagServer, { how, javaScriptEnabled }: Way): void {
  describeInBrowser("A flag", () => {
    const browser = openChromium();
    const openAs = (user: string) => signInBrowser(browser(), server, { user, javaScriptEnabled });
    const payloadOf = (page: Page) => page.getByRole("textbox", { name: "Payload" });
    const unfoldPayload = (page: Page) => page.locator("#payload-part > summary").click();

    test(`is created, turned on, and given a payload, where a broken one keeps its text, ${how}`, async () => {
      const shop = await newProject();
      const { context, page } = await openAs("editor");
      await page.goto(shop.page);
      const create = page.locator("#new-flag");
      const opens = create.locator("summary");
      if (await opens.isVisible()) await opens.click();
      await create.getByRole("textbox").first().fill("checkout");
      await button(page, "Create flag").click();
      await page.getByText("The flag checkout is created.").waitFor();
      await page.goto(shop.pathOf("develop"));
      await button(page, "Turn on in develop").click();
      await button(page, "Turn off in develop").waitFor();
      expect((await shop.get("develop")).enabled).toBe(true);
      expect((await shop.get("production")).enabled).toBe(false);

      const broken = '{\n  "text": "Hello",\n  broken\n}';
      const payload = payloadOf(page);
      await unfoldPayload(page);
      await payload.fill(broken);
      await button(page, "Save in develop").click();
      await page
        .getByText(/line 3/i)
        .first()
        .waitFor();
      expect([await payload.isVisible(), await payload.inputValue()]).toEqual([true, broken]);
      expect((await shop.get("develop")).payload).toEqual({});
      await payload.fill('{"text": "Hello"}');
      await button(page, "Save in develop").click();
      await page.getByText("Saved in develop: Payload.").waitFor();
      expect((await shop.get("develop")).payload).toEqual({ text: "Hello" });
      await context.close();
    });

    test(`of a locked environment is turned on where it asks, and readers see it, ${how}`, async () => {
      const shop = await newProject();
      await shop.set("production", "--payload", '"new"');
      expect((await shop.evaluate("production")).value).toBe(false);
      const { context, page } = await openAs("releaser");
      await page.goto(shop.pathOf("production"));
      const turn = (state: string) =>
        page.getByLabel(`checkout is ${state} in production, which is locked: change…`);
      const confirmed = button(page, "Turn on in production");
      expect(await confirmed.isVisible()).toBe(false);
      await turn("off").click();
      await page.locator("#state-why").fill("the new checkout is ready");
      expect((await shop.get("production")).enabled).toBe(false);
      await confirmed.click();
      await turn("on").waitFor();
      await page.getByText("the new checkout is ready").first().waitFor();
      expect((await shop.get("production")).enabled).toBe(true);
      await eventually("a reader gets it", async () => (await shop.evaluate("production")).value === true);
      await context.close();
    });

    test(`of a locked environment is saved by its name alone, ${how}`, async () => {
      const shop = await newProject();
      await shop.set("production", "--payload", '"new"');
      const { context, page } = await openAs("releaser");
      await page.goto(shop.pathOf("production"));
      await unfoldPayload(page);
      await payloadOf(page).fill('"newer"');
      await button(page, "Save in production").click();
      const confirm = page.getByLabel("Type production to confirm");
      await confirm.fill("develop");
      const confirmed = page.locator("#confirmation").getByRole("button", { name: "Save in production" });
      await confirmed.click();
      await page.getByText("That is not the name of the environment").waitFor();
      expect((await shop.get("production")).payload).toBe("new");
      await confirm.fill("production");
      await page.locator("#confirm-why").fill("the newer one is ready");
      await confirmed.click();
      await page.getByText("Saved in production: Payload.").waitFor();
      await page.getByText("the newer one is ready").first().waitFor();
      expect((await shop.get("production")).payload).toBe("newer");
      await context.close();
    });

    test(`that two people change at once shows both changes and stores neither twice, ${how}`, async () => {
      const shop = await newProject();
      await shop.set("develop", "--payload", '"base"');
      const [ann, ben] = [await openAs("editor"), await openAs("releaser")];
      for (const { page } of [ann, ben]) {
        await page.goto(shop.pathOf("develop"));
        await unfoldPayload(page);
      }
      await payloadOf(ann.page).fill('"from ann"');
      await payloadOf(ben.page).fill('"from ben"');
      await button(ann.page, "Save in develop").click();
      await eventually(
        "ann's change is stored",
        async () => (await shop.get("develop")).payload === "from ann",
      );

      await button(ben.page, "Save in develop").click();
      const conflict = ben.page.getByRole("region", { name: "Two changes at the same time" });
      await conflict.waitFor();
      for (const text of ["base", "from ann", "from ben", "editor"])
        await conflict.getByText(text).first().waitFor();
      const kept = payloadOf(ben.page);
      expect([await kept.isVisible(), await kept.inputValue()]).toEqual([true, '"from ben"']);
      expect((await shop.get("develop")).payload).toBe("from ann");
      await button(ben.page, "Save in develop").click();
      await conflict.waitFor({ state: "detached" });
      expect((await shop.get("develop")).payload).toBe("from ben");
      await Promise.all([ann.context.close(), ben.context.close()]);
    });
  });
}
