import { listProjects } from "../../../projects/projects.ts";
import type { Page } from "../page.tsx";
import { Hidden } from "../parts/link.tsx";
import { Search } from "../parts/list.tsx";
import { Foreign } from "../parts/text.tsx";
import { FLAGS, projectPath } from "../paths.ts";
import type { Dashboard } from "../routes.ts";
import { addressOf, useView } from "../view.ts";
import { MAX_SEARCH, type Result, find } from "./find.ts";

/** The page behind the palette, which works without JavaScript. */
export function goRoutes({ app, root, get, viewOf }: Dashboard) {
  get("/go", null, async (c) => {
    const search = (c.req.query("q") ?? "").slice(0, MAX_SEARCH);
    const results = await find(app, c.get("caller"), search, viewOf(c).timeZone);
    return goPage(search, results);
  });
  // A list of one project says nothing.
  get(FLAGS, "flags:read", async (c) => {
    const { items } = await listProjects(app, c.get("caller"), { limit: 2 });
    return c.redirect(root + (items.length === 1 ? projectPath(items[0]!.slug) : "/projects"), 303);
  });
}

function goPage(search: string, results: readonly Result[]): Page {
  return {
    title: "Go to",
    section: "go",
    content: (
      <div class="stack narrow">
        <Search to="/go" search={search} label="Go to" placeholder="Flag, form, person, page or action" />
        <ul class="results" aria-label="Results">
          {results.map((result) => (
            <li>
              <Item result={result} />
            </li>
          ))}
        </ul>
      </div>
    ),
  };
}

function Item({ result }: { result: Result }) {
  const view = useView();
  const { kind, label, detail, to } = result;
  const words = (
    <>
      <span>
        <Foreign text={label} />
        {detail && (
          <span class="soft">
            {" "}
            <Foreign text={detail} />
          </span>
        )}
      </span>
      <span class="soft small">{kind}</span>
    </>
  );
  if (!("values" in result))
    return (
      <a href={addressOf(view, to, result.query)} class="result" data-result={kind}>
        {words}
      </a>
    );
  return (
    <form method="post" action={addressOf(view, to)}>
      <Hidden values={result.values} />
      <button type="submit" class="result" data-result={kind}>
        {words}
      </button>
    </form>
  );
}
