import type { Child } from "../markup.ts";

/** A heading of a page, with the id by which a link leads to it. */
export type Heading = { id: string; text: string };

/** An element that the parser makes; the type of a fragment is a symbol. */
type Element = { type: unknown; props: Props };

type Props = {
  children?: Node[];
  id?: string;
  href?: string;
  alt?: string;
  start?: number;
};

type Node = string | Element;

/** Elements that are taken over as they are. */
const PLAIN = new Set([
  "p",
  "strong",
  "em",
  "del",
  "code",
  "ul",
  "li",
  "blockquote",
  "thead",
  "tbody",
  "tr",
  "hr",
  "br",
]);

/** The markup of a Markdown text without its title and without raw HTML; `linkTo` makes the links, or is null for text. */
export function contentOf(
  text: string,
  linkTo: (href: string, children: readonly Child[]) => Child,
): { content: Child; headings: Heading[] } {
  // The parser of the runtime: no library is loaded for it.
  const parsed = Bun.markdown.react(text, { html: "raw" as never }, { headings: { ids: true } });
  const headings: Heading[] = [];
  const all = (nodes: readonly Node[] = [], columns?: readonly string[]): Child[] =>
    nodes.map((node) => (typeof node === "string" ? node : shown(node, columns)));
  const shown = ({ type, props }: Element, columns: readonly string[] = []): Child => {
    const { children = [], id } = props;
    const Tag = String(type) as "p";
    switch (type) {
      case "raw":
      case "h1":
        return null;
      case "h2":
        headings.push({ id: id!, text: textIn(children) });
        return <h2 id={id}>{all(children)}</h2>;
      case "h3":
      case "h4":
      case "h5":
      case "h6":
        return <Tag id={id}>{all(children)}</Tag>;
      case "pre":
        return <pre>{children}</pre>;
      case "a":
        return linkTo(props.href ?? "", all(children));
      case "img":
        return props.alt;
      case "ol":
        return <ol start={props.start}>{all(children)}</ol>;
      case "table":
        return <table class="cards">{all(children, labelsIn(children))}</table>;
      case "th":
        return <th scope="col">{all(children)}</th>;
      case "tr":
        return (
          <tr>
            {children.map((cell, at) =>
              isCell(cell) ? <Cell label={columns[at]}>{all(cell.props.children)}</Cell> : all([cell]),
            )}
          </tr>
        );
      default:
        return PLAIN.has(Tag) ? <Tag>{all(children, columns)}</Tag> : all(children);
    }
  };
  return { content: shown(parsed as Element), headings };
}

const isCell = (node: Node): node is Element => typeof node === "object" && node.type === "td";

/** A cell with the label of its column, which it shows on a phone. */
function Cell({ label, children }: { label: string | undefined; children?: Child }) {
  return <td data-label={label || undefined}>{children}</td>;
}

/** The texts of the first row of a table. */
function labelsIn([head]: readonly Node[]): string[] {
  const row = typeof head === "object" ? head.props.children?.[0] : undefined;
  return typeof row === "object" ? (row.props.children ?? []).map((cell) => textIn([cell])) : [];
}

function textIn(nodes: readonly Node[]): string {
  return nodes.map((node) => (typeof node === "string" ? node : textIn(node.props.children ?? []))).join("");
}
