import type { FlagStatus } from "../../../flags/flag.ts";
import { hasExpired } from "../../../flags/flag.ts";
import type { Environment } from "../../../projects/environment.ts";
import type { Project } from "../../../projects/project.ts";
import { A, ButtonLink } from "../parts/link.tsx";
import { EnvironmentName } from "../parts/status.tsx";
import { COMPARE, pathTo, settingPath } from "../paths.ts";
import { useMayChange, useView } from "../view.ts";

type State = Pick<FlagStatus, "enabled" | "expiresAt" | "share">;

/** `off`, `25 %` or `on` for a flag of other variants. */
function stateInWords(status: State | undefined, now: number): string {
  if (!status?.enabled || hasExpired(status, now)) return "off";
  return status.share === null ? "on" : `${status.share} %`;
}

/** A flag in every environment of its project, in their order, each a link. */
export function EnvironmentStrip({
  project,
  flag,
  statuses,
  current = null,
}: {
  project: Project;
  flag: string;
  statuses: readonly FlagStatus[];
  current?: string | null;
}) {
  const { now } = useView();
  const { environments } = project;
  return (
    <div class="strip">
      <nav class="tabs" aria-label="Environments">
        {environments.map((each) => (
          <A
            to={settingPath({ project: project.slug, environment: each.slug, flag })}
            current={each.slug === current ? "page" : undefined}
          >
            <EnvironmentName environment={each} />{" "}
            <span class="small">
              {stateInWords(
                statuses.find(({ environment }) => environment === each.slug),
                now,
              )}
            </span>
          </A>
        ))}
      </nav>
      {environments.length > 1 && <Copy project={project} flag={flag} current={current} />}
    </div>
  );
}

/** Leads to what a copy of the flag to the next environment would change: of the current one, or into the last. */
function Copy({ project, flag, current }: { project: Project; flag: string; current: string | null }) {
  const { slug, environments } = project;
  const at = environments.findIndex((each) => each.slug === current);
  const last = environments.length - 1;
  const to = at < 0 ? last : Math.min(at + 1, last);
  const [source, target] = [environments[to - 1], environments[to]] as [Environment, Environment];
  if (!useMayChange([target])) return null;
  return (
    <ButtonLink to={pathTo(COMPARE, { project: slug })} query={{ from: source.slug, to: target.slug, flag }}>
      Copy {source.slug} to {target.slug}…
    </ButtonLink>
  );
}
