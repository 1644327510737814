import mustache from "mustache";
import { MiB } from "../base/bytes.ts";
import { AppError } from "../base/errors.ts";
import { isRawNumber } from "../base/json/exact-json.ts";
import { MAX_TEMPLATE } from "./limits.ts";
import { describeValue, oneLine } from "./text.ts";

/** A field as a template shows it: all texts are already safe to print. `members` has those of an object or a list. */
export type TemplateField = { name: string; value: string; members?: Members | undefined };

/** The text of a value, or those of its members. */
type Member = string | Members;
type Members = { readonly [name: string]: Member } | readonly Member[];

/** Texts in a value whose members a template can reach, and how deep they are; of a larger one it shows the whole. */
const MAX_MEMBERS = 2000;
const MAX_DEPTH = 8;
/** Items of lists that all sections of a template go through together: one in another would multiply them. */
const MAX_ITEMS = 1000;
/** Characters of all values that a template shows: the tags of a section repeat them for each item. */
const MAX_TEXT = MiB;
/** Characters of an object or a list inside of a field. */
const MAX_INNER = 2000;
/** Names that a template looks up, in each section around a tag: an item repeats all of them. */
const MAX_LOOKUPS = 1_000_000;

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
 * The members of an object or a list, with `textOf` making each text and each name safe; a name of which nothing is left is
 * left out. Undefined for any other value, and for one with more members than a template can reach.
 */
export function membersOf(value: unknown, textOf: (value: unknown) => string): Members | undefined {
  let left = MAX_MEMBERS;
  const read = (value: unknown, depth: number): Member => {
    if (typeof value !== "object" || value === null || isRawNumber(value))
      return (left -= 1) < 0 ? "" : textOf(value);
    if (depth === 0) left = -1;
    if (left < 0) return "";
    if (Array.isArray(value)) return value.slice(0, left + 1).map((each) => read(each, depth - 1));
    const members: Record<string, Member> = Object.create(null);
    for (const [name, each] of Object.entries(value)) {
      const safe = textOf(name);
      if (safe !== "") members[safe] = read(each, depth - 1);
      if (left < 0) break;
    }
    return members;
  };
  const members = read(value, MAX_DEPTH);
  return left < 0 || typeof members === "string" ? undefined : members;
}

/**
 * Renders a template that {@link checkTemplate} accepts, as plain text. `{{user.name}}` is a member of a field, and
 * `{{#items}}{{sku}}{{/items}}` repeats for the items of a list. A field that was not sent is empty. Nothing but the fields
 * can be reached from a template.
 */
export function renderTemplate(text: string, fields: readonly TemplateField[]): string {
  return render(createWriter(), text, fields);
}

/** The values that {@link renderTemplate} shows, with a space in place of each text of the template itself. */
export function renderValues(text: string, fields: readonly TemplateField[]): string {
  return render(Object.assign(createWriter(), { rawValue: () => " " }), text, fields);
}

function render(writer: mustache.Writer, text: string, fields: readonly TemplateField[]): string {
  const names: Record<string, unknown> = Object.create(null);
  const texts = new Map<unknown, string>();
  for (const { name, value, members } of fields) {
    names[name] = members ?? value;
    if (members) texts.set(members, value);
  }
  const list = fields.map(({ name, value }) => Object.assign(Object.create(null), { name, value }));
  names[LIST] = list;
  for (const each of [list, names, ...list]) texts.set(each, "");
  const textOf = (value: unknown): string => {
    if (typeof value === "string") return value;
    return value === undefined ? "" : (texts.get(value) ?? describeValue(value, MAX_INNER).text);
  };
  let room = MAX_TEXT;
  const textOfTag = (token: string[], scope: Pick<mustache.Context, "lookup">): string => {
    if (room === 0) return "";
    const text = textOf((scope as Scope).find(token[1]!)).slice(0, room);
    room -= text.length;
    return text;
  };
  writer.escapedValue = textOfTag;
  writer.unescapedValue = textOfTag;
  const isField = (value: unknown) => value !== list;
  const budget = { left: MAX_ITEMS, lookups: MAX_LOOKUPS, isField };
  return writer.renderTokens(writer.parse(text), createScope(names, null, budget));
}

/** A writer that does not keep every template that it ever parsed. */
export function createWriter(): mustache.Writer {
  return Object.assign(new mustache.Writer(), { templateCache: undefined });
}

/** The names that a part of a template sees. `lookup` is that of a section, which repeats for the items of a list. */
export type Scope = mustache.Context & { find(name: string): unknown };

/** The items that sections may still go through, the names to look up, each below 0 once there were too many, and whether a value is a field rather than their list. */
type Budget = { left: number; lookups: number; isField: (value: unknown) => boolean };

/**
 * The names that a section sees. The library's own scopes also look names up in prototypes, and call functions. A name with
 * dots is a field of that name, else a member.
 */
export function createScope(view: unknown, parent: Scope | null, budget: Budget): Scope {
  const scope = {
    find(name: string): unknown {
      if (name === ".") return view;
      // A long name may have many dots.
      budget.lookups -= 1 + Math.floor(name.length / 4);
      if (budget.lookups < 0) return undefined;
      return memberOf(view, name) ?? pathIn(view, name, budget) ?? parent?.find(name);
    },
    lookup(name: string): unknown {
      const value = scope.find(name) ?? "";
      if (!Array.isArray(value) || !budget.isField(value)) return value;
      const items: unknown[] = value.slice(0, Math.max(budget.left, 0));
      budget.left -= value.length;
      return items;
    },
    push: (inner: unknown) => createScope(inner, scope as unknown as Scope, budget),
  };
  return scope as unknown as Scope;
}

/** The member of a value by a name with dots, such as `user.name` or `items.0.sku`. */
function pathIn(view: unknown, path: string, budget: Budget): unknown {
  const [first, ...rest] = path.split(".");
  if (rest.length === 0) return undefined;
  const start = memberOf(view, first!);
  return budget.isField(start) ? rest.reduce(memberOf, start) : undefined;
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  if (Array.isArray(value) && !/^\d{1,5}$/.test(name)) return undefined;
  return (value as Record<string, unknown>)[name];
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
