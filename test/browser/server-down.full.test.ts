import { expect, test } from "bun:test";
import { onData } from "../support/commands.ts";
import { eventually } from "../support/eventually.ts";
import { startServer } from "../support/executable.ts";
import { openChromium } from "../support/pages/chromium.ts";
import { describeInBrowser, signInBrowser } from "../support/pages/dashboard-browser.ts";
import { startFlagServer } from "../support/flag-server.ts";

describeInBrowser("While the server is down, an open page", () => {
  const browser = openChromium();

  test("stays, says so in view, keeps what was typed, and goes on once the server is back", async () => {
    const { server, newProject } = await startFlagServer();
    const shop = await newProject();
    await shop.set("develop", "--payload", "{}");
    const { page, context } = await signInBrowser(browser(), server, { user: "editor" });
    await page.goto(shop.pathOf("develop"));
    const payload = page.getByRole("textbox", { name: "Payload" });
    await page.locator("#payload-part > summary").click();
    await payload.fill('{"text": "half a sen"}');
    await server.stop("SIGKILL");
    await page.getByText("Not connected. Trying again").waitFor();
    const url = page.url();
    const failure = page.locator("#failure");
    const saysSo = async () => {
      // One that is shown makes room for the next.
      const isInView = `(() => {
        const failure = document.querySelector("#failure");
        if (!failure?.textContent.includes("The server does not answer. What you typed is still here.")) return false;
        const { top, bottom } = failure.getBoundingClientRect();
        return top > 0 && bottom <= innerHeight;
      })()`;
      await eventually("the failure is in view", () => page.evaluate<boolean>(isInView));
      expect(page.url()).toBe(url);
      expect(await payload.inputValue()).toBe('{"text": "half a sen"}');
    };
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await page.getByRole("link", { name: "Forms", exact: true }).first().click();
      await saysSo();
      await page.getByRole("button", { name: "Save in develop" }).click();
      // What is shown already is of the link.
      await page.locator("form[aria-busy=true]").waitFor({ state: "detached" });
      await saysSo();
    }
    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: "The server does not answer." }).waitFor();
    await page.keyboard.press("Escape");
    await startServer(["--listen", new URL(server.url).host], { data: server.data });
    await failure.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Saved in develop: Payload.").waitFor();
    await context.close();
  });

  test("of the inbox stays, and opens the submission once the server is back", async () => {
    const server = await startServer();
    const { key } = await onData(server.data).json<{ key: string }>("forms", "create", "contact");
    await fetch(`${server.url}/v1/s/${key}`, { method: "POST", body: new URLSearchParams({ name: "Ada" }) });
    const { page, context } = await signInBrowser(browser(), server);
    await page.goto(`${server.url}/dashboard/inbox`);
    await server.stop("SIGKILL");
    await page.locator(".submissions a").click();
    await page.getByText("The server does not answer.").waitFor();
    expect(await page.locator(".submissions a").count()).toBe(1);
    await startServer(["--listen", new URL(server.url).host], { data: server.data });
    await page.getByRole("button", { name: "Try again" }).click();
    await page.locator("article[data-submission]").first().waitFor();
    await context.close();
  });
});
