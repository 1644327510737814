import { parse } from "./document.ts";

/** Milliseconds without a key before what was typed is shown. */
const PAUSE = 250;

/** Keeps a preview up to date with the form that names it: the server checks the form, and sends its page. */
export function showPreviews(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener("input", ({ target }) => {
    const form = target instanceof Element && target.closest<HTMLFormElement>("form[data-preview]");
    if (!form) return;
    clearTimeout(timer);
    timer = setTimeout(() => void update(form), PAUSE);
  });
}

async function update(form: HTMLFormElement): Promise<void> {
  const data = new FormData(form);
  data.set("act", "check");
  const body = new URLSearchParams([...data] as [string, string][]);
  const answer = await fetch(form.getAttribute("action")!, { method: "POST", body }).catch(() => null);
  const next = answer?.ok ? parse(await answer.text()) : null;
  const id = form.dataset["preview"]!;
  const [shown, fresh] = [document.getElementById(id), next?.getElementById(id)];
  if (shown && fresh && form.isConnected) shown.replaceWith(fresh);
}
