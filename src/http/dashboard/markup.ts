import { own } from "../../base/shapes/own.ts";
import type { JSX as Html } from "hono/jsx";
import { keepLast } from "../../base/keep.ts";

/**
 * The JSX of the pages (`#markup` in package.json): elements become text in one pass at once, with all text in them escaped.
 * Hono's own, which also waits for components and moves elements into the head, takes three times as long.
 */

/** The content of an element. Null, undefined and booleans are none. */
export type Child = string | number | boolean | null | undefined | Markup | Raw | readonly Child[];

export type PropsWithChildren<P = unknown> = P & { children?: Child };

type Attribute = string | number | boolean | null | undefined;
type Props = Readonly<Record<string, unknown>> & { children?: Child };
type Component = (props: Props) => Child;

/** An element or a component, not yet rendered. `toString` renders it. */
export class Markup {
  readonly tag: string | Component;
  readonly props: Props;
  constructor(tag: string | Component, props: Props) {
    this.tag = tag;
    this.props = props;
  }
  toString(): string {
    return rendered(this);
  }
}

/** Text that is markup. */
class Raw {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Markup of our own, such as the shapes of an icon, which is not escaped. */
export function raw(text: string): Raw {
  return new Raw(text);
}

/**
 * Returns a function that renders markup once for each key, which names all that it depends on, and keeps the text of the
 * last few.
 */
export function keptMarkup(most: number): (key: string, make: () => Markup) => Raw {
  const texts = keepLast<Raw>(most);
  return (key, make) => texts(key, () => new Raw(rendered(make())));
}

function jsx(tag: string | Component, props: Props): Markup {
  return new Markup(tag, props);
}

export { jsx, jsx as jsxs, jsx as jsxDEV };

export function Fragment({ children }: { children?: Child }): Child {
  return children;
}

// oxlint-disable-next-line typescript/no-namespace -- The compiler looks for the types of elements in one.
export declare namespace JSX {
  type Element = Markup;
  type ElementType = string | ((props: never) => Child);
  interface ElementChildrenAttribute {
    children: Child;
  }
  interface IntrinsicElements extends Html.IntrinsicElements {
    // SVG's.
    [tag: string]: Props;
  }
}

/** Elements without an end. */
const VOID = new Set(["br", "col", "hr", "img", "input", "link", "meta", "source"]);

/** Attributes that are there, or not. */
const SWITCHES = new Set([
  "autofocus",
  "checked",
  "defer",
  "disabled",
  "download",
  "hidden",
  "inert",
  "multiple",
  "novalidate",
  "open",
  "readonly",
  "required",
  "selected",
]);

function rendered({ tag, props }: Markup): string {
  if (typeof tag !== "string") return textOf(tag(props));
  let text = `<${tag}`;
  for (const name in props) if (name !== "children") text += attribute(name, props[name] as Attribute);
  const { children } = props;
  if (children === undefined && VOID.has(tag)) return `${text}/>`;
  return `${text}>${textOf(children)}</${tag}>`;
}

function attribute(name: string, value: Attribute): string {
  if (typeof value === "string") return ` ${name}="${escaped(value)}"`;
  if (value === null || value === undefined) return "";
  if (typeof value === "boolean" && SWITCHES.has(name)) return value ? ` ${name}=""` : "";
  return ` ${name}="${escaped(String(value))}"`;
}

function textOf(child: Child): string {
  if (typeof child === "string") return escaped(child);
  if (child === null || child === undefined || typeof child === "boolean") return "";
  if (child instanceof Markup) return rendered(child);
  if (typeof child === "number") return String(child);
  if (child instanceof Raw) return child.text;
  let text = "";
  for (const each of child) text += textOf(each);
  return text;
}

const SPECIAL = /[&<>"']/;

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return SPECIAL.test(text) ? text.replace(/[&<>"']/g, (character) => own(ENTITIES, character)!) : text;
}
