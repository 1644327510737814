/** Small helps: ticking every row, copying a text, closing the menu. */
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
    for (const menu of document.querySelectorAll<HTMLDetailsElement>(
      "details.menu[open], .more details[open]",
    ))
      if (!menu.contains(target)) menu.open = false;
  });
}

async function copy(button: HTMLElement): Promise<void> {
  const text = document.querySelector(button.dataset["copy"]!)?.textContent ?? "";
  await navigator.clipboard.writeText(text);
  const before = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = before), 2000);
}
