import { counted, visible } from "../parts/text.tsx";
import type { Promotion } from "../../../flags/promotions.ts";
import { requirementsText } from "../../../flags/requires/requirement.ts";
import { audienceOf } from "../../../flags/audience.ts";
import { compareEnvironments } from "../../../flags/promotions.ts";
import type { Project } from "../../../projects/project.ts";
import { getProject } from "../../../projects/projects.ts";
import { sentence } from "../../../base/shapes/words.ts";
import type { Page } from "../page.tsx";
import { Diff } from "../parts/diff.tsx";
import { CheckField } from "../parts/field.tsx";
import { A, Button, ButtonLink, Form } from "../parts/link.tsx";
import { EnvironmentName, Notice } from "../parts/status.tsx";
import { Card, Empty } from "../parts/card.tsx";
import type { Dashboard } from "../routes.ts";
import { addressOf, useMayChange, useView } from "../view.ts";
import { environmentOf } from "./revision-card.tsx";
import { Pager } from "../parts/list.tsx";
import { Chips } from "../parts/seg.tsx";
import { COMPARE, pathTo, segmentPath, settingPath, projectPath } from "../paths.ts";
import { projectPage } from "../project/project-page.tsx";

/** Flags on one page. */
const PAGE = 50;

export function compareRoutes({ app, get, root }: Dashboard) {
  get(COMPARE, "flags:read", async (c, parameters) => {
    const project = await getProject(app, parameters.project);
    const usual = usualPair(project);
    const [from, to] = [c.req.query("from") || usual.from, c.req.query("to") || usual.to];
    if (c.req.query("differs") === "1")
      return c.redirect(addressOf({ root }, projectPath(project.slug), { differs: 1 }), 302);
    if (project.environments.length < 2) return comparePage({ project, ...usualPair(project) });
    if (from === to)
      return { ...comparePage({ project, from, to, error: "Choose two environments." }), status: 400 };
    const comparison = await compareEnvironments(app, project.slug, from, to);
    const [after, flag] = [c.req.query("after") ?? "", c.req.query("flag") ?? ""];
    return comparePage({ project, from, to, comparison, after, flag });
  });
}

type Comparison = {
  project: Project;
  from: string;
  to: string;
  error?: string;
  comparison?: Promotion;
  /** The last flag of the page before. */
  after?: string;
  /** The flag that is to be promoted, which comes first and is ticked; empty for none. */
  flag?: string;
};

/** The page that compares two environments; without a comparison, the choice of them. */
export function comparePage({
  project,
  from,
  to,
  error,
  comparison,
  after = "",
  flag = "",
}: Comparison): Page {
  const { slug, environments } = project;
  const path = pathTo(COMPARE, { project: slug });
  const pair = { from, to };
  // The one of the other side changes places.
  const sides = (side: "from" | "to") =>
    environments.map(({ slug: each }) => {
      const other = side === "from" ? "to" : "from";
      const query = { ...pair, [side]: each, ...(pair[other] === each && { [other]: pair[side] }) };
      return { to: path, query, label: each, isCurrent: each === pair[side] };
    });
  return projectPage({
    project: slug,
    tab: "compare",
    title: comparison ? `Compare ${from} with ${to}` : "Compare",
    heading: "Compare environments",
    ...(error !== undefined && { topics: [] }),
    commands: [["Lists the same", "flags promote", { all: true, p: slug, from, to, "dry-run": true }]],
    content:
      environments.length < 2 ? (
        <Empty title="There is nothing to compare">
          <p>This project has one environment. Another one starts as a copy of it:</p>
          <ButtonLink to={`${projectPath(slug)}/settings`} kind="primary" icon="plus">
            Create an environment
          </ButtonLink>
        </Empty>
      ) : (
        <>
          <div class="toolbar">
            <span class="soft">From</span>
            <Chips label="From" chips={sides("from")} />
            <span class="soft">to</span>
            <Chips label="To" chips={sides("to")} />
          </div>
          {error !== undefined && (
            <Notice tone="bad">
              <p>{sentence(error)}</p>
            </Notice>
          )}
          {comparison && (
            <Differences
              project={project}
              from={from}
              to={to}
              comparison={comparison}
              after={after}
              flag={flag}
            />
          )}
        </>
      ),
  });
}

