import { AppError } from "../../../base/errors.ts";
import type { DocsPage } from "../../../docs/pages.ts";
import type { Page } from "../page.tsx";
import type { Child } from "../markup.ts";
import { Card, Empty } from "../parts/card.tsx";
import { Icon } from "../parts/icon.tsx";
import { A } from "../parts/link.tsx";
import { DOCS, DOCS_PAGE, pathTo } from "../paths.ts";
import type { Dashboard } from "../routes.ts";
import { addressOf, useView } from "../view.ts";
import type { Heading } from "./content.tsx";

/** The headings of kinds, in their order. */
const KINDS: Record<string, string> = {
  start: "Start",
  tutorial: "Tutorials",
  guide: "Guides",
  reference: "Reference",
  explanation: "Explanation",
};

/** Headings from which on a page lists them. */
const MANY = 3;

/** The documentation of this version, for everyone who is signed in. It is unpacked when a page of it is asked for. */
export function docsRoutes({ get }: Dashboard) {
  const load = () => import("../../../docs/pages.ts");
  const loadSearch = () => import("../../../docs/search.ts");

  get(DOCS, null, async (c) => {
    const typed = (c.req.query("q") ?? "").trim().slice(0, 200);
    const [{ anchorOf, readPages }, { plainText, searchIn }] = await Promise.all([load(), loadSearch()]);
    const pages = readPages();
    const titles = new Map(pages.map(({ name, title }) => [name, title]));
    const found =
      typed === ""
        ? null
        : searchIn(pages, typed).map(({ page: name, heading, line }): Found => {
            const title = titles.get(name)!;
            return heading === null
              ? { name, title, line }
              : { name, title, line, heading: plainText(heading), id: anchorOf(heading) };
          });
    return listPage(typed, found, pages);
  });
  get(DOCS_PAGE, null, async (_, { page }) => {
    const [{ readPages, nameIn }, { contentOf }] = await Promise.all([load(), import("./content.tsx")]);
    const pages = readPages();
    const found = pages.find(({ name }) => name === page);
    if (!found) throw new AppError("not_found", `page "${page}" does not exist in the documentation`);
    const titles = new Map(pages.map(({ name, title }) => [name, title]));
    const linkTo = (href: string, children: readonly Child[]) => {
      const [path = "", hash] = href.split("#");
      if (/^[a-z]+:/.test(href)) return <a href={href}>{children}</a>;
      if (path === "") return <a href={`#${hash}`}>{children}</a>;
      const name = nameIn(path);
      const title = titles.get(name);
      // Files that are no pages, such as configurations, are not in the executable.
      if (title === undefined || !path.endsWith(".md")) return children;
      return (
        <A to={pathTo(DOCS_PAGE, { page: name })} hash={hash}>
          {children.length === 1 && children[0] === `${name}.md` ? title : children}
        </A>
      );
    };
    return docsPage(found, contentOf(found.text, linkTo));
  });
}

type Found = { name: string; title: string; line: string; heading?: string; id?: string };

/** The list of pages, or what was found in them. */
function listPage(typed: string, found: readonly Found[] | null, pages: readonly DocsPage[]): Page {
  const toPage = ({ name, title }: { name: string; title: string }) => (
    <A to={pathTo(DOCS_PAGE, { page: name })}>{title}</A>
  );
  return {
    title: "Documentation",
    section: "docs",
    lead: "Of the version that runs here.",
    commands: [
      ["List the pages", "docs"],
      ...(typed === "" ? [] : [["Search", "docs", { search: typed }] as const]),
    ],
    content: (
      <div class="stack docs">
        <Search typed={typed} />
        {found === null
          ? Object.entries(KINDS).map(([kind, label]) => (
              <Card id={kind} title={label}>
                <ul>
                  {pages
                    .filter((page) => page.kind === kind)
                    .map((page) => (
                      <li>{toPage(page)}</li>
                    ))}
                </ul>
              </Card>
            ))
          : found.length > 0 && (
              <ul class="hits" aria-label="Results">
                {found.map(({ name, title, line, heading, id }) => (
                  <li>
                    <A to={pathTo(DOCS_PAGE, { page: name })} hash={id}>
                      {heading ?? title}
                    </A>
                    {heading && <span class="soft small"> {title}</span>}
                    <p>{line}</p>
                  </li>
                ))}
              </ul>
            )}
        {found?.length === 0 && (
          <Empty title="Nothing has these words">
            <p class="soft">Try other ones.</p>
          </Empty>
        )}
      </div>
    ),
  };
}

function docsPage(
  { name, title }: DocsPage,
  { content, headings }: { content: Child; headings: readonly Heading[] },
): Page {
  return {
    title: `Documentation: ${title}`,
    heading: title,
    section: "docs",
    back: { to: DOCS, label: "Documentation" },
    commands: [["Read it in a terminal", "docs", name]],
    content: (
      <div class="stack docs">
        <Search typed="" />
        {headings.length >= MANY && (
          <details>
            <summary>On this page</summary>
            <ul>
              {headings.map(({ id, text }) => (
                <li>
                  <a href={`#${id}`}>{text}</a>
                </li>
              ))}
            </ul>
          </details>
        )}
        {content}
      </div>
    ),
  };
}

function Search({ typed }: { typed: string }) {
  return (
    <form method="get" action={addressOf(useView(), DOCS)} class="searchbox" role="search">
      <Icon name="search" />
      <input
        type="search"
        id="search"
        name="q"
        value={typed}
        aria-label="Search the documentation"
        placeholder="Search the documentation"
        aria-keyshortcuts="/"
        maxlength={200}
      />
    </form>
  );
}
