import type { App } from "../../../app.ts";
import { AppError } from "../../../base/errors.ts";
import type { CodeReferences } from "../../../flags/code/code-reference.ts";
import { pageReferences } from "../../../flags/code/code-references.ts";
import { getProject } from "../../../projects/projects.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import type { Page } from "../page.tsx";
import { formflag } from "../parts/commands.tsx";
import { Empty } from "../parts/card.tsx";
import { Foreign } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { FLAG, flagPath } from "../paths.ts";
import type { Dashboard } from "../routes.ts";
import { Pager } from "../parts/list.tsx";
import { requireFlag } from "./feedback.tsx";
import { projectPage } from "../project/project-page.tsx";

/** Lines of code on one page. */
const PAGE = 100;

export function codeRoutes({ app, get }: Dashboard) {
  get(`${FLAG}/code`, "flags:read", async (c, parameters) => {
    const project = await getProject(app, parameters.project);
    const flag = await requireFlag(app, project, parameters.flag);
    const start = { after: c.req.query("after") || null, skip: skipIn(c) };
    return codePage(project.slug, flag, start, await readLines(app, project.slug, flag, start));
  });
}

/** Start of a page: after one list of references, and after `skip` entries of the next. */
type Start = { after: string | null; skip: number };

/** Throws `invalid`. */
function skipIn(c: DashboardContext): number {
  const text = c.req.query("skip") || "0";
  if (!/^\d{1,6}$/.test(text)) throw new AppError("invalid", "the address of this page is not complete");
  return Number(text);
}

/** The references of a page, by upload, and where the next page starts; null at the end. */
async function readLines(app: App, project: string, flag: string, { after, skip }: Start) {
  const lists: CodeReferences[] = [];
  let [left, cursor, passed] = [PAGE, after, skip];
  for (;;) {
    const query = { flag, limit: 1, ...(cursor === null ? {} : { after: cursor }) };
    const { references, next } = await pageReferences(app, project, query);
    const [list] = references;
    if (!list) return { lists, next: null };
    const shown = list.references.slice(passed, passed + left);
    if (shown.length > 0) lists.push({ ...list, references: shown });
    left -= shown.length;
    if (passed + shown.length < list.references.length)
      return { lists, next: { after: cursor, skip: passed + shown.length } };
    if (next === null) return { lists, next: null };
    [cursor, passed] = [next, 0];
    if (left === 0) return { lists, next: { after: cursor, skip: 0 } };
  }
}

type Lines = Awaited<ReturnType<typeof readLines>>;

/** The command that sends where the code in a directory names flags. */
function scanCommand(project: string): string {
  return formflag("flags refs scan", { p: project, upload: true, name: "web" });
}

function codePage(project: string, flag: string, start: Start, { lists, next }: Lines): Page {
  const scan = scanCommand(project);
  return projectPage({
    project,
    tab: "flags",
    title: `Code that names ${flag}`,
    heading: `Code that names ${flag}`,
    back: { to: flagPath(project, flag), label: flag },
    commands: [
      ["Checks whether the flag is done, and what to keep", "flags cleanup", flag, { p: project }],
      ["Lists it", "flags refs list", flag, { p: project }],
      { label: "Sends what the code in this directory names", text: scan },
    ],
    content: (
      <>
        {lists.length === 0 ? (
          <Empty title="No code that is known names it">
            <p class="soft">A scan in the directory of the code sends where flags are named:</p>
            <pre tabindex={0}>{scan}</pre>
          </Empty>
        ) : (
          lists.map((list) => <Upload list={list} />)
        )}
        <Pager
          to={`${flagPath(project, flag)}/code`}
          isLater={start.after !== null || start.skip > 0}
          next={next}
        />
      </>
    ),
  });
}

function Upload({ list: { branch, projectName, commit, uploadedAt, references } }: { list: CodeReferences }) {
  return (
    <section class="card">
      <h2>
        <Foreign text={projectName} />
        <code>{branch}</code>
        <span class="soft small">
          uploaded <Time at={Date.parse(uploadedAt)} />
          {commit !== null && (
            <>
              , commit <Foreign text={commit} />
            </>
          )}
        </span>
      </h2>
      <ul class="stack">
        {references.map(({ filePath, lineNumber, lineContent, url }) => (
          <li>
            <CodePlace place={`${filePath}:${lineNumber}`} url={url} />
            <pre>
              <Foreign text={lineContent.trim() || " "} />
            </pre>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A file and line, as a link into its repository if that is known. */
export function CodePlace({ place, url }: { place: string; url: string | null }) {
  const code = (
    <code>
      <Foreign text={place} />
    </code>
  );
  if (url === null) return code;
  return (
    <a href={url} rel="noopener noreferrer nofollow" target="_blank">
      {code}
    </a>
  );
}