function Differences({
  project: { slug, environments },
  from,
  to,
  comparison: { flags, segments, unchanged },
  after,
  flag,
}: Required<Omit<Comparison, "error">>) {
  const canPromote = useMayChange([environmentOf(environments, to)]);
  const { now } = useView();
  if (flags.length === 0 && segments.length === 0)
    return (
      <Empty title={`${from} and ${to} are the same`}>
        <p class="soft">{counted(unchanged, "flag")} and the segments of their rules.</p>
      </Empty>
    );
  const path = pathTo(COMPARE, { project: slug });
  const first = flags.filter((each) => each.slug === flag && after === "");
  const rest = flags.filter((each) => each.slug > after && each.slug !== flag);
  const shown = [...first, ...rest.slice(0, PAGE - first.length)];
  const list = (
    <>
      <p>
        {counted(flags.length, "flag")} of <EnvironmentName environment={environmentOf(environments, from)} />{" "}
        {flags.length === 1 ? "differs" : "differ"} from{" "}
        <EnvironmentName environment={environmentOf(environments, to)} />, {unchanged.toLocaleString("en")}{" "}
        {unchanged === 1 ? "does" : "do"} not. Lines with − are what {to} has, lines with + what {from} has.
      </p>
      {flag !== "" && !flags.some((each) => each.slug === flag) && (
        <Notice>
          <p>{visible(flag)} is the same in both.</p>
        </Notice>
      )}
      <ol class="items stack">
        {shown.map((each) => (
          <li class="card" id={`flag-${each.slug}`}>
            <h2>
              {canPromote && (
                <input
                  type="checkbox"
                  name="flag"
                  value={each.slug}
                  checked={each.slug === flag}
                  // Else a browser keeps the ticks of a page that it showed before.
                  autocomplete="off"
                  aria-label={`Promote ${each.slug}`}
                />
              )}
              <A to={settingPath({ project: slug, environment: to, flag: each.slug })}>{each.slug}</A>
            </h2>
            <p class="soft small">
              {from}: {whoIn(each.after, now)} · {to}: {whoIn(each.before, now)}
            </p>
            <Diff before={each.before} after={each.after} />
          </li>
        ))}
      </ol>
      <SegmentDifferences project={slug} from={from} to={to} segments={segments} />
      <Pager
        to={path}
        query={{ from, to }}
        isLater={after !== ""}
        next={first.length + rest.length > shown.length && { flag, after: shown.at(-1)!.slug }}
      />
    </>
  );
  if (!canPromote) return <div class="stack">{list}</div>;
  return (
    <Form to={`${path}/review`} values={{ from, to }} class="stack" id="compare" label="What to promote">
      {list}
      <div class="card">
        {segments.length > 0 && (
          <CheckField
            name="segments"
            label="Copy the segments that their rules need, too"
            hint={`A rule cannot be promoted while a segment of it is missing in ${to}.`}
            checked
          />
        )}
        <p class="buttons">
          <Button kind="primary" name="which" value="ticked">
            Promote what is ticked…
          </Button>
          <Button name="which" value="all">
            Promote all {flags.length.toLocaleString("en")}…
          </Button>
        </p>
      </div>
    </Form>
  );
}

/** The readers who get a flag in a state, in words. */
function whoIn(state: Promotion["flags"][number]["after"], now: number): string {
  const { enabled, expiredAt, variants, defaultVariant, targeting, requires } = state;
  const rules = variants === undefined ? null : JSON.stringify({ variants, defaultVariant, targeting });
  const expiresAt = expiredAt == null ? null : Date.parse(expiredAt);
  return audienceOf({ enabled, expiresAt, rules, requires: requirementsText(requires ?? null) }, now);
}

/** The segments that rules need and that differ. */
export function SegmentDifferences({
  project,
  from,
  to,
  segments,
}: {
  project: string;
  from: string;
  to: string;
  segments: Promotion["segments"];
}) {
  if (segments.length === 0) return null;
  return (
    <Card id="segments-title" title="Segments">
      {segments.slice(0, PAGE).map(({ name, copied, before, after }) => (
        <div>
          <h3>
            <A to={segmentPath(project, from, name)}>{name}</A>,{" "}
            {before === null ? `missing in ${to}` : `different in ${to}`}
            {copied && ", copied"}
          </h3>
          <Diff before={before === null ? {} : { rule: before }} after={{ rule: after }} />
        </div>
      ))}
      {segments.length > PAGE && <p class="soft">And {counted(segments.length - PAGE, "segment")} more.</p>}
    </Card>
  );
}

/** The environments that are chosen at first: into production, if there is one that is called so. */
export function usualPair({ environments }: Project): { from: string; to: string } {
  const slugs = environments.map(({ slug }) => slug);
  const to = slugs.find((slug) => /^(prod|production|live)$/i.test(slug)) ?? slugs.at(-1) ?? "";
  const others = slugs.filter((slug) => slug !== to);
  return { from: others.find((slug) => /^(staging|stage|test)/i.test(slug)) ?? others[0] ?? "", to };
}
