import type { Page } from "playwright-core";
import { barriersOf } from "../support/pages/chromium.ts";

export const WIDE = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
/** A page of 1280 px at 200 %, and the narrowest that WCAG 1.4.10 names. */
const NARROW = [640, 320];

/** Where a page is wider than its window; null if it is not. */
const OVERFLOW = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return null;
  const wide = [...document.querySelectorAll("body *")].filter((each) => each.getBoundingClientRect().right > clientWidth + 1);
  return scrollWidth + " px: " + wide.slice(0, 5).map((each) => each.outerHTML.slice(0, 120)).join(" | ");
})()`;

/** Controls smaller than 24 by 24 px, links within sentences aside (WCAG 2.5.8 without the exception for spacing). */
const SMALL_TARGETS = `(() => {
  const isShown = (each) => each.checkVisibility({ visibilityProperty: true }) && !each.closest(".unseen, .skip, [inert]");
  const isInSentence = (each) => each.matches("a") && getComputedStyle(each).display === "inline" &&
    [...each.parentElement.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== "");
  const sizeOf = (each) => {
    const boxes = [each, ...(each.labels ?? [])].map((box) => box.getBoundingClientRect());
    return [Math.max(...boxes.map(({ width }) => width)), Math.max(...boxes.map(({ height }) => height))];
  };
  return [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")]
    .filter((each) => isShown(each) && !isInSentence(each))
    .map((each) => [each, sizeOf(each)])
    .filter(([, [width, height]]) => width < 23.9 || height < 23.9)
    .map(([each, [width, height]]) => Math.round(width) + "x" + Math.round(height) + " " + each.outerHTML.slice(0, 160));
})()`;

/** Buttons that forced colours leave without a border and without a ground of their own. */
const INVISIBLE = `[...document.querySelectorAll("button.button, a.button, input:not([type=hidden], [type=checkbox], [type=radio]), textarea, select")]
  .filter((each) => each.checkVisibility() && !each.closest(".unseen") && !each.matches(".quiet"))
  .filter((each) => {
    const { borderTopWidth, borderTopStyle } = getComputedStyle(each);
    return borderTopStyle === "none" || parseFloat(borderTopWidth) === 0;
  })
  .map((each) => each.outerHTML.slice(0, 160))`;

/** How many elements move, for somebody who asked for less of that. */
const MOVING = `[...document.querySelectorAll("*")].filter((each) => {
  const { transitionDuration, animationDuration, scrollBehavior } = getComputedStyle(each);
  return parseFloat(transitionDuration) > 0.01 || parseFloat(animationDuration) > 0.01 || scrollBehavior === "smooth";
}).length`;

/** Ids that two elements have, and check boxes that cannot be told apart by their name, or that of their group. */
const ALIKE = `(() => {
  const twice = (all) => [...new Set(all.filter((each, index) => all.indexOf(each) !== index))];
  const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
  const textOf = (each) => each?.textContent.trim() ?? "";
  const nameOf = (box) =>
    box.getAttribute("aria-label") ??
    (box.getAttribute("aria-labelledby")?.split(" ").map((id) => textOf(document.getElementById(id))).join(" ") ||
      [...box.labels].map(textOf).join(" "));
  const names = [...document.querySelectorAll("input[type=checkbox]")].map(
    (box) => textOf(box.closest("fieldset")?.querySelector("legend")) + ": " + nameOf(box),
  );
  return [...twice(ids).map((id) => "two elements have the id " + id), ...twice(names).map((name) => "two check boxes are called " + name)];
})()`;

const LOST = `![...document.querySelectorAll("nav.sections [aria-current]")].some((each) => each.checkVisibility())`;

/** Everything that is wrong with the open page, in light, dark and forced colours, without motion, wide, on a phone and enlarged. */
export async function faultsOf(page: Page): Promise<string[]> {
  const faults: string[] = [];
  const add = (state: string, found: readonly string[]) =>
    faults.push(...found.map((fault) => `${page.url()} ${state}: ${fault}`));
  // A form that is on its way is dimmed.
  await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(PHONE);
  add("phone", await barriersOf(page));
  add("phone", await page.evaluate<string[]>(SMALL_TARGETS));
  add("everywhere", await page.evaluate<string[]>(ALIKE));
  await page.setViewportSize(WIDE);
  add("wide", await barriersOf(page));
  add("wide", await page.evaluate<string[]>(SMALL_TARGETS));
  // Nothing but contrast depends on the colours.
  await page.emulateMedia({ colorScheme: "dark" });
  add("dark", await barriersOf(page, { rules: ["color-contrast"] }));
  await page.emulateMedia({ colorScheme: "light", forcedColors: "active", reducedMotion: "reduce" });
  add("in forced colours", await page.evaluate<string[]>(INVISIBLE));
  const moving = await page.evaluate<number>(MOVING);
  if (moving > 0) add("with reduced motion", [`${moving} elements move`]);
  await page.emulateMedia({ forcedColors: "none" });
  for (const width of NARROW) {
    await page.setViewportSize({ width, height: 800 });
    const overflow = await page.evaluate<string | null>(OVERFLOW);
    if (overflow !== null) add(`${width} px`, [overflow]);
  }
  return faults;
}

/** Whether the navigation of a phone shows no current place: behind "More", the word itself is it. */
export async function hasNoPlace(page: Page): Promise<boolean> {
  await page.setViewportSize(PHONE);
  return page.evaluate<boolean>(LOST);
}
