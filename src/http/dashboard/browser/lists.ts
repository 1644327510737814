/** Keeps the place of the list beside a page, from one of its pages to the next, with the current row in view. */
export function showCurrent(): void {
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
