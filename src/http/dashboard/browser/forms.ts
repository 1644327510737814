import { expectPage, stay, wholePage } from "./busy.ts";
import {
  ask,
  buttonOf,
  elementOf,
  focusMain,
  isChanged,
  mainOf,
  notify,
  openOver,
  parse,
  show,
  showMessages,
  textsOf,
} from "./document.ts";

/** Sends forms without loading the page again, and shows the page that answers. */
export function sendForms(): void {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (
      !(form instanceof HTMLFormElement) ||
      !form.matches("[method=post]:not([target])") ||
      event.defaultPrevented
    )
      return;
    event.preventDefault();
    void expectPage(send(form, event.submitter));
  });
  // A link within the page changes nothing of it.
  addEventListener("popstate", () => pageAt() !== shown && void expectPage(visit(location.href, false)));
  addEventListener("beforeunload", (event) => {
    if (isLeaving || ![...document.forms].some(isUnsaved)) return;
    event.preventDefault();
    stay();
  });
}

const pageAt = ({ pathname, search }: Location | URL = location) => pathname + search;
/** Whether the page leaves because a form was sent. */
let isLeaving = false;

/** Whether a form holds changes that would be lost; filters and ticked rows are none. */
function isUnsaved(form: HTMLFormElement): boolean {
  // A field named `method` would hide the property.
  return form.matches("[method=post]:not(#bulk, [target])") && isChanged(form);
}
/** The page that is shown, which its address may not be any more. */
let shown = pageAt();

/** How many pages were visited: what was asked for before the last of them is not shown any more. */
let visits = 0;

/**
 * Shows the page at an address in place of this one, and returns whether it did. `isNew` says whether it becomes an entry
 * of the history.
 */
export async function visit(address: string, isNew = true): Promise<boolean> {
  const at = (visits += 1);
  const main = mainOf()!;
  // A press on the page that is being left is for the next one.
  main.inert = true;
  if (main.contains(document.activeElement)) (document.activeElement as HTMLElement).blur();
  const answer = await fetch(address).catch(() => null);
  const next = answer?.ok ? parse(await answer.text()) : null;
  if (at !== visits) return true;
  main.inert = false;
  if (!answer && isNew) return sayGone(() => void expectPage(visit(address)));
  if (!answer || next?.body.dataset["user"] !== document.body.dataset["user"]) {
    const load = () => void loadPage(isNew ? address : null);
    return leave([], load) && wholePage();
  }
  return leave([], () => {
    if (isNew) history.pushState(null, "", answer.url);
    shown = pageAt();
    keepTicks(next!);
    show(next!);
    scrollTo(0, 0);
    moveFocus(true);
  });
}

/** Loads a page whole; without an address this one. */
function loadPage(address: string | null): Promise<false> {
  isLeaving = true;
  if (address === null) location.reload();
  else location.assign(address);
  return wholePage();
}

/** Loads the page at an address if the server answers; while it does not, the open page stays. */
export async function goTo(address: string): Promise<void> {
  if (await ask(address, { method: "HEAD" })) location.assign(address);
  else sayGone(() => void goTo(address));
}

/** Says that the server does not answer, and offers to try again. No page comes. */
export function sayGone(run: () => void): false {
  notify("failure", GONE + stillHere(), { label: "Try again", run });
  return false;
}

export const GONE = "The server does not answer.";

/** Ticks the rows of a page that are ticked on the open one. */
function keepTicks(next: Document): void {
  for (const { id } of document.querySelectorAll("#bulk li:has(:checked)")) {
    const box = next.getElementById(id)?.querySelector("input");
    if (box) box.checked = true;
  }
}

/** Leaves the page, once the user agrees to lose what other forms hold. Returns whether it did at once. */
function leave(sent: unknown[], go: () => void): boolean {
  const isFree = ![...document.forms].some((each) => !sent.includes(each) && isUnsaved(each));
  if (isFree) go();
  else notify("elsewhere", "You typed something else on this page.", { label: "Leave the page", run: go });
  return isFree;
}

