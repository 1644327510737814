import { HOUR_MS } from "../../../base/days.ts";
import { audienceOf, courseInWords } from "../../../flags/audience.ts";
import { tagsOf } from "../../../flags/flag-fields.ts";
import type { FlagReads } from "../../../flags/reads/flag-reads.ts";
import { parseRules } from "../../../flags/rules/rules.ts";
import type { Environment } from "../../../projects/environment.ts";
import type { Project } from "../../../projects/project.ts";
import { keptMarkup } from "../markup.ts";
import { Empty } from "../parts/card.tsx";
import { A, ButtonLink } from "../parts/link.tsx";
import { Spark } from "../parts/spark.tsx";
import { Badge, EnvironmentName } from "../parts/status.tsx";
import type { Switch } from "../parts/switch.tsx";
import { Foreign, visible } from "../parts/text.tsx";
import { formatShort, Time } from "../parts/time.tsx";
import { changePath } from "../notice-pages.ts";
import { flagPath, projectPath, settingPath } from "../paths.ts";
import { useMayChange, useView } from "../view.ts";
import { type Lane, type LaneFlag, LANES } from "./lanes.ts";
import type { Proposed } from "./proposed.tsx";
import { Turn } from "./turn.tsx";

/** Environments that the table has columns for; a flag's own page shows all. */
export const MAX_COLUMNS = 8;

/** Environments beside which the table has room for reads and changes. */
const MANY = 3;

/** Tags of a flag that its row shows. */
const MAX_TAGS = 2;

/** A flag as its row shows it. */
export type Row = {
  flag: LaneFlag;
  /** Why it is ready to be removed. */
  why: string | null;
  /** Its reads in the last hours; undefined for one that was never read. */
  reads: FlagReads | undefined;
  /** Its open proposals, by the environment. */
  proposed: ReadonlyMap<string, readonly Proposed[]> | undefined;
};

type Query = Parameters<typeof Switch>[0]["query"];

/** The parts of a row that all rows share. */
type Shared = {
  project: Project;
  environments: readonly Environment[];
  /** The query of the page, to which a switch comes back. */
  query: Query;
  /** Whether rows are ticked for the form `bulk`. */
  hasTicks: boolean;
};

