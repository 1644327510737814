import mustache from "mustache";
import { AppError } from "../base/errors.ts";
import { MAX_TEMPLATE } from "./limits.ts";
import { oneLine } from "./text.ts";

/** A field as a template shows it: both texts are already safe to print. */
export type TemplateField = { name: string; value: string };

/** Sections that repeat for every field: a submission has up to 200, so more of them could make a message of megabytes. */
const MAX_LISTS = 5;

const LIST = "fields";

/** A tag of a parsed template: its kind, its name, where it starts and ends, and the tags inside a section. */
type Token = [kind: string, name: string, start: number, end: number, ...rest: unknown[]];

/**
 * Checks a mustache template of a form. Allowed are `{{name}}` for a field, sections, and `{{#fields}}` with `{{name}}`
 * and `{{value}}`. `what` names the template, such as "the text of the automatic reply". Throws `invalid` with the line
 * for a syntax error, a partial, a change of delimiters, and beyond a limit.
 */
export function checkTemplate(text: string, what: string): void {
  const refuse = (fault: string) => {
    throw new AppError("invalid", `${what}: ${fault}`, { reason: "template-invalid" });
  };
  if (text.length > MAX_TEMPLATE) refuse(`a template has at most ${MAX_TEMPLATE} characters`);
  let tokens: Token[];
  try {
    tokens = createWriter().parse(text);
  } catch (error) {
    return refuse(syntaxFault(text, (error as Error).message));
  }
  let lists = 0;
  const check = (tokens: Token[], isInList: boolean) => {
    for (const [kind, name, start, , inner] of tokens) {
      const line = lineAt(text, start);
      if (kind === ">") refuse(`line ${line}: partials such as {{> ${oneLine(name, 40)}}} are not supported`);
      if (kind === "=") refuse(`line ${line}: the delimiters {{ and }} cannot be changed`);
      const isList = kind === "#" && name === LIST;
      if (isList && isInList) refuse(`line ${line}: {{#${LIST}}} cannot contain another {{#${LIST}}}`);
      if (isList) lists += 1;
      if (lists > MAX_LISTS)
        refuse(`line ${line}: a template has at most ${MAX_LISTS} sections {{#${LIST}}}`);
      if (kind === "#" || kind === "^") check(inner as Token[], isInList || isList);
    }
  };
  check(tokens, false);
}

/**
 * Renders a template that {@link checkTemplate} accepts, as plain text. A field that was not sent is empty. Nothing but the
 * fields can be reached from a template.
 */
export function renderTemplate(text: string, fields: readonly TemplateField[]): string {
  const names: Record<string, unknown> = Object.create(null);
  for (const { name, value } of fields) names[name] = value;
  names[LIST] = fields.map((field) => Object.assign(Object.create(null), field));
  const writer = createWriter();
  writer.escapedValue = textOfTag;
  writer.unescapedValue = textOfTag;
  return writer.renderTokens(writer.parse(text), createScope(names, null));
}

/** A writer that does not keep every template that it ever parsed. */
function createWriter(): mustache.Writer {
  return Object.assign(new mustache.Writer(), { templateCache: undefined });
}

function textOfTag(token: string[], scope: Pick<mustache.Context, "lookup">): string {
  const value: unknown = scope.lookup(token[1]!);
  return typeof value === "string" ? value : "";
}

/**
 * The names that a section sees. The library's own scopes also look names up in prototypes, split them at dots, and call
 * functions.
 */
function createScope(view: unknown, parent: mustache.Context | null): mustache.Context {
  const scope = {
    lookup(name: string): unknown {
      if (name === ".") return view;
      if (typeof view === "object" && view !== null && Object.hasOwn(view, name)) {
        return (view as Record<string, unknown>)[name];
      }
      return parent?.lookup(name) ?? "";
    },
    push: (inner: unknown) => createScope(inner, scope as mustache.Context),
  };
  return scope as mustache.Context;
}

/** The library's message as a person reads it. */
function syntaxFault(text: string, message: string): string {
  const position = Number(/ at (\d+)$/.exec(message)?.[1] ?? 0);
  const section = /section "([^]*)" at /.exec(message)?.[1];
  if (message.startsWith("Unclosed tag")) {
    const opening = text.indexOf("{{", text.lastIndexOf("}}") + 1);
    return `line ${lineAt(text, opening === -1 ? position : opening)}: a tag is not closed: write it as {{name}}`;
  }
  if (section === undefined) return "the delimiters {{ and }} cannot be changed";
  const name = oneLine(section, 40);
  return message.startsWith("Unopened")
    ? `line ${lineAt(text, position)}: {{/${name}}} closes a section that is not open`
    : `line ${lineAt(text, position)}: the section {{#${name}}} is not closed: add {{/${name}}}`;
}

function lineAt(text: string, position: number): number {
  return text.slice(0, position).split("\n").length;
}
