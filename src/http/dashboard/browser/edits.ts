import { ask, markEdits, parse, textsOf } from "./document.ts";

/** Milliseconds without a change after which edits are tried. */
const PAUSE = 250;

let timer: ReturnType<typeof setTimeout> | undefined;
/** Counts edits, so that an answer to an older one is left out. */
let edit = 0;

/** Shows what saving would change at each edit of a form with a button `check`. */
export function followEdits(): void {
  for (const kind of ["input", "change"]) document.addEventListener(kind, followEdit);
  document.addEventListener("submit", forget, true);
  markEdits();
}

function forget(): void {
  clearTimeout(timer);
  edit += 1;
}

function followEdit({ target, type }: Event): void {
  const field = target as HTMLInputElement;
  const check = field.form?.querySelector<HTMLButtonElement>("[value=check]");
  if (!check) return;
  markEdits();
  forget();
  // Another type has other fields.
  if (type === "change" && field.dataset["redraws"] !== undefined) return check.form!.requestSubmit(check);
  timer = setTimeout(() => void tryEdits(check), PAUSE);
}

async function tryEdits(check: HTMLButtonElement): Promise<void> {
  const form = check.form!;
  const at = edit;
  const answer = await ask(form.getAttribute("action")!, { method: "POST", body: textsOf(form, check) });
  if (answer?.status !== 200 && answer?.status !== 422) return;
  const next = parse(await answer.text());
  if (at !== edit || !form.isConnected) return;
  // The parts of a page that say what saving would do.
  for (const part of document.querySelectorAll<HTMLElement>("[data-part]")) {
    const tried = next.querySelector(`[data-part="${part.dataset["part"]}"]`);
    if (tried) part.replaceChildren(...tried.childNodes);
  }
  for (const share of form.querySelectorAll<HTMLInputElement>("[name^=share-]")) completeShare(share, next);
}

/** Takes over a share that the server completed, if it was not typed. */
function completeShare(share: HTMLInputElement, next: Document): void {
  const was = share.parentElement!.querySelector<HTMLInputElement>("[name^=was-]")!;
  if (share.value !== was.value || share === document.activeElement) return;
  const at = [...document.getElementsByName(share.name)].indexOf(share);
  const tried = next.getElementsByName(share.name)[at] as HTMLInputElement | undefined;
  if (tried) share.value = was.value = tried.value;
}
