import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { eventually } from "../../support/eventually.ts";
import { openChromium } from "../../support/pages/chromium.ts";
import { describeInBrowser, signInBrowser } from "../../support/pages/dashboard-browser.ts";
import { SAID, VIEWPORTS, WRONG, watchResults } from "../results.ts";
import { openInboxServer } from "./inbox.ts";

const { server, cli, received, newForm } = await openInboxServer();

/** Fifty messages, each with the key of what is done to it. */
const WORK = Array.from({ length: 50 }, (_, at) =>
  at >= 45 ? "r" : at >= 40 ? "l" : at % 4 === 3 ? "s" : "e",
);

const count = (key: string) => WORK.filter((each) => each === key).length;
const pane = (page: Page, id: string) => page.locator(`article[data-submission="${id}"]`);
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

describeInBrowser("The inbox at work", () => {
  const browser = openChromium();

  test("is gone through by keys, fifty messages with at most 110 of them, in one page", async () => {
    expect([count("e"), count("s"), count("l"), count("r")]).toEqual([30, 10, 5, 5]);
    const { slug, send, path } = await newForm();
    for (let at = 0; at < WORK.length; at += 1)
      await send({ name: `n${at}`, email: `p${at}@example.com`, message: "Hello" });
    const ids = (await cli.json<{ id: string }[]>("submissions", "list", slug, "--limit", "50")).map(
      ({ id }) => id,
    );
    const { context, page } = await signInBrowser(browser(), server, {
      user: "inbox",
      viewport: { width: 1280, height: 800 },
    });
    await page.goto(path);
    let loads = 0;
    page.on("load", () => (loads += 1));
    let keys = 0;
    const press = (key: string) => ((keys += 1), page.keyboard.press(key));
    const type = (text: string) => ((keys += 1), page.keyboard.type(text));
    await press("j");
    await press("Enter");
    for (const [at, key] of WORK.entries()) {
      await pane(page, ids[at]!).waitFor();
      await press(key);
      if (key === "l") {
        await type("later");
        await press("Enter");
      } else if (key === "r") {
        await type("Thank you.");
        await press("Control+Enter");
      }
      if (at < WORK.length - 1 && (key === "l" || key === "r")) await press("j");
    }
    await eventually(
      "all replies are sent",
      () => received.filter(({ to }) => /^p[0-4]@/.test(to[0] ?? "")).length === 5,
    );
    const list = async (...options: string[]) =>
      (await cli.json<unknown[]>("submissions", "list", slug, "--limit", "50", ...options)).length;
    expect([await list("--archived"), await list("--spam"), await list("--label", "later")]).toEqual([
      30, 10, 5,
    ]);
    expect(loads).toBe(0);
    expect(keys).toBeLessThanOrEqual(110);
    await context.close();
  }, 120_000);

  for (const viewport of VIEWPORTS)
    test(`shows the result of every action in a window of ${viewport.width} px`, async () => {
      const { slug, send, path } = await newForm();
      const ids: string[] = [];
      for (let at = 0; at < 30; at += 1)
        ids.push(await send({ name: `n${at}`, email: `p${at}@example.com` }));
      const id = ids[20]!;
      const { context, page } = await signInBrowser(browser(), server, { user: "inbox", viewport });
      const { check, faults, seenOf } = watchResults(page);
      await page.goto(`${path}/${id}`);
      await page.getByLabel("Label", { exact: true }).fill("urgent");
      await button(page, "Add label").click();
      await check("a label", SAID);
      await page.getByLabel("Note", { exact: true }).fill("Call back");
      await button(page, "Add note").click();
      await check("a note", SAID);
      await page.locator("summary", { hasText: "Assign" }).click();
      await button(page, "inbox").click();
      await check("an assignment", SAID);
      await page.getByLabel("Reply text").fill("Hello");
      await button(page, "Send reply").click();
      await check("a reply", SAID);
      await button(page, "Send reply").click();
      await check("a reply without a text", WRONG);
      await page.getByText("Block a sender or a word").click();
      await button(page, "Block word").click();
      await check("a block without a word", WRONG);
      await button(page, "Block sender").click();
      await check("a blocked sender", SAID);
      await button(page, "Archive").click();
      await check("an archived submission", SAID);
      await page.goto(path);
      await page.locator(`#row-${ids[0]} [name=submission]`).check();
      await button(page, "Spam").click();
      await check("a ticked row", SAID);
      const forms = `${server.url}/dashboard/forms/${slug}`;
      await page.goto(`${forms}/settings`);
      await page.getByLabel("Longest file").or(page.locator("[name=maxFileSize]")).first().fill("many");
      await button(page, "Save: Accepts").click();
      await check("a wrong setting", WRONG);
      await page.locator("[name=maxFileSize]").fill("2 MB");
      await button(page, "Save: Accepts").click();
      await check("a setting", SAID);
      await page.goto(`${forms}/fields`);
      for (let number = 1; number <= 6; number += 1) {
        if (number > 1) await button(page, "Add field").click();
        await page.locator(`#label-${number}`).fill(`Field ${number}`);
        const seen = await seenOf(`#label-${number}`);
        if (seen !== "seen") faults.push(`an added field: ${seen}`);
      }
      await page.locator("#type-1").selectOption("choice");
      await button(page, "Save fields").click();
      await check("a choice without choices", WRONG);
      await page.locator("#choices-1").fill("S");
      await button(page, "Save fields").click();
      await check("saved fields", SAID);
      await page.goto(`${forms}/feeds`);
      await page.getByLabel("Not older than").fill("soon");
      await button(page, "Create the feed").click();
      await check("a wrong feed", WRONG);
      await page.goto(forms);
      await page.locator("#tells > summary").click();
      await page.locator("#target").fill("nonsense");
      await button(page, "Add").click();
      await check("a wrong target", WRONG);
      await page.goto(forms);
      await page.locator("summary[aria-label=More]").click();
      await button(page, "Close the form").click();
      await check("a closed form", SAID);
      expect(faults).toEqual([]);
      await context.close();
    }, 120_000);
});