/** Sends a form, and returns whether a page has answered that is shown. */
async function send(form: HTMLFormElement, submitter: HTMLElement | null): Promise<boolean> {
  if (form.ariaBusy === "true") return true;
  form.ariaBusy = "true";
  const at = visits;
  const isMultipart = form.enctype === "multipart/form-data";
  const body = isMultipart ? new FormData(form, submitter) : textsOf(form, submitter);
  leaveField(form);
  // A field named `action` would hide the property.
  const action = (submitter?.getAttribute("formaction") ?? form.getAttribute("action"))!;
  const again = { label: "Try again", run: () => void expectPage(send(form, submitter)) };
  try {
    const answer = await fetch(action, { method: "POST", body });
    const page = await answer.text();
    const away = /^0; url=(.+)$/.exec(answer.headers.get("refresh") ?? "")?.[1];
    if (away !== undefined) return loadPage(away);
    const next = parse(page);
    notify("failure", null);
    form.ariaBusy = null;
    const fault = faultOf(answer, next);
    if (fault !== null) {
      notify("failure", fault + stillHere(), MAY_PASS.test(`${answer.status}`) ? again : undefined);
      return false;
    }
    if (answer.status === 428) return openDialog(next, submitter);
    // Signed in or out.
    if (next.body.dataset["user"] !== document.body.dataset["user"]) return loadPage(answer.url);
    const sent = [form, opener?.closest("form")];
    form.closest("dialog")?.remove();
    // The user has gone to another page.
    if (answer.ok && at !== visits) return showMessages(next);
    // No two kinds of page share a title.
    const leaves = next.title !== document.title;
    const go = () => follow(answer, next, leaves ? undefined : sent);
    if (leaves) return showMessages(next) && leave(sent, go) && answer.ok;
    go();
    return answer.ok;
  } catch {
    form.ariaBusy = null;
    return sayGone(again.run);
  }
}

/** Leaves a field of a submission that is sent by its key, so that the next key is one of the page. */
function leaveField(form: HTMLFormElement): void {
  const { activeElement: at, body } = document;
  const isTyped = at?.matches("input, textarea") === true && form.contains(at);
  if (isTyped && form.closest("[data-submission]") && body.dataset["shortcuts"] !== "off") focusMain();
}

/** Statuses of what may succeed later. */
const MAY_PASS = /^(401|429|5..)$/;

const stillHere = () => ([...document.forms].some(isUnsaved) ? " What you typed is still here." : "");

/** Text of an error-only response; null for a page. */
function faultOf({ status }: Response, { body }: Document): string | null {
  const main = mainOf(body);
  if (!main) return `The server answered with the status ${status}.`;
  if (main.dataset["error"] === undefined) return null;
  const text = [...main.querySelectorAll("p")].map(({ textContent }) => textContent).join(" ");
  return status === 401 ? `${text} Sign in in another tab, and try again.` : text;
}

/** Shows the page that answers a form. */
function follow(answer: Response, next: Document, sent?: (HTMLFormElement | null | undefined)[]): void {
  const isElsewhere = answer.ok && answer.redirected && pageAt(new URL(answer.url)) !== pageAt();
  if (isElsewhere) {
    history.pushState(null, "", answer.url);
    shown = pageAt();
  }
  const { title } = document;
  show(next, { sent, answersForm: sent === undefined && !answer.redirected });
  if (isElsewhere || document.title !== title) scrollTo(0, 0);
  if (answer.ok) return moveFocus(isElsewhere);
  const invalid = "main [aria-invalid='true']";
  const own = sent?.[0]?.querySelector<HTMLElement>(invalid);
  const wrong = own ?? document.querySelector<HTMLElement>(invalid);
  // It holds what is stored nowhere.
  const refused = wrong?.closest("form");
  if (refused) refused.dataset["changed"] = "";
  (wrong ?? mainOf())?.focus();
  if (!wrong) scrollTo({ top: 0, behavior: "instant" });
}

/** Element that opened the current or last dialog. */
let opener: HTMLElement | null = null;

/**
 * Goes to the field that takes the focus, leaves it where it is, or where it was before the dialog; on another page it is at
 * the start. What has closed over it gives it to its summary.
 */
function moveFocus(isElsewhere: boolean): void {
  const first = document.querySelector<HTMLElement>("main [autofocus]");
  if (first) return first.focus();
  if (!isElsewhere && document.activeElement !== document.body) {
    const closed = document.activeElement!.closest("details:not([open])");
    return (closed?.firstElementChild as HTMLElement | undefined)?.focus();
  }
  const found = !isElsewhere && opener?.isConnected ? opener : mainOf();
  found?.focus({ preventScroll: true });
}

/** Shows a page in a dialog: a confirmation, which the server wants before it changes something locked. No key is for it. */
export function openDialog(next: Document, submitter: HTMLElement | null): false {
  const before = document.querySelector("dialog");
  if (!before) opener = submitter;
  const dialog = elementOf("dialog", { "aria-labelledby": "dialog-title" });
  const main = mainOf(next)!;
  const heading = main.querySelector("h1");
  if (heading) heading.id = "dialog-title";
  const close = buttonOf(main.querySelector("form") ? "Cancel" : "Close", "close", () => dialog.close());
  dialog.append(...main.childNodes, close);
  before?.remove();
  openOver(dialog, opener);
  return false;
}
