import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { openChromium } from "../../support/pages/chromium.ts";
import { describeInBrowser, signInBrowser } from "../../support/pages/dashboard-browser.ts";
import { eventually } from "../../support/eventually.ts";
import { openInboxServer } from "./inbox.ts";

const { server, cli, newForm } = await openInboxServer();

/** Random paths, each of a few presses; a longer run of as many as the environment asks for, after those of a run before. */
const PATHS = Number(process.env["FORMFLAG_PATHS"] ?? 6);
const AFTER = Number(process.env["FORMFLAG_PATHS_AFTER"] ?? 0);
const PRESSES = 3;

/** Types a word of its own into every text field, and returns the words by the form that they are in. */
const TYPE = `(() => {
  const typed = [];
  globalThis.sent ??= (document.addEventListener("submit", ({ target }) => globalThis.sent.push(target.id), true), []);
  globalThis.sent.length = 0;
  let count = 0;
  for (const field of document.querySelectorAll("main form[method=post] :is(input, textarea)")) {
    if (!["text", "email", "textarea"].includes(field.type) || field.readOnly) continue;
    const word = "typed" + (count += 1) + "x" + Math.random().toString(36).slice(2, 6);
    field.value = field.name === "schema" ? field.value : word;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    if (field.value === word) typed.push({ form: field.form.id, word });
  }
  return typed;
})()`;

/** The words that no field has, whose form was not sent either. */
const LOST = `((typed) => {
  const values = [...document.querySelectorAll(":is(input, textarea)")].map(({ value }) => value).join("\\n");
  return typed.filter(({ word }) => !values.includes(word)).map((each) => ({ ...each, sent: globalThis.sent?.includes(each.form) ?? false }));
})`;

/** The forms that were sent, and not refused. */
const STORED = `(globalThis.sent ?? []).filter((id) => {
  const form = document.getElementById(id);
  return form?.dataset.changed === undefined && !form?.querySelector("[aria-invalid=true]");
})`;

/** The links and buttons that can be pressed, but for those that say that they throw something away. */
const PRESSABLE = `(() => {
  const all = [...document.querySelectorAll("main a[href], main button, nav.sections a[href], main summary, #messages button")];
  const isOut = (each) => /\\/(export|json|files|previews)\\b/.test(each.href ?? "") || (each.href && new URL(each.href).origin !== location.origin);
  const isThrow = (each) => /^(Discard|Sign out|Leave the page|Dismiss|Copy.*)$/.test(each.textContent.trim()) || each.dataset.copy;
  return all.map((each, index) => (each.dataset.n = index, each))
    .filter((each) => each.checkVisibility({ visibilityProperty: true }) && !each.closest(".unseen") && !isOut(each) && !isThrow(each))
    .map((each) => [each.dataset.n, (each.getAttribute("aria-label") ?? each.textContent).trim().slice(0, 40)]);
})()`;

type Word = { form: string; word: string };

/** Numbers from 0 to 1 that a seed settles. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

/** Waits until nothing is on its way. */
async function settle(page: Page): Promise<void> {
  const isBusy = `document.querySelector("form[aria-busy=true], main[inert]") !== null || document.readyState !== "complete"`;
  await eventually(
    "the page stands still",
    async () => !(await page.evaluate<boolean>(isBusy).catch(() => true)),
  );
  await page.evaluate("new Promise((resolve) => setTimeout(resolve, 20))");
}

describeInBrowser("Text that is typed", () => {
  const browser = openChromium();

  test(`is kept on ${PATHS} random paths of presses through settings, fields and the inbox`, async () => {
    const schema = JSON.stringify({
      properties: { name: { title: "Name", type: "string" }, size: { enum: ["S", "M"] } },
    });
    const { slug, send, path } = await newForm("--schema", schema);
    for (let count = 0; count < 8; count += 1)
      await send({ name: `n${count}`, email: `p${count}@example.com` });
    const ids = (await cli.json<{ id: string }[]>("submissions", "list", slug)).map(({ id }) => id);
    const forms = `${server.url}/dashboard/forms/${slug}`;
    const starts = [
      `${forms}/settings`,
      `${forms}/fields`,
      `${forms}/feeds`,
      forms,
      `${path}/${ids[2]}`,
      `${path}/${ids[4]}`,
    ];
    const faults: string[] = [];
    let words = 0;
    for (let seed = AFTER + 1; seed <= AFTER + PATHS; seed += 1) {
      const random = randomFrom(seed * 7919);
      const { context, page } = await signInBrowser(browser(), server, {
        user: "inbox",
        viewport: { width: 1280, height: 900 },
      });
      page.on("dialog", (dialog) => void dialog.dismiss().catch(() => {}));
      const start = starts[seed % starts.length]!;
      await page.goto(start);
      // A browser asks before it leaves a page that was used.
      await page.locator("main").press("Escape");
      let typed = await page.evaluate<Word[]>(TYPE);
      words += typed.length;
      const trail: string[] = [start];
      for (let press = 0; press < PRESSES && typed.length > 0; press += 1) {
        const choices = await page.evaluate<[string, string][]>(PRESSABLE);
        if (random() < 0.1) {
          trail.push("Back");
          await page.evaluate("history.back()");
        } else {
          const [number, name] = choices[Math.floor(random() * choices.length)]!;
          trail.push(name);
          await page
            .locator(`[data-n="${number}"]`)
            .first()
            .click({ noWaitAfter: true, timeout: 5000 })
            .catch((error: unknown) => trail.push(String(error).slice(0, 80)));
        }
        await settle(page);
        if (await page.locator("dialog[open]").count()) await page.keyboard.press("Escape");
        const lost = await page.evaluate<(Word & { sent: boolean })[]>(`${LOST}(${JSON.stringify(typed)})`);
        for (const { form, word, sent } of lost)
          if (!sent) faults.push(`${seed}: ${trail.join(" > ")}: ${word} of ${form} at ${page.url()}`);
        const stored = await page.evaluate<string[]>(STORED);
        typed = typed.filter(
          ({ form, word }) => !stored.includes(form) && !lost.some((each) => each.word === word),
        );
      }
      await context.close();
    }
    expect(faults).toEqual([]);
    expect(words).toBeGreaterThan(PATHS);
  }, 1_500_000);
});
