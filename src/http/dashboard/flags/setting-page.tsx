import type { FlagPatch } from "../../../flags/flag.ts";
import type { ScheduledChange } from "../../../flags/schedule/scheduled-change.ts";
import type { Page } from "../page.tsx";
import type { Command } from "../parts/commands.tsx";
import { Diff } from "../parts/diff.tsx";
import { A, ButtonLink } from "../parts/link.tsx";
import { projectPath } from "../parts/project-tabs.tsx";
import { EnvironmentName } from "../parts/status.tsx";
import { Foreign } from "../parts/text.tsx";
import { ExactTime, Time } from "../parts/time.tsx";
import { type Conflict, ConflictView } from "./conflict.tsx";
import { flagPath, settingPath } from "./paths.ts";
import type { Setting } from "./setting-data.ts";
import { StateCard, type StateDraft } from "./state-card.tsx";
import { type ValuesDraft, ValuesForm } from "./values-form.tsx";

/** What somebody sent that is not stored, and why. */
export type Attempt = {
  status: 200 | 409 | 422;
  values?: ValuesDraft;
  state?: StateDraft;
  conflict?: Conflict;
};

/** Environments that the page of a flag links to, beside its own. */
const MAX_TABS = 12;

/** A flag in one environment, with all that can be changed there. */
export function settingPage(setting: Setting, commands: Command[], attempt: Attempt | null): Page {
  const { place, environment } = setting;
  const { project, flag } = place;
  return {
    title: `Flag ${flag} in ${environment.slug}, ${project}`,
    heading: (
      <>
        {flag} <EnvironmentName environment={environment} />
      </>
    ),
    section: "flags",
    back: { to: flagPath(project, flag), label: `${flag} in every environment` },
    topics: ["setup"],
    status: attempt?.status ?? 200,
    commands,
    content: (
      <div class="stack">
        <EnvironmentTabs setting={setting} />
        {setting.record.description !== "" && (
          <p>
            <Foreign text={setting.record.description} />
          </p>
        )}
        {attempt?.conflict && <ConflictView conflict={attempt.conflict} />}
        <StateCard setting={setting} draft={attempt?.state ?? null} />
        <Scheduled setting={setting} />
        <ValuesForm setting={setting} typed={attempt?.values ?? null} />
      </div>
    ),
  };
}

function EnvironmentTabs({ setting: { place, project } }: { setting: Setting }) {
  const { environments } = project;
  const near = environments.slice(0, MAX_TABS);
  return (
    <nav class="tabs" aria-label="Environments">
      {near.map((each) => (
        <A
          to={settingPath({ ...place, environment: each.slug })}
          current={each.slug === place.environment ? "page" : undefined}
        >
          <EnvironmentName environment={each} />
        </A>
      ))}
      {environments.length > MAX_TABS && <A to={flagPath(place.project, place.flag)}>All</A>}
    </nav>
  );
}

function Scheduled({ setting: { place, scheduled } }: { setting: Setting }) {
  if (scheduled.length === 0) return null;
  return (
    <section class="card" aria-labelledby="scheduled-title" id="scheduled">
      <h2 id="scheduled-title">Scheduled in {place.environment}</h2>
      <ul class="stack">
        {scheduled.map((each) => (
          <li id={`scheduled-${each.id}`} class="stack">
            <PlannedChange change={each} />
          </li>
        ))}
      </ul>
      <p>
        <ButtonLink to={`${projectPath(place.project)}/scheduled`}>
          Cancel or see all scheduled changes
        </ButtonLink>
      </p>
    </section>
  );
}

/** When a change is due, who planned it and why, and what it sets. */
export function PlannedChange({ change: { at, who, why, patch } }: { change: ScheduledChange }) {
  return (
    <>
      <p>
        <strong>
          <Time at={at} />
        </strong>{" "}
        (<ExactTime at={at} />
        ), by <Foreign text={who} />
        {why !== null && (
          <>
            : <Foreign text={why} />
          </>
        )}
      </p>
      <Diff before={{}} after={stateOf(patch)} />
    </>
  );
}

/** A patch as the fields of a state; what it takes away is shown as `none`. */
function stateOf(patch: FlagPatch): Record<string, unknown> {
  return Object.fromEntries(Object.entries(patch).map(([field, value]) => [field, value ?? "none"]));
}
