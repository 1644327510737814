import type { FlagOverview } from "../../../flags/overviews.ts";
import { tagsOf } from "../../../flags/flag-fields.ts";
import type { Environment } from "../../../projects/environment.ts";
import type { Project } from "../../../projects/project.ts";
import { A, ButtonLink } from "../parts/link.tsx";
import { Badge, EnvironmentName, OnOff } from "../parts/status.tsx";
import { Empty } from "../parts/card.tsx";
import { Foreign } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { flagPath, settingPath, projectPath } from "../paths.ts";
import { Spark } from "./variants/spark.tsx";
import type { RateOf } from "./flag-facts.tsx";

/** The reads of flags by the hour, by environment and flag. */
export type Sparks = ReadonlyMap<string, ReadonlyMap<string, readonly number[]>>;

const NO_SPARKS: Sparks = new Map();

/** Environments that the table has columns for; a flag's own page shows all. */
export const MAX_COLUMNS = 8;

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
  return (
    <div class="wide" tabindex={0} role="group" aria-label="Flags by environment">
      <table class="cards flags">
        <caption class="unseen">Flags by environment</caption>
        <thead>
          <tr>
            <th scope="col">Flag</th>
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
                {hasTicks && <input type="checkbox" name="flag" value={flag.slug} aria-label={flag.slug} />}{" "}
                <A to={flagPath(project.slug, flag.slug)}>{flag.slug}</A>{" "}
                {flag.archived && <Badge tone="warn">archived</Badge>}
                {tagsOf(flag.tags).map((tag) => (
                  <Badge>
                    <Foreign text={tag} />
                  </Badge>
                ))}
                {flag.owner !== "" && (
                  <span class="soft small">
                    {" "}
                    <Foreign text={flag.owner} />
                  </span>
                )}
                {flag.description !== "" && (
                  <p class="soft small clipped">
                    <Foreign text={flag.description} />
                  </p>
                )}
              </th>
              {environments.map((environment) => (
                <td data-label={environment.slug} data-environment={environment.slug}>
                  <Status project={project.slug} flag={flag} environment={environment} rateOf={rateOf} />
                  <Spark reads={sparks.get(environment.slug)?.get(flag.slug)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Status({
  project,
  flag: { slug, environments },
  environment,
  rateOf,
}: {
  project: string;
  flag: FlagOverview;
  environment: Environment;
  rateOf: RateOf;
}) {
  const status = environments.find((each) => each.environment === environment.slug);
  if (!status) return null;
  const rate = rateOf(environment.slug, slug);
  const isOn = status.enabled && !status.expired;
  return (
    <div>
      <A
        to={settingPath({ project, environment: environment.slug, flag: slug })}
        label={`${isOn ? "On" : "Off"}: ${slug} in ${environment.slug}`}
      >
        <OnOff on={isOn} />
      </A>{" "}
      {isOn && status.share !== null && <span class="small">{status.share} %</span>}{" "}
      {status.expired && <Badge tone="warn">expired</Badge>}
      {status.isPreview && <Badge tone="info">preview</Badge>}
      {status.rule !== "" && (
        <p class="small clipped">
          <Foreign text={status.rule} />
        </p>
      )}
      <div class="soft small">
        {status.readAt === null ? "never read" : <Time at={status.readAt} />}
        {rate > 0 && `, ${shortRate(rate)}`}
      </div>
    </div>
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
