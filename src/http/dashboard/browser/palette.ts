import { ask, elementOf, openOver, parse } from "./document.ts";
import { GONE, goTo } from "./forms.ts";

/** Milliseconds without a key before results are fetched. */
const PAUSE = 80;

const LINK = 'a[aria-keyshortcuts~="Control+K"]';

/** Opens a dialog that finds pages and actions, by Ctrl+K or ⌘K and in place of its link. */
export function openPalette(): void {
  document.addEventListener("keydown", (event) => {
    const { key, ctrlKey, metaKey, shiftKey, altKey } = event;
    if (key.toLowerCase() !== "k" || !(ctrlKey || metaKey) || altKey || shiftKey) return;
    if (!document.querySelector(LINK)) return;
    event.preventDefault();
    if (!document.querySelector("dialog[open]")) open();
  });
  document.addEventListener("click", (event) => {
    const { target, ctrlKey, metaKey, shiftKey } = event;
    if (ctrlKey || metaKey || shiftKey || !(target instanceof Element) || !target.closest(LINK)) return;
    event.preventDefault();
    open();
  });
}

function open(): void {
  const address = document.querySelector<HTMLAnchorElement>(LINK)!.href;
  const { dialog, input, list } = elements();

  let timer: ReturnType<typeof setTimeout> | undefined;
  let asked = "";
  let shown: readonly Element[] = [];
  let pending: Promise<void> = Promise.resolve();
  const refresh = () => {
    clearTimeout(timer);
    asked = input.value;
    pending = fill(asked);
  };
  const fill = async (search: string) => {
    const found = await results(address, search);
    if (search !== asked) return;
    shown = found ?? [];
    list.replaceChildren(...shown.map(optionOf));
    if (!found) list.append(goneOption());
    choose(0);
  };
  const options = () => [...list.children] as HTMLElement[];
  const chosen = () => options().findIndex((each) => each.ariaSelected === "true");
  const choose = (index: number) => {
    const all = options();
    for (const [at, each] of all.entries()) each.ariaSelected = String(at === index);
    input.setAttribute("aria-activedescendant", all[index]?.id ?? "");
    all[index]?.scrollIntoView({ block: "nearest" });
  };
  const run = (index: number) => {
    const result = shown[index];
    if (!result) return;
    dialog.close();
    if (result instanceof HTMLAnchorElement) {
      void goTo(result.href);
      return;
    }
    // It is sent as a form of the page, which shows what happened.
    const form = document.importNode(result as HTMLFormElement, true);
    form.hidden = true;
    document.body.append(form);
    form.querySelector("button")!.click();
    form.remove();
  };
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(refresh, PAUSE);
  });
  input.addEventListener("keydown", (event) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    const { length } = list.children;
    if (step !== undefined && length > 0) choose((chosen() + step + length) % length);
    else if (event.key === "Enter") {
      if (input.value !== asked) refresh();
      void pending.then(() => run(chosen()));
    } else return;
    event.preventDefault();
  });
  list.addEventListener("click", ({ target }) =>
    run(options().findIndex((each) => each.contains(target as Element))),
  );
  openOver(dialog);
  refresh();
}

/** The dialog, with the field for the search and the list of results. */
function elements() {
  const dialog = elementOf("dialog", { class: "palette", "aria-label": "Go to" });
  const input = elementOf("input", {
    role: "combobox",
    "aria-label": "Go to",
    "aria-controls": "palette-results",
    "aria-expanded": "true",
    "aria-autocomplete": "list",
    autocomplete: "off",
    spellcheck: "false",
    maxlength: "200",
    placeholder: "Flag, form, person, page or action",
  });
  const list = elementOf("ul", {
    role: "listbox",
    "aria-label": "Results",
    id: "palette-results",
    class: "results",
  });
  dialog.append(input, list);
  return { dialog, input, list };
}

/** The place of results while the server is gone; the next key tries again. */
function goneOption(): HTMLElement {
  const option = elementOf("li", {
    class: "result",
    role: "option",
    "aria-disabled": "true",
    id: "palette-0",
  });
  option.append(GONE);
  return option;
}

/** The links and forms of the page of results; null if the server does not answer. */
async function results(address: string, search: string): Promise<Element[] | null> {
  const answer = await ask(`${address}?q=${encodeURIComponent(search)}`);
  if (!answer) return null;
  if (!answer.ok || answer.redirected) return [];
  return [...parse(await answer.text()).querySelectorAll("main .results > li > *")];
}

/** A result as an option: its words, without the link or the button around them. */
function optionOf(result: Element, index: number): HTMLElement {
  const { childNodes, dataset } = result.querySelector("button") ?? (result as HTMLElement);
  const known = { id: `palette-${index}`, "data-result": dataset["result"]! };
  const option = elementOf("li", { class: "result", role: "option", ...known });
  for (const node of childNodes) option.append(document.importNode(node, true));
  return option;
}
