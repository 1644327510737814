import { html, raw } from "hono/html";
import type { FieldError } from "../../../base/errors.ts";
import { CHALLENGE_FIELD, HONEYPOT_NAMES, IDEMPOTENCY_FIELD } from "../../../forms/intake/control-fields.ts";
import type { Form } from "../../../forms/form.ts";
import type { Input, PageContent } from "../../../forms/intake/input.ts";
import { type Field, fieldHtml, hidden } from "./field.ts";
import { FORM_STYLE } from "./form-style.ts";
import { type Html, htmlPage } from "./layout.ts";
import { labelled, noticeOf, typesOf } from "./problem.ts";
import { type Reader, fieldMessage, formatSize, readerOf } from "./reader.ts";
import { type Problem, fill } from "./texts/texts.ts";

/** Submitted values with their errors. */
export type FilledIn = {
  status: number;
  problem: Problem;
  values: ReadonlyMap<string, string[]>;
  errors: readonly FieldError[];
  /** The fields that files came in, with what is wrong with each. */
  files: { field: string; problem: Problem | null }[];
};

type Page = {
  form: Form;
  content: PageContent;
  reader: Reader;
  /** Null for an empty form. */
  filledIn: FilledIn | null;
  idempotencyKey: string;
};

/** Scripts of this server, for the widget of a challenge. */
const WIDGET_POLICY = ["script-src 'self'", "worker-src 'self'", "connect-src 'self'"];

/** The page of a form, which needs no script unless a challenge is required. Its addresses are relative to its own. */
export async function formPage(page: Page): Promise<Response> {
  const { form, content, reader, filledIn, idempotencyKey } = page;
  const { texts } = reader;
  const fields = fieldsOf(page);
  const hasFiles = fields.some(({ input }) => input.kind === "file");
  const title = filledIn ? `${texts.form.error}: ${content.title}` : content.title;
  const answer = await htmlPage(
    {
      status: filledIn?.status ?? 200,
      title,
      reader,
      style: FORM_STYLE,
      accent: form.ofProject?.accent,
      // No `form-action`: browsers apply it to redirects too, and the success URL may be on any site.
      policy: form.challenge ? WIDGET_POLICY : [],
    },
    html`<h1>${content.title}</h1>
${content.description === null ? "" : html`<p class="lines">${content.description}</p>`}
${filledIn ? summary(page, filledIn, fields) : ""}
<form method="post"${hasFiles ? raw(' enctype="multipart/form-data"') : ""}>
${fields.some(({ input }) => input.isRequired) ? html`<p class="soft">${texts.form.marked}</p>` : ""}
${hidden(IDEMPOTENCY_FIELD, idempotencyKey)}${fields.map((field) => fieldHtml(field, reader))}
<div class="trap" aria-hidden="true"><label>${texts.form.leaveEmpty} <input name="${HONEYPOT_NAMES[0]}" tabindex="-1" autocomplete="off"></label></div>
${form.challenge ? challenge(page) : ""}
<button>${texts.form.send}</button>
</form>`,
  );
  // The origin in the request of its form distinguishes it from other websites.
  answer.headers.set("Referrer-Policy", "same-origin");
  // The back button may show what was typed, which it cannot for a page that is not stored.
  if (!filledIn) answer.headers.set("Cache-Control", "private, no-cache");
  return answer;
}

/** The empty inputs of the page of a form. */
export async function inputsHtml(form: Form, content: PageContent): Promise<string> {
  const reader = await readerOf(form.language, null);
  const fields = fieldsOf({ form, content, reader, filledIn: null });
  return String(await html`${fields.map((field) => fieldHtml(field, reader))}`);
}

