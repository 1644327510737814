import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { openChromium } from "../../support/pages/chromium.ts";
import { createUsers, describeInBrowser, signInBrowser } from "../../support/pages/dashboard-browser.ts";
import { eventually } from "../../support/eventually.ts";
import { openInboxServer } from "./inbox.ts";

const { server, received, newForm, stored } = await openInboxServer();
await createUsers(server, "viewer");

describeInBrowser("Keys that are faster than pages", () => {
  const browser = openChromium();
  const pane = (page: Page, id: string) => page.locator(`article[data-submission="${id}"]`);

  /** Lets pages at an address wait, until the answer of this is called. */
  async function hold(page: Page, address: RegExp): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    await page.route(address, async (route) => {
      await promise;
      await route.continue().catch(() => {});
    });
    return resolve;
  }

  test("writes and sends a reply that is typed before its page has come", async () => {
    const { send, path } = await newForm();
    const [older, newer] = [await send({ email: "ol@example.com" }), await send({ email: "ne@example.com" })];
    const { context, page } = await signInBrowser(browser(), server, { user: "inbox" });
    await page.goto(`${path}/${newer}`);
    const release = await hold(page, new RegExp(older));
    const { keyboard } = page;
    for (const key of ["j", "r"]) await keyboard.press(key);
    await keyboard.type("Hi you");
    for (const key of ["Backspace", "Control+Enter", "l"]) await keyboard.press(key);
    await keyboard.type("late");
    for (const key of ["Enter", "e"]) await keyboard.press(key);
    release();
    await eventually("it is archived", async () => (await stored(older)).state === "archived");
    expect(await stored(older)).toMatchObject({ labels: ["late"] });
    await eventually("the mail has come", () => received.some(({ to }) => to[0] === "ol@example.com"));
    const mail = received.find(({ to }) => to[0] === "ol@example.com")!;
    expect(mail.email.text).toContain("Hi yo");
    expect(mail.email.text).not.toContain("Hi you");
    expect(await stored(newer)).toMatchObject({ state: "inbox", labels: [] });
    await context.close();
  });

  test("does nothing to a page that stays because of a text, by keys for the next one", async () => {
    const { send, path } = await newForm();
    const [older, newer] = [await send({ email: "a@example.com" }), await send({ email: "b@example.com" })];
    const { context, page } = await signInBrowser(browser(), server, { user: "inbox" });
    await page.goto(`${path}/${newer}`);
    await page.getByLabel("Reply text").fill("Dear");
    await page.keyboard.press("Escape");
    const release = await hold(page, new RegExp(older));
    for (const key of ["j", "e"]) await page.keyboard.press(key);
    release();
    await page.getByText("You typed something else on this page.").waitFor();
    await page.getByRole("button", { name: "Leave the page" }).click();
    await pane(page, older).waitFor();
    expect([await stored(older), await stored(newer)]).toMatchObject([
      { state: "inbox" },
      { state: "inbox" },
    ]);
    await context.close();
  });

  test("keeps a text where the server does not answer, until the user leaves", async () => {
    const { send, path } = await newForm();
    const [older, newer] = [await send({ email: "a@example.com" }), await send({ email: "b@example.com" })];
    const { context, page } = await signInBrowser(browser(), server, { user: "inbox" });
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${path}/${newer}`);
    await page.getByLabel("Reply text").fill("Dear");
    await page.route(new RegExp(older), (route) => route.abort());
    await page.locator(`#row-${older} a`).click();
    await page.getByText("The server does not answer. What you typed is still here.").waitFor();
    expect(await page.getByLabel("Reply text").inputValue()).toBe("Dear");
    await context.close();
  });

  test("gives keys to a page of another kind, whose field takes the focus no more after Escape", async () => {
    const { path } = await newForm();
    const { context, page } = await signInBrowser(browser(), server, { user: "inbox" });
    await page.goto(path);
    let loads = 0;
    page.on("load", () => (loads += 1));
    const release = await hold(page, /\/forms\/new$/);
    for (const key of ["c", "Escape", "g", "o"]) await page.keyboard.press(key);
    release();
    await page.waitForURL(/\/forms$/);
    await page.keyboard.press("c");
    await page.keyboard.type("typed at once");
    await page.waitForURL(/\/forms\/new$/);
    await eventually("no key is lost", () =>
      page.evaluate<boolean>('document.activeElement.value === "typed at once"'),
    );
    expect(loads).toBe(0);
    await context.close();
  });

  test("obeys a key that is held once, letters of another alphabet by their place, and # behind Alt", async () => {
    const { send, path } = await newForm();
    const ids = [await send({ name: "a" }), await send({ name: "b" }), await send({ name: "c" })];
    const { context, page } = await signInBrowser(browser(), server, { user: "inbox" });
    await page.goto(`${path}/${ids[2]}?folder=inbox`);
    const press = (init: object) =>
      page.evaluate(
        `document.body.dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...${JSON.stringify(init)} }))`,
      );
    await press({ key: "\u0443", code: "KeyE" });
    for (let count = 0; count < 5; count += 1) await press({ key: "e", code: "KeyE", repeat: true });
    await pane(page, ids[1]!).waitFor();
    await press({ key: "e", code: "KeyE", repeat: true });
    await press({ key: "#", code: "Digit3", altKey: true });
    await page.getByRole("heading", { name: "Delete 1 submission?" }).waitFor();
    expect((await Promise.all(ids.map(stored))).map(({ state }) => state)).toEqual([
      "inbox",
      "inbox",
      "archived",
    ]);
    await context.close();
  });

  test("keeps keys for no page while another program opens a mail address", async () => {
    const { send, path } = await newForm();
    const id = await send({ email: "a@example.com" });
    const { context, page } = await signInBrowser(browser(), server, { user: "viewer" });
    await page.goto(`${path}/${id}`);
    await page.keyboard.press("r");
    await page.keyboard.press("/");
    expect(await page.evaluate<string>("document.activeElement.name")).toBe("q");
    await context.close();
  });

  test("says what was done where a text keeps the page, with its undo", async () => {
    const { send, path } = await newForm();
    const id = await send({ email: "a@example.com" });
    await send({ email: "b@example.com" });
    const { context, page } = await signInBrowser(browser(), server, { user: "inbox" });
    await page.goto(`${path}/${id}`);
    await page.getByLabel("Note", { exact: true }).fill("half");
    for (const key of ["Escape", "e"]) await page.keyboard.press(key);
    await page.getByText("You typed something else on this page.").waitFor();
    await page.getByText("1 submission archived.", { exact: true }).waitFor();
    await page.keyboard.press("z");
    await eventually("it is back", async () => (await stored(id)).state === "inbox");
    expect(await page.getByLabel("Note", { exact: true }).inputValue()).toBe("half");
    await context.close();
  });

  test("shows the page that was asked for last, whichever comes first", async () => {
    const { send, path } = await newForm();
    const [older, newer] = [await send({ email: "a@example.com" }), await send({ email: "b@example.com" })];
    const { context, page } = await signInBrowser(browser(), server, { user: "inbox" });
    await page.goto(path);
    const release = await hold(page, new RegExp(older));
    const goTo = (id: string) =>
      page.evaluate(
        `history.replaceState(null, "", "${path}/${id}"), dispatchEvent(new PopStateEvent("popstate"))`,
      );
    await goTo(older);
    await goTo(newer);
    await pane(page, newer).waitFor();
    release();
    await page.waitForLoadState("networkidle");
    expect(await pane(page, newer).isVisible()).toBe(true);
    await context.close();
  });
});
