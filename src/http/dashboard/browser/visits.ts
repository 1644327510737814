import { expectPage } from "./busy.ts";
import { visit } from "./forms.ts";

/** Whether a path is that of a list of submissions, or of one of them. */
const isInbox = (path: string) => /\/dashboard\/inbox(\/[^/]+(\/[0-9a-f-]{36})?)?$/.test(path);

/** Opens pages of the inbox from each other without loading them whole. */
export function visitLinks(): void {
  document.addEventListener("click", (event) => {
    const { target, ctrlKey, metaKey, shiftKey, altKey, button } = event;
    if (ctrlKey || metaKey || shiftKey || altKey || button > 0 || event.defaultPrevented) return;
    const link = target instanceof Element && target.closest<HTMLAnchorElement>("main a[href]");
    if (!link || link.hash || !isInbox(link.pathname) || !isInbox(location.pathname)) return;
    event.preventDefault();
    void expectPage(visit(link.href));
  });
}
