import { expect, test } from "bun:test";
import { openChromium } from "../support/pages/chromium.ts";
import { type Way, describeInBrowser, linkFor } from "../support/pages/dashboard-browser.ts";
import { startServer } from "../support/executable.ts";

export const PASSWORD = "correct horse battery";

/** How somebody signs in for the first time and again. */
export function signInFlow({ how, javaScriptEnabled }: Way): void {
  describeInBrowser("Signing in", () => {
    const browser = openChromium();

    test(`leads from the terminal's link over a new password back in, ${how}`, async () => {
      const server = await startServer();
      const context = await browser().newContext({ javaScriptEnabled });
      const page = await context.newPage();
      await page.goto(server.url);
      await page.getByText("formflag users link").waitFor();

      const link = await linkFor(server);
      await page.goto(server.url + link);
      await page.getByRole("button", { name: "Sign in here" }).click();
      await page.waitForURL(/\/dashboard\/start/);
      await page.getByText("Come back without a link").click();
      await page.getByRole("link", { name: "Set a password" }).click();
      await page.getByLabel("New password").fill(PASSWORD);
      await page.getByRole("button", { name: "Save the password" }).click();
      await page.getByText("Saved the password.").waitFor();
      await page.getByRole("button", { name: "Sign out" }).first().click();
      await page.getByRole("heading", { name: "Sign in to formflag" }).waitFor();

      await page.getByLabel("Name").fill("admin");
      await page.getByLabel("Password").fill("not the password");
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("alert").waitFor();
      expect(await page.getByLabel("Name").inputValue()).toBe("admin");
      await page.getByLabel("Password").fill(PASSWORD);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("heading", { name: "Today" }).waitFor();

      const other = await browser().newContext({ javaScriptEnabled });
      const again = await other.newPage();
      await again.goto(server.url + link);
      await again.getByRole("button", { name: "Sign in here" }).click();
      await again.getByText(/this link was used already/i).waitFor();
      await Promise.all([context.close(), other.close()]);
    });
  });
}
