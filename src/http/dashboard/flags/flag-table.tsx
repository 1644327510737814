import { whoGets } from "../../../flags/audience.ts";
import type { FlagOverview } from "../../../flags/overviews.ts";
import { tagsOf } from "../../../flags/flag-fields.ts";
import type { Environment } from "../../../projects/environment.ts";
import type { Project } from "../../../projects/project.ts";
import { formatCount } from "../parts/chart.tsx";
import { A, ButtonLink } from "../parts/link.tsx";
import { Badge, EnvironmentName, OnOff } from "../parts/status.tsx";
import { Empty } from "../parts/card.tsx";
import { Foreign, visible } from "../parts/text.tsx";
import { formatExact } from "../parts/time.tsx";
import { flagPath, settingPath, projectPath } from "../paths.ts";
import { useView } from "../view.ts";
import type { RateOf } from "./flag-facts.tsx";

/** The reads of flags by the hour, by environment and flag. */
export type Sparks = ReadonlyMap<string, ReadonlyMap<string, readonly number[]>>;

const NO_SPARKS: Sparks = new Map();

/** Environments that the table has columns for; a flag's own page shows all. */
export const MAX_COLUMNS = 8;

/** Tags of a flag that its row shows. */
const MAX_TAGS = 2;

/** Characters at the end of a name that stay in view: long names differ there. */
const TAIL = 12;

/** Flags, each with what it is in the first environments of the project. */
export function FlagTable({
  project,
  flags,
  rateOf,
  sparks = NO_SPARKS,
  hasTicks = false,
}: {
  project: Project;
  flags: readonly FlagOverview[];
  rateOf: RateOf;
  sparks?: Sparks;
  /** Whether rows are ticked for the form around the table. */
  hasTicks?: boolean;
}) {
  const environments = project.environments.slice(0, MAX_COLUMNS);
  const hasTags = flags.some(({ tags }) => tags !== "");
  const hasOwners = flags.some(({ owner }) => owner !== "");
  return (
    <div class="wide" tabindex={0} role="group" aria-label="Flags by environment">
      <table class="cards flags">
        <caption class="unseen">Flags by environment</caption>
        <thead>
          <tr>
            <th scope="col">
              {hasTicks && (
                <input
                  type="checkbox"
                  class="scripted-only"
                  data-all="flag"
                  aria-label="Tick every flag of this page"
                />
              )}{" "}
              Flag
            </th>
            {hasTags && <th scope="col">Tags</th>}
            {hasOwners && <th scope="col">Owner</th>}
            {environments.map((environment) => (
              <th scope="col">
                <EnvironmentName environment={environment} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {flags.map((flag) => (
            <tr id={`flag-${flag.slug}`} data-flag={flag.slug}>
              <th scope="row">
                <Name project={project.slug} flag={flag} hasTick={hasTicks} />
              </th>
              {hasTags && <td class="tags">{flag.tags !== "" && <Tags tags={tagsOf(flag.tags)} />}</td>}
              {hasOwners && (
                <td class="owner" title={visible(flag.owner) || undefined}>
                  {flag.owner !== "" && <Foreign text={flag.owner} />}
                </td>
              )}
              {environments.map((environment) => (
                <td data-label={environment.slug} data-environment={environment.slug}>
                  <Status
                    project={project.slug}
                    flag={flag}
                    environment={environment}
                    rateOf={rateOf}
                    reads={sparks.get(environment.slug)?.get(flag.slug)}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The name of a flag and what it is for, in one line. */
function Name({ project, flag, hasTick }: { project: string; flag: FlagOverview; hasTick: boolean }) {
  const { slug, description, archived } = flag;
  return (
    <div class="line-up" title={description === "" ? slug : `${slug}\n${visible(description)}`}>
      {hasTick && <input type="checkbox" name="flag" value={slug} aria-label={slug} />}
      <A to={flagPath(project, slug)} label={slug} class="name">
        <span>{slug.slice(0, -TAIL)}</span>
        {slug.slice(-TAIL)}
      </A>
      {archived && <Badge tone="warn">archived</Badge>}
      {description !== "" && (
        <span class="about soft small">
          <Foreign text={description} />
        </span>
      )}
    </div>
  );
}

/** The first tags of a flag, and how many more there are. */
function Tags({ tags }: { tags: readonly string[] }) {
  const rest = tags.slice(MAX_TAGS);
  return (
    <div class="line-up">
      {tags.slice(0, MAX_TAGS).map((tag) => (
        <Badge>
          <Foreign text={tag} />
        </Badge>
      ))}
      {rest.length > 0 && (
        <span class="soft small" title={rest.map(visible).join(", ")}>
          +{rest.length}
        </span>
      )}
    </div>
  );
}

/** The state of a flag in an environment, in one line; its rule and its reads are said when it is pointed at. */
function Status({
  project,
  flag: { slug, environments },
  environment,
  rateOf,
  reads,
}: {
  project: string;
  flag: FlagOverview;
  environment: Environment;
  rateOf: RateOf;
  reads: readonly number[] | undefined;
}) {
  const { timeZone } = useView();
  const status = environments.find((each) => each.environment === environment.slug);
  if (!status) return null;
  const rate = rateOf(environment.slug, slug);
  const isOn = status.enabled && !status.expired;
  const read = status.readAt === null ? "never read" : `read ${formatExact(status.readAt, timeZone)}`;
  const about = `${read}${rate > 0 ? `, ${shortRate(rate)}` : ""}`;
  return (
    <div class="line-up" title={status.rule === "" ? about : `${visible(status.rule)}\n${about}`}>
      <A
        to={settingPath({ project, environment: environment.slug, flag: slug })}
        label={`${isOn ? "On" : "Off"}: ${slug} in ${environment.slug}`}
      >
        <OnOff on={isOn} />
      </A>
      {isOn && (
        <span class="about small">
          <Foreign text={whoGets(status.rules)} />
        </span>
      )}
      {status.expired && <Badge tone="warn">expired</Badge>}
      {status.isPreview && <Badge tone="info">preview</Badge>}
      <Spark reads={reads} />
    </div>
  );
}

/** Reads by the hour as a line; nothing if there were none. */
function Spark({ reads }: { reads: readonly number[] | undefined }) {
  if (!reads) return null;
  const most = Math.max(...reads);
  const sum = reads.reduce((all, each) => all + each, 0);
  const points = reads.map((each, at) => `${at},${Math.round(10 - (10 * each) / most)}`).join(" ");
  return (
    <svg
      class="spark"
      viewBox={`0 -1 ${reads.length - 1} 12`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${formatCount(sum)} reads in ${reads.length} hours`}
    >
      <polyline points={points} />
    </svg>
  );
}

/** `12/min`, `0.3/min`. */
function shortRate(rate: number): string {
  if (rate < 0.1) return "< 0.1/min";
  const digits = rate < 10 ? 1 : 0;
  return `${Number(rate.toFixed(digits)).toLocaleString("en")}/min`;
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
