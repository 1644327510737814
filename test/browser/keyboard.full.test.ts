import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { openChromium } from "../support/pages/chromium.ts";
import { describeInBrowser, signInBrowser } from "../support/pages/dashboard-browser.ts";
import { onData } from "../support/commands.ts";
import { startFullServer } from "../support/pages/full-dashboard.ts";

const { made, server } = await startFullServer();
const cli = onData(server.data);

const PASSWORD = "correct horse battery";
/** More than any page has controls. */
const MOST_TABS = 150;

/** What has the focus: its text or its label, or its name. */
const FOCUSED = `(() => {
  const at = document.activeElement;
  return (at.getAttribute("aria-label") ?? at.labels?.[0]?.textContent ?? at.textContent ?? "").trim() || at.id || at.tagName;
})()`;

const focused = (page: Page) => page.evaluate<string>(FOCUSED);

/** Presses Tab until that has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < MOST_TABS; presses += 1) {
    await page.keyboard.press("Tab");
    if ((await focused(page)) === name) {
      const outline = await page.evaluate<string>("getComputedStyle(document.activeElement).outlineStyle");
      expect([name, outline]).not.toEqual([name, "none"]);
      return;
    }
  }
  throw new Error(`${MOST_TABS} presses of Tab did not reach ${name} on ${page.url()}`);
}

/** Lets the page be painted, after which what is hidden has no focus any more. */
const settle = (page: Page) =>
  page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");

/** Whether the focus is on something that the page still shows. */
const ELSEWHERE = "document.activeElement === document.body";