/** The inputs with their values and errors; the first wrong one gets the focus. */
function fieldsOf({ form, content, reader, filledIn }: Omit<Page, "idempotencyKey">): Field[] {
  const fields = content.inputs.map((input, index): Field => {
    const isFile = input.kind === "file";
    const files = filledIn?.files.filter(({ field }) => isFile && field === input.name) ?? [];
    return {
      input,
      id: `field-${index + 1}`,
      values: filledIn && input.kind !== "fixed" ? (filledIn.values.get(input.name) ?? []) : input.initial,
      hints: hintsOf(input, form, reader),
      error: filledIn && errorOf(input, { form, content, reader, filledIn }),
      note: files.length > 0 ? reader.texts.form.chooseAgain : null,
      accept: isFile ? form.allowedTypes.join(",") : "",
      hasFocus: false,
    };
  });
  const wrong = fields.find(({ error }) => error !== null);
  if (wrong) wrong.hasFocus = true;
  return fields;
}

function hintsOf({ hint, kind }: Input, form: Form, reader: Reader): string[] {
  const limits = [typesOf(form), fill(reader.texts.form.upTo, formatSize(reader, form.maxFileSize))];
  const ofFile = kind === "file" ? [limits.filter(Boolean).join(" · ")] : [];
  return [...(hint === null ? [] : [hint]), ...ofFile];
}

/** Error of an input; null for none. */
function errorOf(
  input: Input,
  { form, content, reader, filledIn }: Omit<Page, "filledIn" | "idempotencyKey"> & { filledIn: FilledIn },
): string | null {
  const refused = filledIn.files.find(({ field, problem }) => field === input.name && problem !== null);
  if (refused?.problem && input.kind === "file") {
    const { title, text } = noticeOf(reader, refused.problem, form);
    return `${title}. ${text}`;
  }
  const error = filledIn.errors.find(({ field }) => isOf(field, input));
  if (!error) return null;
  if (input.kind === "box" && error.code !== "type") return reader.texts.fields.unticked;
  const isChoice = input.kind === "radio" || input.kind === "select" || input.kind === "boxes";
  if (isChoice && error.code === "required") return reader.texts.fields.choice;
  return fieldMessage(reader, error, (name) => labelIn(content, name));
}

/** Whether an error is about an input, or about an item of its list. */
function isOf(field: string, { name }: Input): boolean {
  return field === name || field.startsWith(`${name}[`);
}

function labelIn({ inputs }: PageContent, name: string): string {
  return inputs.find((input) => input.name === name)?.label ?? name;
}

/** Error summary with links to the fields; has the focus if no field has an error. */
function summary({ form, content, reader }: Page, filledIn: FilledIn, fields: readonly Field[]): Html {
  const { title, text } = noticeOf(reader, filledIn.problem, form);
  const wrong = fields.filter(({ error }) => error !== null);
  const others = filledIn.errors.filter(({ field }) => !content.inputs.some((input) => isOf(field, input)));
  const focus = wrong.length === 0 ? raw(' tabindex="-1" autofocus') : "";
  const items = [
    ...wrong.map(
      ({ id, input, error }) => html`<li><a href="#${id}">${labelled(input.label, error ?? "")}</a></li>`,
    ),
    ...others.map((error) => {
      const message = fieldMessage(reader, error, (name) => labelIn(content, name));
      return html`<li>${error.label === "" ? message : labelled(error.label, message)}</li>`;
    }),
  ];
  return html`<section class="summary" aria-labelledby="summary"${focus}>
<h2 id="summary">${title}</h2>
<p>${text}</p>
${items.length === 0 ? "" : html`<ul>${items}</ul>`}
</section>`;
}

function challenge({ form, reader: { texts } }: Page): Html {
  return html`<div class="proof">
<altcha-widget name="${CHALLENGE_FIELD}" challenge="../s/${form.key}/challenge"></altcha-widget>
<p class="wrong" data-insecure hidden>${texts.form.needsHttps}</p>
<noscript><p class="wrong">${texts.form.needsScript}</p></noscript>
<script type="module" src="../altcha.js"></script>
</div>`;
}
