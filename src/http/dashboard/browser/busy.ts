type Pressed = Pick<KeyboardEvent, "key" | "code" | "shiftKey" | "ctrlKey" | "metaKey">;

/** Milliseconds after which a page that was expected takes no more keys. */
const LIMIT = 15_000;

/** Pages that are on their way, and the keys that were pressed since the first of them was. */
let coming = 0;
let since = 0;
let keys: Pressed[] = [];

/** Whether a page is on its way, which then gets a key that was pressed. */
export function isForNext(event: KeyboardEvent): boolean {
  const { key, code, shiftKey, ctrlKey, metaKey } = event;
  if (coming === 0 || Date.now() - since > LIMIT) return false;
  if (key.length > 1 && !["Enter", "Escape", "Backspace"].includes(key)) return false;
  event.preventDefault();
  keys.push({ key, code, shiftKey, ctrlKey, metaKey });
  return true;
}

/** Waits for a page, which gets the keys that are pressed while it loads. They are dropped if it is not shown. */
export async function expectPage(arrival: Promise<boolean>): Promise<void> {
  if (coming === 0) since = Date.now();
  coming += 1;
  const isShown = await arrival;
  if (coming > 0) coming -= 1;
  if (!isShown) keys = [];
  if (coming === 0) press(keys.splice(0));
}

/** The arrival of a page that is loaded whole, by which no key is kept. */
export const wholePage = (): Promise<false> => new Promise((resolve) => setTimeout(resolve, LIMIT, false));

/** Expects no page any more: the user stays. */
export function stay(): void {
  coming = 0;
  keys = [];
}

/** Presses keys as a person does: a page that one of them opens gets the others. */
function press(all: readonly Pressed[]): void {
  for (const each of all) {
    const at = document.activeElement ?? document.body;
    const event = new KeyboardEvent("keydown", { ...each, bubbles: true, cancelable: true });
    if (at.dispatchEvent(event) && !each.ctrlKey && !each.metaKey) type(each.key, at);
  }
}

/** Does what a browser does by itself for a key that a person pressed. */
function type(key: string, at: Element): void {
  if (key === "Escape") document.querySelector<HTMLDialogElement>("dialog[open]")?.close();
  else if (key === "Enter" && at.matches("a, button, summary")) (at as HTMLElement).click();
  else if (key === "Enter" && at instanceof HTMLInputElement)
    at.form?.querySelector<HTMLElement>("button:not([type=button])")?.click();
  else if (key === "Backspace") document.execCommand("delete");
  else if (at.matches("input, textarea"))
    document.execCommand("insertText", false, key === "Enter" ? "\n" : key);
}
