/** Keys that were pressed while a page was on its way; null while none is. */
let keys: string[] | null = null;

/** Whether a page is on its way, which then gets a key that was pressed. */
export function isForNext(key: string): boolean {
  keys?.push(key);
  return keys !== null;
}

/** Waits for a page, to which the keys go that are pressed meanwhile. */
export async function expectPage(arrival: Promise<void>): Promise<void> {
  keys ??= [];
  await arrival;
  const pressed = keys ?? [];
  keys = null;
  for (const key of pressed)
    document.activeElement?.dispatchEvent(
      new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }),
    );
}