describeInBrowser("Somebody with a keyboard alone", () => {
  const browser = openChromium();

  test("signs in, moves a submission to spam, changes a locked flag and takes that back", async () => {
    const opened = await signInBrowser(browser(), server, { user: "admin" });
    await opened.page.goto(`${server.url}/dashboard/me`);
    await opened.page.getByLabel("New password").fill(PASSWORD);
    await opened.page.getByRole("button", { name: "Save the password" }).click();
    await opened.page.getByText("Saved the password.").waitFor();
    await opened.context.close();

    const context = await browser().newContext();
    context.setDefaultTimeout(20_000);
    const page = await context.newPage();
    await page.goto(`${server.url}/dashboard/sign-in`);
    await tabTo(page, "Name");
    await page.keyboard.type("admin");
    await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("Password");
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Today" }).waitFor();

    await page.goto(`${server.url}/dashboard/inbox/contact/${made.submissions[0]}`);
    await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("Skip to the content");
    await page.evaluate("window.isSame = true");
    await page.keyboard.press("Enter");
    await page.waitForURL(/#main$/);
    await tabTo(page, "More actions");
    await page.keyboard.press("Enter");
    await tabTo(page, "Spam");
    expect(await page.evaluate<boolean>("window.isSame")).toBe(true);
    await page.keyboard.press("Enter");
    await page.getByText("1 submission moved to spam.").waitFor();
    expect(await page.evaluate<boolean>(ELSEWHERE)).toBe(false);

    await page.goto(`${server.url}/dashboard/projects/shop/environments/production/flags/checkout`);
    const turn = (state: string) => `checkout is ${state} in production, which is locked: change…`;
    await tabTo(page, turn("on"));
    await page.keyboard.press("Enter");
    await tabTo(page, "Turn off in production");
    // Its panel is closed by a key too, and gives the focus back.
    await page.keyboard.press("Escape");
    expect(await focused(page)).toBe(turn("on"));
    expect(await page.getByRole("button", { name: "Turn off in production", exact: true }).isVisible()).toBe(
      false,
    );
    await page.keyboard.press("Space");
    await tabTo(page, "Turn off in production");
    await page.keyboard.press("Enter");
    await page.getByLabel(turn("off")).waitFor();
    await settle(page);
    expect(await focused(page)).toBe(turn("off"));
    const get = () =>
      cli.json<{ enabled: boolean }>("flags", "get", "checkout", "-p", "shop", "-e", "production");
    expect((await get()).enabled).toBe(false);

    await page.goto(`${server.url}/dashboard/projects/shop/history/${made.revision}/rollback`);
    await tabTo(page, "Roll back checkout in production");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    // The dialog holds the focus until it is closed, and gives it back.
    expect(
      await page.evaluate<boolean>("document.querySelector('dialog').contains(document.activeElement)"),
    ).toBe(true);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await focused(page)).toBe("Roll back checkout in production");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await tabTo(page, "Type production to confirm");
    await page.keyboard.type("production");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByRole("status").getByText("checkout").waitFor();
    expect(await page.evaluate<boolean>(ELSEWHERE)).toBe(false);
    expect((await get()).enabled).toBe(true);
    await context.close();
  });

  test("ticks, archives and takes back by single keys, and goes on to the next submission", async () => {
    const { context, page } = await signInBrowser(browser(), server, { user: "inbox" });
    const stateOf = async (id: string) => (await cli.json<{ state: string }>("submissions", "get", id)).state;
    await page.goto(`${server.url}/dashboard/inbox/contact`);
    await page.evaluate("window.isSame = true");
    const ids = await page
      .locator("input[name=submission]")
      .evaluateAll((boxes: unknown[]) => (boxes as { value: string }[]).map(({ value }) => value));
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    expect(await page.locator("input[name=submission]:checked").getAttribute("value")).toBe(ids[1]!);
    await page.keyboard.press("e");
    await page.getByText("1 submission archived.").waitFor();
    expect(await stateOf(ids[1]!)).toBe("archived");
    await page.keyboard.press("z");
    await page.getByText("Undone: 1 submission moved to the inbox.").waitFor();
    expect(await stateOf(ids[1]!)).toBe("inbox");
    expect(await page.evaluate<boolean>("window.isSame")).toBe(true);

    await page.locator(`#row-${ids[0]}`).getByRole("link").click();
    await page.locator(`article[data-submission="${ids[0]}"]`).waitFor();
    await page.keyboard.press("e");
    await page.locator(`article[data-submission="${ids[1]}"]`).waitFor();
    expect(await stateOf(ids[0]!)).toBe("archived");
    await page.keyboard.press("z");
    await page.locator(`article[data-submission="${ids[0]}"]`).waitFor();
    expect(await stateOf(ids[0]!)).toBe("inbox");
    await context.close();
  });

  test("moves through the inbox by single keys", async () => {
    const { context, page } = await signInBrowser(browser(), server, { user: "inbox" });
    const [older, newer] = [made.submissions[1]!, made.submissions[2]!];
    const goTo = (id: string) => page.goto(`${server.url}/dashboard/inbox/contact/${id}`);
    await goTo(newer);
    await page.keyboard.press("j");
    await page.waitForURL(new RegExp(older));
    await page.keyboard.press("k");
    await page.waitForURL(new RegExp(newer));
    await page.goto(`${server.url}/dashboard/inbox`);
    await page.keyboard.press("/");
    expect(await page.evaluate<string>("document.activeElement.name")).toBe("q");
    // In a field a key is a letter.
    await page.keyboard.type("ejk");
    expect(await page.getByRole("searchbox").inputValue()).toBe("ejk");
    await context.close();
  });

  test("can switch single keys off", async () => {
    // Another user than that of the other tests, whose keys go on.
    const { context, page } = await signInBrowser(browser(), server, { user: "editor" });
    const newer = made.submissions[2]!;
    const goTo = (id: string) => page.goto(`${server.url}/dashboard/inbox/contact/${id}`);
    await page.goto(`${server.url}/dashboard/me`);
    await page.getByText("keys of one letter are on").click();
    await page.getByLabel("Shortcuts of a single key").uncheck();
    await page.getByRole("button", { name: "Save the settings" }).click();
    await page.getByRole("status").getByText("Saved").waitFor();
    await page.keyboard.press("Escape");
    for (const reload of [true, false]) {
      if (reload) await goTo(newer);
      for (const key of ["j", "e", "s", "/"]) await page.keyboard.press(key);
      expect(page.url()).toContain(newer);
      expect(await page.evaluate<string>("document.body.dataset.shortcuts")).toBe("off");
    }
    const { state } = await cli.json<{ state: string }>("submissions", "get", newer);
    expect(state).toBe("inbox");
    await context.close();
  });
});
