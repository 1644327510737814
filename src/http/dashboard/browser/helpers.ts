import { FIELD, focusMain } from "./document.ts";
import { isForNext } from "./busy.ts";

/** Small helps: ticking every row, copying a text, dismissing a message, closing the menu. */
export function addHelpers(): void {
  document.addEventListener("click", tickRange);
  document.addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.dataset["all"] === undefined) return;
    for (const box of document.querySelectorAll<HTMLInputElement>(`input[name="${target.dataset["all"]}"]`))
      box.checked = target.checked;
  });
  document.addEventListener("click", (event) => {
    const { target } = event;
    if (!(target instanceof Element)) return;
    const button = target.closest<HTMLElement>("[data-copy]");
    if (button) void copy(button);
    if (target.closest("[data-dismiss]")) target.closest(".said")?.remove();
    const menus = document.querySelectorAll<HTMLDetailsElement>("details.menu, .more details");
    for (const menu of menus) menu.open &&= menu.contains(target);
  });
}

/** Copies a text; if the browser allows that to secure pages alone, the text is selected instead. */
async function copy(button: HTMLElement): Promise<void> {
  const from = document.querySelector(button.dataset["copy"]!)!;
  getSelection()?.selectAllChildren(from);
  if (!isSecureContext) return;
  await navigator.clipboard.writeText(from.textContent);
  const before = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = before), 2000);
}

/** Presses what a single key stands for: the element whose `aria-keyshortcuts` names it. Users can turn this off. */
export function obeyKeys(): void {
  document.addEventListener("keydown", (event) => {
    const { key, code } = event;
    const target = event.target as Element;
    const isSending = key === "Enter" && (event.ctrlKey || event.metaKey);
    if (isSending && target instanceof HTMLTextAreaElement) return target.form?.requestSubmit();
    // Some keyboards have # behind Alt alone.
    const isModified = ((event.ctrlKey || event.metaKey) && !isSending) || event.altKey;
    if ((isModified && key !== "#") || event.defaultPrevented) return;
    // A menu or a question closes, and gives the focus back to what opened it.
    const panel = key === "Escape" && target.closest(".menu[open],.ask[open]");
    if (panel) return pressed(panel);
    if (document.body.dataset["shortcuts"] === "off" || document.querySelector("dialog[open]")) return;
    // A dialog that has just closed keeps the focus for a moment.
    if (target.closest(FIELD)?.checkVisibility()) {
      if (key === "Escape") focusMain();
      return;
    }
    // A key that is held goes on in lists alone.
    if ((event.repeat && !/[jk]/.test(key)) || isForNext(event) || isSending) return;
    // A field of a page that has just come takes the focus no more.
    if (key === "Escape" && document.activeElement === document.body) focusMain();
    // Letters of another alphabet stand for those of their keys.
    const named = key > "~" && code.startsWith("Key") ? code[3]!.toLowerCase() : key;
    const found = actFor(`${first} ${named}`) ?? actFor(named);
    first = named;
    if (!found) return moveInList(event, named);
    event.preventDefault();
    if (found.closest("#bulk") && !document.querySelector("#bulk :checked")) tick();
    const isLink = found instanceof HTMLAnchorElement;
    // A browser follows a link within the page only after the next key.
    const field = isLink && found.hash ? document.getElementById(found.hash.slice(1)) : opened(found);
    if (field && (field !== found || field.matches(FIELD))) {
      field.scrollIntoView({ block: "nearest" });
      return field.focus();
    }
    found.click();
  });
}

function pressed(panel: Element): void {
  const summary = panel.firstElementChild as HTMLElement;
  summary.click();
  summary.focus();
}

/** The first field of what a summary opens; else the element itself. */
function opened(found: HTMLElement): HTMLElement | null {
  const { parentElement: details } = found;
  if (!found.matches("summary") || !(details instanceof HTMLDetailsElement)) return found;
  details.open = true;
  return details.querySelector("input:not([type=hidden]), select, button") ?? found;
}

/** The key before, which may be the first of two. */
let first = "";

/** The element that keys stand for: the bar of ticked rows, else the actions of the open submission. */
function actFor(keys: string): HTMLElement | null {
  const named = `[aria-keyshortcuts="${CSS.escape(keys)}"]`;
  const first = document.querySelector("#bulk :checked") ? "#bulk" : "[data-submission]";
  return document.querySelector<HTMLElement>(`${first} ${named}`) ?? document.querySelector(named);
}

/** In a list of submissions, `j` and `k` move the focus, `x` ticks a row, and with Shift all from the last one ticked. */
function moveInList(event: KeyboardEvent, key: string): void {
  const links = [...document.querySelectorAll<HTMLElement>("#bulk .submissions a")];
  const step = { j: 1, k: -1, x: 0, X: 0 }[key];
  if (step === undefined || links.length === 0) return;
  event.preventDefault();
  if (step === 0) return tick(event.shiftKey);
  const row = document.activeElement?.closest("li");
  const now = links.findIndex((link) => link.closest("li") === row);
  links[Math.min(Math.max(now + step, 0), links.length - 1)]!.focus();
}

/** Ticks the row that has the focus, or clears it. */
function tick(shiftKey = false): void {
  const row =
    document.activeElement?.closest("#bulk li") ?? document.querySelector("#bulk li:has([aria-current])");
  const box = row?.querySelector(BOX);
  box?.dispatchEvent(new MouseEvent("click", { bubbles: true, shiftKey }));
}

const BOX = "[name=submission]";
/** The box that was ticked or cleared last. */
let last: HTMLInputElement | undefined;

/** Ticks or clears every box from the last one to one that is clicked with Shift. */
function tickRange({ target, shiftKey }: MouseEvent): void {
  if (!(target instanceof HTMLInputElement) || !/^(submission|flag)$/.test(target.name)) return;
  const boxes = [...document.querySelectorAll<HTMLInputElement>(`[name=${target.name}]`)];
  const [from, to] = [boxes.indexOf(last!), boxes.indexOf(target)].toSorted((a, b) => a - b);
  if (shiftKey && from !== -1) for (const box of boxes.slice(from, to! + 1)) box.checked = target.checked;
  last = target;
}

/** Keeps the place of the list beside a page, from one of its pages to the next, with the current row in view. */
export function showCurrent(): void {
  document.querySelector(".tabs [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  const list = document.querySelector<HTMLElement>(".beside");
  const current = list?.querySelector<HTMLElement>("[aria-current]");
  if (!list || !current) return;
  const key = `formflag ${list.className}`;
  list.scrollTop = Number(sessionStorage.getItem(key) ?? 0);
  const [inner, outer] = [current.getBoundingClientRect(), list.getBoundingClientRect()];
  if (inner.top < outer.top || inner.bottom > outer.bottom)
    list.scrollTop += inner.top - outer.top - (list.clientHeight - inner.height) / 2;
  addEventListener("pagehide", () => sessionStorage.setItem(key, String(list.scrollTop)));
}

/** Gives the server the time zone for the next page. */
export function tellZone(): void {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  document.cookie = `formflag_zone=${timeZone}; path=/; SameSite=Lax; max-age=31536000`;
}
