/** Small helps: ticking every row, copying a text, dismissing a message, closing the menu. */
export function addHelpers(): void {
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

/** Copies a text; where the browser allows that to secure pages alone, the text is selected instead. */
async function copy(button: HTMLElement): Promise<void> {
  const from = document.querySelector(button.dataset["copy"]!)!;
  getSelection()?.selectAllChildren(from);
  if (!isSecureContext) return;
  await navigator.clipboard.writeText(from.textContent);
  const before = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = before), 2000);
}
