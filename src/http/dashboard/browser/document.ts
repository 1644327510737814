import { Idiomorph } from "idiomorph";

/** Trusted Types (W3C), which not every browser has. */
type Policy = { createHTML: (text: string) => string };
const { trustedTypes } = window as {
  trustedTypes?: { createPolicy: (name: string, policy: Policy) => Policy };
};
const policy = trustedTypes?.createPolicy("formflag", { createHTML: (text) => text });

/**
 * Asks for a page that is shown in part: the message of the last action waits for the page after it. Returns null while the
 * server does not answer.
 */
export const ask = (address: string, request: RequestInit = {}): Promise<Response | null> =>
  fetch(address, { headers: { "x-update": "1" }, ...request }).catch(() => null);

/** The texts of a form as it sends them, with the button that does. */
export const textsOf = (form: HTMLFormElement, submitter: HTMLElement | null): URLSearchParams =>
  new URLSearchParams([...new FormData(form, submitter)] as [string, string][]);

/** Turns the text of a page, which this server sent, into a document whose scripts do not run. */
export function parse(text: string): Document {
  return new DOMParser().parseFromString(policy?.createHTML(text) ?? text, "text/html");
}

export const mainOf = (page: ParentNode = document) => page.querySelector<HTMLElement>("main");

/** The content of a page as the server sent it, but for times, whose words change by themselves. */
function contentOf(page: Document): string | undefined {
  return mainOf(page)?.innerHTML.replace(/<time.*?<\/time>/gs, "");
}

let isAnswer = false;
/** Whether the open page is the answer to a form, which is at no address: the address is that of the page with the form. */
export const isAtNoAddress = () => isAnswer;

let content: string | undefined;
/** Content that the server sent last; a form that is being edited keeps its older content. */
export const served = () => (content ??= contentOf(document));

/** Whether a page is as the open one was sent. */
export function isShown(page: Document): boolean {
  return contentOf(page) === served();
}

type Showing = {
  /** Whether the server sent the page unasked: what is opened and being typed stays. */
  isUpdate?: boolean;
  /** Whether it answers a form, and is another page than that of the form. */
  answersForm?: boolean;
  /** The forms that were sent. Text typed into other forms stays; left out, that of every form goes. */
  sent?: readonly (HTMLFormElement | null | undefined)[] | undefined;
};

/** Makes the open page `next`, with as few changes as possible, so that focus and scrolling stay. */
export function show(next: Document, { isUpdate = false, answersForm = false, sent }: Showing = {}): void {
  const isKept = (form: HTMLFormElement) =>
    (isUpdate || (sent !== undefined && !sent.includes(form))) && isChanged(form);
  const kept = [...document.querySelectorAll<HTMLFormElement>("main form")].filter(isKept);
  content = contentOf(next);
  isAnswer = answersForm;
  document.title = next.title;
  document.body.dataset["shortcuts"] = next.body.dataset["shortcuts"] ?? "on";
  const [main, nextMain] = [mainOf(), mainOf(next)];
  if (!main || !nextMain) return location.reload();
  void Idiomorph.morph(main, nextMain, {
    morphStyle: "outerHTML",
    // It would leave out the whole page that has the focus.
    ignoreActiveValue: isUpdate && document.activeElement !== main,
    callbacks: {
      beforeNodeMorphed: (node: Node) => !kept.includes(node as HTMLFormElement),
      beforeNodeRemoved: (node: Node) => !kept.some((form) => node.contains(form)),
      // Opened details stay open.
      beforeAttributeUpdated: (name: string) => !(isUpdate && name === "open"),
    },
  });
  // A form may have been matched with another one, or be on the page no more.
  for (const form of kept) {
    if (form.isConnected) continue;
    const fresh = document.getElementById(form.getAttribute("id") ?? "");
    if (fresh) fresh.replaceWith(form);
    else mainOf()?.append(form);
  }
  if (!isUpdate) showMessages(next);
  const [nav, nextNav] = [document.querySelector("nav.sections"), next.querySelector("nav.sections")];
  if (nav && nextNav) void Idiomorph.morph(nav, nextNav);
  document.querySelector(".beside [aria-current]")?.scrollIntoView({ block: "nearest" });
  markEdits();
}

/** Says what another page says, in place of what this one does. */
export function showMessages(next: Document): true {
  const messages = next.querySelector("#messages");
  if (messages) document.querySelector("#messages")?.replaceChildren(...messages.cloneNode(true).childNodes);
  return true;
}

/** Shows the bar of what is not saved while there is something. */
export function markEdits(): void {
  const form = document.querySelector("#unsaved")?.closest("form");
  document.documentElement.classList.toggle("edited", form != null && isChanged(form));
}

/** A field that takes keys as text, or as a choice. */
export const FIELD = "input:not([type=checkbox]), textarea, select";

/** Leaves a field, so that keys are those of the page. */
export function focusMain(): void {
  mainOf()?.focus({ preventScroll: true });
}

/** Whether a form has unsaved input. */
export function isChanged(form: HTMLFormElement): boolean {
  if (form.dataset["changed"] !== undefined) return true;
  return [...form.elements].some((field) => {
    if (field instanceof HTMLInputElement)
      return field.type === "checkbox" || field.type === "radio"
        ? field.checked !== field.defaultChecked
        : // A field of one line drops line breaks.
          field.type !== "hidden" && field.value !== field.defaultValue.replace(/[\r\n]/g, "");
    if (field instanceof HTMLTextAreaElement)
      return field.value !== field.defaultValue.replace(/\r\n?/g, "\n");
    if (field instanceof HTMLSelectElement) {
      const chosen = [...field.options].findLastIndex((option) => option.defaultSelected);
      return field.selectedIndex !== Math.max(chosen, 0);
    }
    return false;
  });
}

/** An element that is no part of the page as the server sent it. */
export function elementOf<N extends keyof HTMLElementTagNameMap>(
  name: N,
  attributes: Readonly<Record<string, string>>,
): HTMLElementTagNameMap[N] {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
  return element;
}

/** A button that is no part of the page as the server sent it. */
export function buttonOf(label: string, classes: string, run: () => void): HTMLButtonElement {
  const button = elementOf("button", { type: "button", class: `button quiet ${classes}` });
  button.append(label);
  button.addEventListener("click", run);
  return button;
}

/** Shows a message of the browser itself above the page, or takes it away. */
export function notify(id: string, text: string | null, act?: { label: string; run: () => void }): void {
  document.getElementById(id)?.remove();
  if (text === null) return;
  const notice = elementOf("div", { id, class: "said" });
  const words = elementOf("span", {});
  words.append(text);
  notice.append(words);
  if (act) {
    const run = () => {
      notice.remove();
      act.run();
    };
    notice.append(buttonOf(act.label, "", run));
  }
  // Nothing behind an open dialog can be pressed.
  (document.querySelector("dialog[open]") ?? document.querySelector("#messages"))?.append(notice);
}

/**
 * Opens a dialog over the page, which goes once it is closed, and gives the focus to its opener. The notices in it stay, but
 * for that of a failure.
 */
export function openOver(dialog: HTMLDialogElement, opener?: HTMLElement | null): void {
  dialog.addEventListener("close", () => {
    dialog.remove();
    document.querySelector("#messages")?.append(...dialog.querySelectorAll(".said:not(#failure)"));
    // A key that came in between may have gone to a field.
    if (!document.activeElement!.matches(FIELD)) opener?.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
}
