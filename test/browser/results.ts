import type { Page } from "playwright-core";
import { eventually } from "../support/eventually.ts";

/** Where an element stands in the window, and whether something covers it. */
const SEEN = `((selector) => {
  const found = [...document.querySelectorAll(selector)].find((each) => each.checkVisibility());
  if (!found) return "nothing";
  const { top, bottom, left, right } = found.getBoundingClientRect();
  if (top < 0 || left < 0 || bottom > innerHeight + 1 || right > innerWidth + 1) return [top, bottom, left, right].map(Math.round).join(" ");
  const at = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return found.contains(at) || at?.contains(found) ? "seen" : "behind " + at?.outerHTML.slice(0, 80);
})`;

/** What an action says, and the field that it refuses. */
export const [SAID, WRONG] = ["#messages .said", "main [aria-invalid=true]:focus"];

export const VIEWPORTS = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];

/** Notes each action of a page whose result is not in its window. */
export function watchResults(page: Page) {
  const faults: string[] = [];
  /** Where an element stands once the page has scrolled there. */
  const seenOf = async (selector: string) => {
    let seen = "";
    for (let tries = 0; tries < 40 && seen !== "seen"; tries += 1) {
      seen = await page.evaluate<string>(`${SEEN}(${JSON.stringify(selector)})`);
      if (seen !== "seen") await page.waitForTimeout(50);
    }
    return seen;
  };
  const check = async (what: string, selector: string) => {
    await eventually(`${what} has a result`, () => page.locator(selector).first().isVisible());
    const seen = await seenOf(selector);
    if (seen !== "seen") faults.push(`${what}: ${seen}`);
    await page
      .locator("#messages [data-dismiss]")
      .first()
      .click({ timeout: 2000 })
      .catch(() => {});
  };
  return { faults, seenOf, check };
}
