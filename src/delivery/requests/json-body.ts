import { AppError } from "../../base/errors.ts";
import { parseExactly, scalarText } from "../../base/json/exact-json.ts";
import { MAX_TARGET_BODY } from "../limits.ts";
import { checkTemplate, createScope, createWriter, type Scope } from "../template.ts";

/** Items that all sections go through together, and names that they look up. */
const MAX_ITEMS = 10_000;
const MAX_LOOKUPS = 1_000_000;

const at = "2026-01-31T12:00:00.000Z";
const submission = {
  id: "0190b0a4-0000-7000-8000-000000000001",
  project: "shop",
  form: "contact",
  createdAt: at,
};

/** Events that a template has to yield JSON for: of a submission with fields and without, and of a notice. */
const SAMPLES = [
  {
    type: "submission.test",
    data: { ...submission, data: { name: "Ada", email: "ada@example.com", message: "Hello" }, files: [] },
  },
  {
    type: "submission.test",
    data: { ...submission, data: {}, files: [{ field: "file", name: "a.txt", size: 3 }] },
  },
  { type: "notice.test", data: { project: "shop", message: "Hello" } },
].map(({ type, data }) => JSON.stringify({ type, timestamp: at, data }));

/** Throws `invalid` with the line for a template that cannot be read, and for one that does not yield JSON for a sample. */
export function checkJsonBody(template: string): void {
  checkTemplate(template, "body");
  for (const sample of SAMPLES) renderJsonBody(template, sample);
}

/**
 * The body that a template yields for an event, which is JSON text. `{{name}}` is the text of a value with the escapes of JSON,
 * for between quotes, and `{{{name}}}` is the value as JSON, null without one. The names are those of the event's data,
 * `type` and `timestamp`. Throws `invalid` if it does not yield JSON, or too much.
 */
export function renderJsonBody(template: string, event: string): string {
  const { data, ...rest } = parseExactly(event) as { data: object };
  const view = Object.assign(Object.create(null), data, rest);
  let room = MAX_TARGET_BODY;
  const write = (text: string) => {
    room -= text.length;
    if (room < 0) throw tooLarge();
    return text;
  };
  const writer = Object.assign(createWriter(), {
    escapedValue: ([, name]: string[], scope: unknown) =>
      write(JSON.stringify(textOf((scope as Scope).find(name!))).slice(1, -1)),
    unescapedValue: ([, name]: string[], scope: unknown) =>
      write(JSON.stringify((scope as Scope).find(name!) ?? null)),
    rawValue: ([, text]: string[]) => write(text!),
  });
  const budget = { left: MAX_ITEMS, lookups: MAX_LOOKUPS, isField: () => true };
  const body = writer.renderTokens(writer.parse(template), createScope(view, null, budget));
  if (budget.left < 0 || budget.lookups < 0) throw tooLarge();
  try {
    JSON.parse(body);
  } catch {
    throw bodyFault(
      'the template does not yield JSON: write a text as "{{name}}", and any other value as {{{name}}}',
    );
  }
  return body;
}

/** The text of a value; of an object or a list, its JSON. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return scalarText(value) ?? JSON.stringify(value);
}

function tooLarge(): AppError {
  return bodyFault(
    `the template yields more than ${MAX_TARGET_BODY} characters, or goes through too many items`,
  );
}

function bodyFault(fault: string): AppError {
  return new AppError("invalid", `body: ${fault}`, { reason: "template-invalid" });
}
