import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { openChromium } from "../../support/pages/chromium.ts";
import { describeInBrowser, signInBrowser } from "../../support/pages/dashboard-browser.ts";
import { eventually } from "../../support/eventually.ts";
import { openInboxServer } from "./inbox.ts";

const { server, cli, received, newForm, stored } = await openInboxServer();

describeInBrowser("The inbox by keys", () => {
  const browser = openChromium();
  const pane = (page: Page, id: string) => page.locator(`article[data-submission="${id}"]`);

  test("goes from one submission to the next, answers, labels and archives them in one page", async () => {
    const { send, path } = await newForm();
    const ids: string[] = [];
    for (const name of ["Ada", "Ben", "Cleo"])
      ids.push(await send({ name, email: `${name.toLowerCase()}@example.com`, message: `from ${name}` }));
    const [oldest, middle, newest] = ids as [string, string, string];
    const { context, page } = await signInBrowser(browser(), server, { user: "inbox" });
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(path);
    await page.evaluate("globalThis.mark = 1");
    const isSame = () => page.evaluate<boolean>("globalThis.mark === 1");

    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await pane(page, newest).waitFor();
    expect(await page.locator(`#row-${middle}`).isVisible()).toBe(true);
    expect(page.url()).toContain(`${path}/${newest}`);

    await page.keyboard.press("r");
    expect(await page.evaluate<string>("document.activeElement.id")).toBe("reply-text");
    await page.keyboard.type("Hello Cleo");
    await page.keyboard.press("Control+Enter");
    await page.getByText("Reply to cleo@example.com is on its way.").waitFor();
    await eventually("the mail has come", () => received.some(({ to }) => to[0] === "cleo@example.com"));

    await page.locator("main").focus();
    await page.keyboard.press("j");
    await pane(page, middle).waitFor();
    await page.keyboard.press("l");
    await page.keyboard.type("urgent");
    await page.keyboard.press("Enter");
    await page.getByText("Label urgent added.").waitFor();

    await page.locator("main").focus();
    await page.keyboard.press("e");
    await pane(page, oldest).waitFor();
    await page.goBack();
    await pane(page, middle).waitFor();
    await page.goForward();
    await pane(page, oldest).waitFor();
    expect(await stored(middle)).toMatchObject({ state: "archived" });
    expect(await cli.json("submissions", "list", "--label", "urgent", "--all")).toHaveLength(1);
    expect(await isSame()).toBe(true);
    await context.close();
  });

  test("answers the oldest unread message with 3 keys and its text", async () => {
    const { send, path } = await newForm();
    const ids: string[] = [];
    for (const name of ["olga", "pia", "quinn", "rosa"])
      ids.push(await send({ name, email: `${name}@example.com`, message: `from ${name}` }));
    await cli.run("submissions", "mark", ids[0]!, "read");
    const { context, page } = await signInBrowser(browser(), server, { user: "inbox" });
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(path);
    await page.keyboard.press("o");
    await pane(page, ids[1]!).waitFor();
    await page.keyboard.press("r");
    await page.keyboard.type("Dear Pia, yes.");
    await page.keyboard.press("Control+Enter");
    await page.getByText("Reply to pia@example.com is on its way.").waitFor();
    await eventually("the mail has come", () => received.some(({ to }) => to[0] === "pia@example.com"));
    expect((await Promise.all(ids.map(stored))).map(({ read }) => read)).toEqual([true, true, false, false]);
    await context.close();
  });

  test("keeps a text that was typed, and asks before it leaves", async () => {
    const { send, path } = await newForm();
    const [older, newer] = [await send({ email: "a@example.com" }), await send({ email: "b@example.com" })];
    const { context, page } = await signInBrowser(browser(), server, { user: "inbox" });
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${path}/${newer}`);
    await page.getByLabel("Reply text").fill("Dear");
    await page.locator(`#row-${older} a`).click();
    await page.getByText("You typed something else on this page.").waitFor();
    expect(await page.getByLabel("Reply text").inputValue()).toBe("Dear");
    await page.getByRole("button", { name: "Leave the page" }).click();
    await pane(page, older).waitFor();
    expect(await page.getByLabel("Reply text").inputValue()).toBe("");
    await context.close();
  });

  test("takes keys that are faster than the server in their order", async () => {
    const { send, path } = await newForm();
    const ids: string[] = [];
    for (let count = 0; count < 6; count += 1) ids.push(await send({ name: `n${count}` }));
    const { context, page } = await signInBrowser(browser(), server, { user: "inbox" });
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${path}/${ids[5]!}`);
    await page.keyboard.type("eejse", { delay: 0 });
    await pane(page, ids[0]!).waitFor();
    const states = async () => Promise.all(ids.map(async (id) => (await stored(id)).state));
    await eventually("all are done", async () => !(await states()).slice(1, 3).includes("inbox"));
    expect(await states()).toEqual(["inbox", "archived", "spam", "inbox", "archived", "archived"]);
    await context.close();
  });

  test("ticks a range with Shift", async () => {
    const { send, path } = await newForm();
    for (let count = 0; count < 5; count += 1) await send({ name: `n${count}` });
    const { context, page } = await signInBrowser(browser(), server, { user: "inbox" });
    await page.goto(path);
    for (const key of ["j", "x", "j", "j", "Shift+X"]) await page.keyboard.press(key);
    expect(await page.locator("[name=submission]:checked").count()).toBe(3);
    await page.keyboard.press("e");
    await page.getByText("3 submissions archived.").waitFor();
    await context.close();
  });

  test("ticks beside an open submission, shows all keys, and searches, in one page", async () => {
    const { send, path } = await newForm();
    const ids: string[] = [];
    for (let count = 0; count < 4; count += 1) ids.push(await send({ name: `n${count}` }));
    const { context, page } = await signInBrowser(browser(), server, { user: "inbox" });
    await page.setViewportSize({ width: 1100, height: 800 });
    await page.goto(path);
    await page.evaluate("globalThis.mark = 1");
    expect(await page.getByRole("article", { name: "n3" }).isVisible()).toBe(true);
    expect(await stored(ids[3]!)).toMatchObject({ read: false });
    await page.locator(`#row-${ids[3]} a`).click();
    await pane(page, ids[3]!).waitFor();
    await page.keyboard.press("x");
    await page.keyboard.press("j");
    await pane(page, ids[2]!).waitFor();
    await page.keyboard.press("x");
    expect(await page.locator("#bulk :checked").count()).toBe(2);
    await page.keyboard.press("e");
    await page.getByText("2 submissions archived.").waitFor();
    expect(await stored(ids[3]!)).toMatchObject({ state: "archived" });
    await page.keyboard.press("z");
    await page.getByText("Undone: 2 submissions moved to the inbox.").waitFor();

    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).getByText("Archive, or move back").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("/");
    await page.keyboard.type("n1");
    await page.keyboard.press("Enter");
    await page.waitForURL(/q=n1/);
    await page.locator(`#row-${ids[1]}`).waitFor();
    expect(await page.locator(`#row-${ids[2]}`).count()).toBe(0);
    await page.keyboard.press("g");
    await page.keyboard.press("i");
    await page.waitForURL(/\/inbox$/);
    expect(await page.evaluate<boolean>("globalThis.mark === 1")).toBe(true);
    await page.keyboard.press("c");
    await page.waitForURL(/\/forms\/new$/);
    await page.keyboard.press("Escape");
    await page.keyboard.press("g");
    await page.keyboard.press("o");
    await page.waitForURL(/\/forms$/);
    await context.close();
  });

  test("ends a label or a reply at its key, so that the next key is one of the page", async () => {
    const { send, path } = await newForm();
    const [older, newer] = [await send({ email: "a@example.com" }), await send({ email: "b@example.com" })];
    const { context, page } = await signInBrowser(browser(), server, { user: "inbox" });
    await page.goto(`${path}/${newer}`);
    await page.keyboard.press("l");
    await page.keyboard.type("late");
    await page.keyboard.press("Enter");
    await page.keyboard.press("j");
    await pane(page, older).waitFor();
    await page.keyboard.press("r");
    await page.keyboard.type("Hello");
    await page.keyboard.press("Control+Enter");
    await page.keyboard.press("e");
    await eventually("the answered one is archived", async () => (await stored(older)).state === "archived");
    await context.close();
  });
});
