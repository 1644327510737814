/** The script of drafts, of at most 1,024 bytes compressed: a form with `data-draft` keeps what was typed until it is sent. */

type Control = HTMLInputElement & { options?: HTMLOptionsCollection };
type Value = string | boolean | boolean[];
type Draft = [at: number, ...fields: [name: string, value: Value][]];

const NAME = "formflag-draft ";
const WEEK = 6048e5;

/** Runs what blocked or full storage and broken JSON refuse. */
const attempt = (work: () => void) => {
  try {
    work();
  } catch {}
};

/** Calls `work` with a form that has a draft, and the key of its draft. */
const withDraft = (
  form: EventTarget | null | undefined,
  work: (key: string, form: HTMLFormElement) => void,
) => {
  const { dataset } = (form || {}) as HTMLFormElement;
  const { draft } = dataset || {};
  if (draft != undefined)
    attempt(() =>
      work(
        NAME + (draft || `${location.pathname} ${[...document.forms].indexOf(form as HTMLFormElement)}`),
        form as HTMLFormElement,
      ),
    );
};

/** The controls of a form that are kept: no secrets, and none that control the submission. */
const controlsOf = (form: HTMLFormElement) =>
  ([...form.elements] as Control[]).filter(
    ({ name, type, autocomplete }) =>
      /^[^_]/.test(name) &&
      !/pass|file|hidden/.test(type) &&
      !/^off|\bcc-|one-t|pass/.test(autocomplete || form.autocomplete),
  );

const isTicked = ({ type }: Control) => /^(checkbox|radio)$/.test(type);
const optionsOf = ({ multiple, options }: Control): HTMLOptionElement[] | undefined =>
  multiple && options ? [...options] : undefined;

const forget = (key: string) => {
  delete localStorage[key];
  delete sessionStorage[key];
};

const begin = () => {
  attempt(() => {
    for (const key in localStorage)
      if (key.startsWith(NAME) && !(parseInt((localStorage[key] as string).slice(1)) > Date.now() - WEEK))
        delete localStorage[key];
  });
  for (const each of document.forms)
    withDraft(each, (key, form) => {
      // A page that is shown again, or after an error URL: a form that the browser sent may have failed.
      const [{ type }] = performance.getEntriesByType("navigation") as [PerformanceNavigationTiming];
      const isAgain = type != "navigate" || /[?&]code=\d/.test(document.referrer);
      const text = (localStorage[key] || (isAgain && sessionStorage[key])) as string | undefined;
      if (!isAgain) delete sessionStorage[key];
      const [, ...fields] = JSON.parse(text!) as Draft;
      controlsOf(form).forEach((control, index) => {
        const [name, value] = fields[index] || [];
        if (name != control.name) return;
        if (isTicked(control)) control.checked = value as boolean;
        else if (Array.isArray(value))
          optionsOf(control)?.forEach((each, at) => (each.selected = value[at]!));
        else control.value = value as string;
      });
    });
};

addEventListener("input", ({ target }) =>
  withDraft((target as Control).form, (key, form) => {
    localStorage[key] = JSON.stringify([
      Date.now(),
      ...controlsOf(form).map((control) => [
        control.name,
        isTicked(control)
          ? control.checked
          : (optionsOf(control)?.map(({ selected }) => selected) ?? control.value),
      ]),
    ]);
  }),
);

let submitting: Event | undefined;
addEventListener("submit", (event) => (submitting = event));
/** The browser sends the form itself: until it is known to have failed, the tab alone keeps the draft. */
addEventListener("formdata", ({ target }) =>
  withDraft(target, (key) => {
    const text = localStorage[key] as string | undefined;
    if (submitting?.target != target || submitting?.defaultPrevented || !text) return;
    delete localStorage[key];
    sessionStorage[key] = text;
  }),
);
addEventListener("formflag:sent", ({ target }) => withDraft(target, forget));
addEventListener("reset", ({ target }) => withDraft(target, forget));

if (document.readyState == "loading") addEventListener("DOMContentLoaded", begin);
else begin();
