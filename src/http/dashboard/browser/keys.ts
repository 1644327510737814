/** Presses what a single key stands for: the element whose `aria-keyshortcuts` names it. Users can turn this off. */
export function obeyKeys(): void {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (document.body.dataset["shortcuts"] === "off" || document.querySelector("dialog[open]")) return;
    const { target } = event;
    if (target instanceof HTMLElement && target.closest("input:not([type=checkbox]), textarea, select"))
      return;
    const found = document.querySelector<HTMLElement>(`[aria-keyshortcuts="${CSS.escape(event.key)}"]`);
    if (!found) return;
    event.preventDefault();
    if (found instanceof HTMLInputElement) found.focus();
    else found.click();
  });
}
