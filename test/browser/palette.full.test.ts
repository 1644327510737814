import { expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import type { Page, Route } from "playwright-core";
import { startServer } from "../support/executable.ts";
import { onData } from "../support/commands.ts";
import { barriersOf, openChromium } from "../support/pages/chromium.ts";
import { describeInBrowser, signInBrowser } from "../support/pages/dashboard-browser.ts";

const server = await startServer();
const here = onData(server.data);
await here.run("projects", "create", "shop", "--environments", "develop,live");
await here.run("flags", "set", "checkout", "-p", "shop", "-e", "develop,live");
await here.run("environments", "lock", "live", "-p", "shop");
await here.run("forms", "create", "contact");

describeInBrowser("in a browser (needs /usr/bin/chromium), the palette", () => {
  const browser = openChromium();
  const open = async () => {
    const { page } = await signInBrowser(browser(), server);
    await page.goto(`${server.url}/dashboard`);
    return page;
  };
  const field = (page: Page) => page.getByRole("dialog").getByRole("combobox", { name: "Go to" });
  const chosen = (page: Page) => page.locator('[role=option][aria-selected="true"]');

  test("opens by a key, leads to what is chosen, and is left by Escape", async () => {
    const page = await open();
    await page.keyboard.press("Control+k");
    await field(page).waitFor();
    await page.getByRole("option", { name: "Inbox" }).waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });

    await page.getByRole("link", { name: "Go to" }).first().click();
    await field(page).fill("contact");
    await page.getByRole("option", { name: "Inbox of shop:contact" }).waitFor();
    const before = await chosen(page).textContent();
    await page.keyboard.press("ArrowDown");
    expect(await chosen(page).textContent()).not.toBe(before);
    expect(await field(page).getAttribute("aria-activedescendant")).toBe(
      await chosen(page).getAttribute("id"),
    );
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/dashboard\/inbox\/shop:contact$/);
    await page.keyboard.press("Meta+k");
    await field(page).fill("checkout");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/projects\/shop\/flags\/checkout/);
    await page.close();
  }, 60_000);

  test("creates a flag from anywhere, as does the key of the list: the next letters are its name", async () => {
    const page = await open();
    const name = page.getByRole("textbox", { name: "Name", exact: true });
    const isTyped = (text: string) => async () => (await name.inputValue()) === text;
    await page.keyboard.press("Control+k");
    await field(page).fill("create a flag");
    await chosen(page).filter({ hasText: "New flag" }).waitFor();
    await page.keyboard.press("Enter");
    await name.waitFor();
    await page.keyboard.type("go-one");
    await eventually("the palette leads into the field", isTyped("go-one"));

    await page.keyboard.press("Control+k");
    await field(page).fill("qwertz");
    await chosen(page).filter({ hasText: "Nothing matches" }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/dashboard\/docs\?q=qwertz$/);

    await page.goto(`${server.url}/dashboard/projects/shop`);
    await page.keyboard.press("c");
    await page.keyboard.type("cold-disc");
    await eventually("the key opens the field", isTyped("cold-disc"));
    await page.close();
  }, 60_000);

  test("leaves the next key to the page, however soon it comes after Escape", async () => {
    const page = await open();
    const CLOSE = "document.querySelector('dialog').close()";
    const PRESS = (key: string) =>
      `document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "${key}", bubbles: true }))`;
    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: "Inbox" }).waitFor();
    await page.evaluate(`${CLOSE}, ${PRESS("?")}`);
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.goto(`${server.url}/dashboard/inbox`);
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.evaluate(`${CLOSE}, ${PRESS("/")}`);
    await page.keyboard.type("n1");
    await page.keyboard.press("Enter");
    await page.waitForURL(/q=n1/);
    await page.close();
  });

  test("leaves the message of an action to the page after it", async () => {
    const page = await open();
    const answer = await page.request.post(`${server.url}/dashboard/projects/shop/flags/checkout/details`, {
      form: { owner: "ann" },
      headers: { Origin: server.url },
      maxRedirects: 0,
    });
    expect(answer.status()).toBe(303);
    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: "Inbox" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.reload();
    await page.getByText("The details of checkout are saved.").waitFor();
    await page.close();
  }, 60_000);

  test("leaves a notice that comes while it is open to the page", async () => {
    const page = await open();
    await page.goto(`${server.url}/dashboard/projects/shop`);
    await page.keyboard.press("Control+k");
    await field(page).waitFor();
    await here.run("flags", "set", "news", "-p", "shop", "-e", "develop");
    const notice = page.locator("dialog .said", { hasText: "1 new" });
    await notice.waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.locator("#messages .said").getByRole("button", { name: "Show" }).click();
    await page.getByRole("link", { name: "news" }).waitFor();
    expect(await page.locator(".said").count()).toBe(0);
    await page.close();
  }, 60_000);

  test("switches a flag with Undo, and asks for the name of a locked environment", async () => {
    const page = await open();
    await page.keyboard.press("Control+k");
    await field(page).fill("turn on checkout develop");
    await page.getByRole("option", { name: "Turn on checkout in develop" }).click();
    await page.getByRole("button", { name: "Undo" }).waitFor();
    expect(
      await here.json<{ enabled: boolean }>("flags", "get", "checkout", "-p", "shop", "-e", "develop"),
    ).toMatchObject({ enabled: true });
    await page.keyboard.press("Control+k");
    await field(page).fill("turn on checkout live");
    await page.getByRole("option", { name: "Turn on checkout in live" }).waitFor();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    const confirm = async () => {
      await dialog.getByLabel("Type live to confirm").fill("live");
      await dialog.getByRole("button", { name: "Turn on in live" }).click();
    };
    await dialog.waitFor();
    const down = (route: Route) => route.abort();
    await page.route("**/flags/**", down);
    await confirm();
    // What failed is of the dialog, and is left with it.
    await dialog.getByText("The server does not answer.").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.locator("dialog").waitFor({ state: "detached" });
    expect(await page.getByText("The server does not answer.").count()).toBe(0);
    await page.unroute("**/flags/**", down);
    await page.keyboard.press("Control+k");
    await field(page).fill("turn on checkout live");
    await page.getByRole("option", { name: "Turn on checkout in live" }).waitFor();
    await page.keyboard.press("Enter");
    await confirm();
    // The message of the change before has an Undo too.
    await eventually("on in live", async () => {
      const args = ["flags", "get", "checkout", "-p", "shop", "-e", "live"];
      return (await here.json<{ enabled: boolean }>(...args)).enabled;
    });
    await page.close();
  }, 60_000);
});
