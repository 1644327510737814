import { expectPage } from "./busy.ts";
import { ask, parse, textsOf } from "./document.ts";
import { goTo, openDialog, sayGone, visit } from "./forms.ts";

/** Whether a path is that of a list of submissions, or of one of them. */
const isInbox = (path: string) => /\/dashboard\/inbox(\/[^/]+(\/[0-9a-f-]{36})?)?$/.test(path);

const KEYS = 'a[aria-keyshortcuts="?"]';

/**
 * How a page is opened here: within the inbox and by a key without loading it whole; null leaves it to the browser, if the
 * server is there. A browser keeps no key that is pressed while it changes from page to page.
 */
function openerOf(
  { origin, pathname }: URL | HTMLAnchorElement,
  isByKey = false,
): ((address: string) => Promise<void>) | null {
  if ((isByKey && origin === location.origin) || (isInbox(pathname) && isInbox(location.pathname)))
    return (address) => expectPage(visit(address));
  return origin === location.origin && document.getElementById("lost") ? goTo : null;
}

/** Opens pages of the inbox from each other without loading them whole, and the list of keys in a dialog. */
export function visitLinks(): void {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || form.method !== "get") return;
    const address = new URL(form.getAttribute("action")!, location.href);
    const open = openerOf(address);
    if (!open) return;
    event.preventDefault();
    address.search = textsOf(form, event.submitter).toString();
    void open(address.href);
  });
  document.addEventListener("click", (event) => {
    const { target, ctrlKey, metaKey, shiftKey, altKey, button } = event;
    if (ctrlKey || metaKey || shiftKey || altKey || button > 0 || event.defaultPrevented) return;
    const link =
      target instanceof Element &&
      target.closest<HTMLAnchorElement>(`:is(main, nav.sections, dialog) a[href]`);
    if (link && link.matches(KEYS)) {
      event.preventDefault();
      void expectPage(showKeys(link));
      return;
    }
    const open = link && !link.hash && !link.target && openerOf(link, !event.isTrusted);
    if (!open) return;
    event.preventDefault();
    void open(link.href);
  });
}

async function showKeys(link: HTMLAnchorElement): Promise<boolean> {
  const answer = await ask(link.href);
  if (!answer) return sayGone(() => void expectPage(showKeys(link)));
  if (answer.ok) openDialog(parse(await answer.text()), link);
  return answer.ok;
}