/** Flags in their lanes, with who gets each in the first environments of the project, and a switch. */
export function FlagTable({
  rows,
  counts,
  ...shared
}: Omit<Shared, "environments"> & { rows: readonly Row[]; counts: Record<Lane, number> }) {
  const { project, hasTicks } = shared;
  const environments = project.environments.slice(0, MAX_COLUMNS);
  const lanes = Map.groupBy(rows, ({ flag }) => flag.lane);
  return (
    <div class="card flush">
      <table class={environments.length > MANY ? "flags many" : "flags"}>
        <caption class="unseen">Flags by environment</caption>
        <thead>
          <tr>
            {hasTicks && (
              <td>
                <label class="tick scripted-only">
                  <input type="checkbox" data-all="flag" aria-label="Tick every flag of this page" />
                </label>
              </td>
            )}
            <th scope="col">Flag</th>
            {environments.map((environment) => (
              <th scope="col">
                <EnvironmentName environment={environment} />
              </th>
            ))}
            <th scope="col" class="extra">
              Reads, 24 h
            </th>
            <th scope="col" class="extra">
              Changed
            </th>
          </tr>
        </thead>
        {[...lanes].map(([lane, own]) => (
          <tbody>
            <tr class="lane">
              <th colspan={environments.length + (hasTicks ? 4 : 3)} scope="rowgroup">
                {LANES[lane].title} · {counts[lane].toLocaleString("en")}
                {LANES[lane].hint !== "" && <span class="hint">{LANES[lane].hint}</span>}
              </th>
            </tr>
            {own.map((row) => (
              <KeptRow {...shared} environments={environments} row={row} />
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

const keep = keptMarkup(500);

/** Rules may be long. */
const hashOf = (rules: string | null) => rules && String(Bun.hash(rules));

/** A row, which is rendered once for all that it shows: one of three environments is as much as a small page. */
function KeptRow({ row, ...shared }: Shared & { row: Row }) {
  const { root, now, timeZone } = useView();
  const { project, environments, query, hasTicks } = shared;
  const { flag, why, reads, proposed } = row;
  const may = environments.map((each) => useMayChange([each]));
  const course = [...flag.courses].map(([name, each]) => [name, each, Math.floor(now / HOUR_MS)]);
  const facts = [
    { ...flag, environments: flag.environments.map((each) => ({ ...each, rules: hashOf(each.rules) })) },
    course,
    why,
    reads?.reads,
    reads?.hours,
    formatShort(flag.changedAt, { now, timeZone }),
    [...(proposed ?? [])],
  ];
  const rest = [root, timeZone, project.slug, environments, query, hasTicks, may];
  return keep(JSON.stringify([facts, rest]), () => <FlagRow {...shared} row={row} />);
}

function FlagRow({ row: { flag, why, reads, proposed }, ...shared }: Shared & { row: Row }) {
  const { project, environments, hasTicks } = shared;
  const { slug } = flag;
  return (
    <tr id={`flag-${slug}`} data-flag={slug}>
      {hasTicks && (
        <td>
          <label class="tick">
            <input type="checkbox" name="flag" value={slug} form="bulk" />
            <span class="unseen">Tick {slug}</span>
          </label>
        </td>
      )}
      <th scope="row">
        <Name project={project.slug} flag={flag} why={why} />
      </th>
      {environments.map((environment) => (
        <td data-label={environment.slug} data-environment={environment.slug}>
          <Cell
            {...shared}
            flag={flag}
            environment={environment}
            proposed={proposed?.get(environment.slug)?.[0]}
          />
        </td>
      ))}
      <td class="extra">
        {reads && reads.reads > 0 ? (
          <Spark
            kind="row"
            values={reads.hours}
            label={`${reads.reads.toLocaleString("en")} reads in ${reads.hours.length} hours`}
          />
        ) : (
          <span class="soft small">{reads ? "none" : "never"}</span>
        )}
      </td>
      <td class="extra soft small nowrap">
        <Time at={flag.changedAt} />
      </td>
    </tr>
  );
}

/** The name of a flag, and below it why it can go, what it is for, or what its values are. */
function Name({ project, flag, why }: { project: string; flag: LaneFlag; why: string | null }) {
  const { slug, description, archived, permanent, owner } = flag;
  const tags = tagsOf(flag.tags);
  const rest = tags.slice(MAX_TAGS);
  const about = why ?? (description === "" ? valuesOf(flag) : description);
  return (
    <>
      <A to={flagPath(project, slug)}>{slug}</A>
      {permanent && <Badge>permanent</Badge>}
      {archived && <Badge tone="warn">archived</Badge>}
      {tags.slice(0, MAX_TAGS).map((tag) => (
        <A to={projectPath(project)} query={{ tag }} class="badge">
          <Foreign text={tag} />
        </A>
      ))}
      {rest.length > 0 && (
        <span class="soft small" title={rest.map(visible).join(", ")}>
          +{rest.length}
        </span>
      )}
      {about !== "" && (
        <span class="about" title={owner === "" ? undefined : `Owner: ${visible(owner)}`}>
          <Foreign text={about} />
        </span>
      )}
    </>
  );
}

/** `text: gross, net` for a flag of other values than true and false. */
function valuesOf({ environments }: LaneFlag): string {
  const rules = environments.find((each) => each.rules !== null)?.rules;
  if (!rules || rules.length > MAX_SHOWN) return "";
  const entries = Object.entries(parseRules(rules).variants);
  const [[, first] = []] = entries;
  if (typeof first === "boolean" || first === undefined) return "";
  const kind = typeof first === "string" ? "text" : typeof first === "number" ? "number" : "JSON";
  return `${kind}: ${entries.map(([name]) => name).join(", ")}`;
}

/** Characters of rules whose values a row lists. */
const MAX_SHOWN = 1024;

/** A flag in an environment: who gets it, with a switch for those who may change it there. */
function Cell({
  flag,
  environment,
  proposed,
  ...shared
}: Shared & { flag: LaneFlag; environment: Environment; proposed: Proposed | undefined }) {
  const view = useView();
  const status = flag.environments.find((each) => each.environment === environment.slug);
  if (!status) return null;
  const place = { project: shared.project.slug, environment: environment.slug, flag: flag.slug };
  const course = flag.courses.get(environment.slug);
  const words =
    course && courseInWords(course, view.now, (at) => formatShort(at, { ...view, hasClock: true }));
  const who = audienceOf(status, view.now);
  const mayChange = !flag.archived && useMayChange([environment]);
  return (
    <div class="cell">
      {mayChange && <Turn {...shared} environment={environment} status={status} who={who} course={course} />}
      <A to={settingPath(place)} title={visible(status.rule) || undefined}>
        <Foreign text={who} />
        {words && <span class={words.tone}>{visible(words.words)}</span>}
        {status.isPreview && <span class="info">preview</span>}
      </A>
      {proposed && (
        <A class="waits" to={changePath(place.project, proposed.id)} title={visible(proposed.summary)}>
          <span class="info">{proposed.words}</span>
        </A>
      )}
    </div>
  );
}

/** Why there are no flags to show. */
export function NoFlags({
  project,
  isFiltered,
  after,
}: {
  project: Project;
  isFiltered: boolean;
  after: string | null;
}) {
  if (isFiltered)
    return (
      <Empty title="No flag matches">
        <ButtonLink to={projectPath(project.slug)}>Show all flags</ButtonLink>
      </Empty>
    );
  if (after !== null) return <Empty title="There are no more flags" />;
  if (project.environments.length === 0)
    return (
      <Empty title="This project has no environments yet">
        <p>A flag has a value in each environment.</p>
        <ButtonLink to={`${projectPath(project.slug)}/settings`}>Add an environment</ButtonLink>
      </Empty>
    );
  return (
    <Empty title="There are no flags yet">
      <p>A flag turns a part of an application on or off, in each environment by itself.</p>
    </Empty>
  );
}
