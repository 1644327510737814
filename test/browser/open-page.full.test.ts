import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { openChromium } from "../support/pages/chromium.ts";
import { onData } from "../support/commands.ts";
import { describeInBrowser, signInBrowser } from "../support/pages/dashboard-browser.ts";
import { button, startFlagServer } from "../support/flag-server.ts";

const { server, newProject } = await startFlagServer();
await onData(server.data).run("projects", "create", "inbox");

const unfoldPayload = (page: Page) => page.locator("#payload-part > summary").click();

describeInBrowser("An open page", () => {
  const browser = openChromium();

  test("keeps what is typed in one form while another one is sent, and says in view what was done", async () => {
    const shop = await newProject();
    await shop.set("develop", "--payload", "{}");
    const { context, page } = await signInBrowser(browser(), server, { user: "editor" });
    await page.goto(shop.pathOf("develop"));
    await unfoldPayload(page);
    const payload = page.getByRole("textbox", { name: "Payload" });
    await payload.fill('{"text": "half a sen');
    await button(page, "Turn on in develop").click();
    await button(page, "Turn off in develop").waitFor();
    expect(await payload.inputValue()).toBe('{"text": "half a sen');
    const message = page.locator("#messages .said");
    for (const scrolled of ["0", "document.body.scrollHeight"]) {
      await page.evaluate(`scrollTo({ top: ${scrolled}, behavior: "instant" })`);
      const { y, height } = (await message.boundingBox())!;
      expect(y).toBeGreaterThan(0);
      expect(y + height).toBeLessThanOrEqual(await page.evaluate<number>("innerHeight"));
    }
    await page.setViewportSize({ width: 390, height: 844 });
    // The text of a button is one line, whatever stands beside it.
    const lines = `(() => {
      const range = document.createRange();
      range.selectNodeContents(document.querySelector("#messages form button"));
      return range.getClientRects().length;
    })()`;
    expect(await page.evaluate<number>(lines)).toBe(1);
    await page.getByRole("button", { name: "Dismiss" }).click();
    expect(await message.count()).toBe(0);
    await context.close();
  });

  test("asks before it is left with text that is not saved, and not after it is saved", async () => {
    const shop = await newProject();
    await shop.set("develop", "--payload", "{}");
    const { context, page } = await signInBrowser(browser(), server, { user: "editor" });
    const questions: string[] = [];
    page.on("dialog", (dialog) => {
      questions.push(dialog.type());
      void dialog.accept();
    });
    await page.goto(shop.pathOf("develop"));
    await unfoldPayload(page);
    await page.getByRole("textbox", { name: "Payload" }).fill('{"text": "Hello"}');
    await page.reload();
    expect(questions).toEqual(["beforeunload"]);
    await unfoldPayload(page);
    await page.getByRole("textbox", { name: "Payload" }).fill('{"text": "Hello"}');
    await button(page, "Save in develop").click();
    await page.getByText("Saved in develop: Payload.").waitFor();
    await page.reload();
    expect(questions).toEqual(["beforeunload"]);
    await context.close();
  });

  test("does not announce what its own user does, and counts what others send", async () => {
    const cli = onData(server.data);
    const { key } = await cli.json<{ key: string }>("forms", "create", "notices", "-p", "inbox");
    const send = (name: string) =>
      fetch(`${server.url}/v1/s/${key}`, { method: "POST", body: new URLSearchParams({ name }) });
    for (const name of ["Ada", "Bob", "Eve"]) await send(name);
    const { context, page } = await signInBrowser(browser(), server, { user: "editor" });
    await page.goto(`${server.url}/dashboard/inbox/notices`);
    const row = page.locator(".submissions li", { hasText: "Ada" });
    await row.getByRole("checkbox").check();
    await button(page, "Mark as read").click();
    await page.locator("#messages .said").waitFor();
    await row.hover();
    await send("Grace");
    await page.getByText("1 new").waitFor();
    expect(await page.getByText("This page has changed").count()).toBe(0);
    await context.close();
  });
});

describeInBrowser("The list beside a submission", () => {
  const browser = openChromium();

  test("keeps its place from one submission to the next, with the current one in view", async () => {
    const { key } = await onData(server.data).json<{ key: string }>(
      "forms",
      "create",
      "orders",
      "-p",
      "inbox",
    );
    for (let index = 0; index < 40; index += 1)
      await fetch(`${server.url}/v1/s/${key}`, {
        method: "POST",
        body: new URLSearchParams({ name: `P${index}` }),
      });
    const { context, page } = await signInBrowser(browser(), server, { user: "editor" });
    await page.goto(`${server.url}/dashboard/inbox/orders`);
    await page.getByRole("link", { name: "P39" }).click();
    const list = page.locator(".beside");
    const scrolled = () => list.evaluate((each) => each.scrollTop);
    const last = list.locator("li").last();
    await last.scrollIntoViewIfNeeded();
    const before = await scrolled();
    expect(before).toBeGreaterThan(100);
    await last.getByRole("link").click();
    await list.locator("li:last-child a[aria-current=page]").waitFor();
    expect(Math.abs((await scrolled()) - before)).toBeLessThan(50);
    await page.goto(page.url());
    expect(await list.locator("[aria-current=page]").isVisible()).toBe(true);
    const [row, frame] = await Promise.all([
      list.locator("[aria-current=page]").boundingBox(),
      list.boundingBox(),
    ]);
    expect(row!.y).toBeGreaterThanOrEqual(frame!.y - 1);
    expect(row!.y + row!.height).toBeLessThanOrEqual(frame!.y + frame!.height + 1);
    await context.close();
  });
});

describeInBrowser("A page", () => {
  const browser = openChromium();

  test("draws the code of a sign-in link in black and white", async () => {
    const { context, page } = await signInBrowser(browser(), server);
    await page.goto(`${server.url}/dashboard/access/users/editor`);
    await page.getByRole("button", { name: "Sign-in link for editor" }).click();
    const code = page.locator("svg.qr");
    const { width } = (await code.boundingBox())!;
    expect(width).toBeGreaterThan(100);
    const fillOf = (part: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector("svg.qr ${part}")).fill`);
    expect([await fillOf(".light"), await fillOf(".dark")]).toEqual(["rgb(255, 255, 255)", "rgb(0, 0, 0)"]);
    await context.close();
  });

  test("revokes a token after a question", async () => {
    await onData(server.data).run("tokens", "create", "pipeline", "--scope", "flags:read");
    const { context, page } = await signInBrowser(browser(), server);
    await page.goto(`${server.url}/dashboard/access/tokens`);
    await page.locator("#token-pipeline > summary").click();
    await page.getByLabel("Revoke the token pipeline").click();
    await page.getByText("Programs that use this token are refused at once").waitFor();
    await button(page, "Revoke pipeline").click();
    await page.locator("#token-pipeline").waitFor({ state: "detached" });
    await context.close();
  });
});
