import { expect, test } from "bun:test";
import { openChromium } from "../support/pages/chromium.ts";
import { describeInBrowser, signInBrowser } from "../support/pages/dashboard-browser.ts";
import { button, startFlagServer } from "../support/flag-server.ts";

const { server, cli, newProject } = await startFlagServer();

describeInBrowser("What is typed stays", () => {
  const browser = openChromium();

  /** A page of a flag with a text in two of its forms. */
  async function openTyped() {
    const shop = await newProject();
    await shop.set("develop", "--payload", "{}");
    const { context, page } = await signInBrowser(browser(), server, { user: "editor" });
    await page.goto(shop.pathOf("develop"));
    const [payload, why] = [page.getByRole("textbox", { name: "Payload" }), page.locator("#release-why")];
    await page.locator("#payload-part > summary").click();
    await payload.fill('"mine"');
    await why.fill("because");
    const failure = page.locator("#messages #failure");
    const typed = async () => [await payload.inputValue(), await why.inputValue()];
    return { shop, context, page, failure, typed };
  }

  test.each([
    [502, "text/html", "<h1>502 Bad Gateway</h1>"],
    [429, "text/plain", "slow down"],
    [413, "text/html", "<h1>413 Request Entity Too Large</h1>"],
  ])("where a proxy answers %i, which the page says", async (status, contentType, body) => {
    const { context, page, failure, typed } = await openTyped();
    await page.route("**/*", (route) =>
      route.request().method() === "POST" ? route.fulfill({ status, contentType, body }) : route.continue(),
    );
    await button(page, "Save in develop").click();
    await failure.getByText(`status ${status}. What you typed is still here.`).waitFor();
    expect(await typed()).toEqual(['"mine"', "because"]);
    expect(await failure.getByRole("button", { name: "Try again" }).count()).toBe(status === 413 ? 0 : 1);
    await context.close();
  });

  test("where the session has ended, and is saved after a sign-in elsewhere", async () => {
    const { shop, context, page, failure, typed } = await openTyped();
    await context.clearCookies();
    await button(page, "Save in develop").click();
    await failure.getByText("You are not signed in").waitFor();
    expect(await typed()).toEqual(['"mine"', "because"]);
    const other = await signInBrowser(browser(), server, { user: "editor" });
    await context.addCookies(await other.context.cookies());
    await failure.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Saved in develop: Payload.").waitFor();
    expect((await shop.get("develop")).payload).toBe("mine");
    await Promise.all([context.close(), other.context.close()]);
  });

  test("where the project is gone", async () => {
    const { shop, context, page, failure, typed } = await openTyped();
    await cli.run("projects", "delete", shop.slug, "--confirm", "production", "--yes");
    await button(page, "Save in develop").click();
    await failure.getByText("does not exist").waitFor();
    expect(await typed()).toEqual(['"mine"', "because"]);
    await context.close();
  });

  test("where another form of the page leads elsewhere, until the page is left on purpose", async () => {
    await cli.run("projects", "create", "desk");
    await cli.run("forms", "create", "contact", "-p", "desk");
    const { context, page } = await signInBrowser(browser(), server, { user: "editor" });
    await page.goto(`${server.url}/dashboard/forms/desk:contact`);
    await page.locator("#tells > summary").click();
    const target = page.locator("#add-target input[name=target]");
    await target.fill("https://example.com/hook");
    await page.locator("summary[aria-label=More]").click();
    await button(page, "Send a test").click();
    await page.getByText("Stored a test submission").waitFor();
    await page.getByText("You typed something else on this page.").waitFor();
    expect(await target.inputValue()).toBe("https://example.com/hook");
    await page.getByRole("button", { name: "Leave the page" }).click();
    await page.waitForURL(/\/inbox\/desk(:|%3A)contact\//);
    await page.getByText("Stored a test submission").waitFor();
    await context.close();
  });
});

describeInBrowser("A dialog", () => {
  const browser = openChromium();

  /** Opens the flag of a new project in its locked environment. */
  async function openLocked() {
    const shop = await newProject();
    await shop.set("production", "--payload", "{}");
    const { context, page } = await signInBrowser(browser(), server, { user: "releaser" });
    await page.goto(shop.pathOf("production"));
    const goDown = () =>
      page.route("**/*", (route) => (route.request().method() === "POST" ? route.abort() : route.continue()));
    return { shop, context, page, goDown };
  }

  test("says what its form was answered, and keeps what was typed", async () => {
    const { shop, context, page, goDown } = await openLocked();
    await page.locator("#payload-part > summary").click();
    await page.getByRole("textbox", { name: "Payload" }).fill('"mine"');
    await button(page, "Save in production").click();
    const dialog = page.getByRole("dialog");
    const [confirm, why] = [dialog.getByLabel("Type production to confirm"), dialog.locator("#confirm-why")];
    await confirm.fill("production");
    await why.fill("launch");
    await goDown();
    await dialog.getByRole("button", { name: "Save in production" }).click();
    await dialog.getByText("The server does not answer.").waitFor();
    expect([await confirm.inputValue(), await why.inputValue()]).toEqual(["production", "launch"]);
    await page.unroute("**/*");
    await dialog.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Saved in production: Payload.").waitFor();
    await page.getByText("launch").first().waitFor();
    expect((await shop.get("production")).payload).toBe("mine");
    await context.close();
  });

  test("is not needed for a switch that asks, whose panel keeps its reason while the server is down", async () => {
    const { shop, context, page, goDown } = await openLocked();
    const panel = page.locator("#now details.ask");
    await panel.locator("summary").click();
    const why = panel.getByLabel("Why");
    await why.fill("launch");
    await goDown();
    await button(page, "Turn on in production").click();
    await page.getByText("The server does not answer. What you typed is still here.").waitFor();
    expect([await why.isVisible(), await why.inputValue()]).toEqual([true, "launch"]);
    expect((await shop.get("production")).enabled).toBe(false);
    await page.unroute("**/*");
    await button(page, "Try again").click();
    await page.getByText("checkout is on in production.").waitFor();
    expect(await panel.locator("summary").getAttribute("aria-label")).toContain(
      "checkout is on in production",
    );
    expect(await why.isVisible()).toBe(false);
    await page.getByText("launch").first().waitFor();
    expect((await shop.get("production")).enabled).toBe(true);
    await context.close();
  });
});
