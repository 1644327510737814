import type { Environment } from "../../../projects/environment.ts";
import type { viewScheduled } from "../../../flags/schedule/scheduled-change.ts";
import { nextShare, rampStatusInWords } from "../../../flags/ramps/ramp-words.ts";
import { type Ramp, viewRamp } from "../../../flags/ramps/ramp.ts";
import type { Revision } from "../../../projects/history.ts";
import type { Project } from "../../../projects/project.ts";
import { sentence } from "../../../base/shapes/words.ts";
import type { Page } from "../page.tsx";
import { differencesOf } from "../../../projects/differences.ts";
import { Diff, Settings } from "../parts/diff.tsx";
import { A, ButtonLink } from "../parts/link.tsx";
import { Plan } from "../parts/plan.tsx";
import { EnvironmentName, Notice } from "../parts/status.tsx";
import { Empty } from "../parts/card.tsx";
import { Table } from "../parts/table.tsx";
import { Foreign } from "../parts/text.tsx";
import { ExactTime, Time } from "../parts/time.tsx";
import { useMayChange } from "../view.ts";
import { RevisionCard, environmentOf } from "./revision-card.tsx";
import { EnvironmentField, FilterForm, List } from "../parts/list.tsx";
import { cancelPath, settingPath, projectPath } from "../paths.ts";
import { projectPage } from "../project/project-page.tsx";

/** A scheduled change, and what it would make of the flag as it is now. */
export type Coming = {
  scheduled: ReturnType<typeof viewScheduled>;
  before: unknown;
  after: unknown;
  /** Why it would fail, as far as is known now. */
  fault: string | null;
};

/** A coming change with its place. */
export type FoundScheduled = { project: Project; environment: Environment; coming: Coming };

type Scheduled = {
  project: Project;
  environment: string | undefined;
  coming: Coming[];
  next: string | null;
  failed: Revision[];
  /** Ramps that are running or paused. */
  ramps: Ramp[];
};

export function scheduledPage({ project, environment, coming, next, failed, ramps }: Scheduled): Page {
  const { slug, environments } = project;
  const path = `${projectPath(slug)}/scheduled`;
  return projectPage({
    project: slug,
    tab: "scheduled",
    title: "Scheduled changes",
    heading: "Scheduled changes",
    commands: [
      ["Lists them", "flags scheduled", { p: slug, e: environment }],
      [
        "Schedules one",
        "flags set",
        "new-checkout",
        { p: slug, e: environment ?? environments[0]?.slug ?? "production" },
        { on: true, at: "2027-01-31T12:00:00Z" },
      ],
    ],
    content: (
      <>
        <List
          filters={
            <FilterForm to={path} label="Filter">
              <EnvironmentField
                environments={environments}
                value={environment ?? null}
                all="Any environment"
              />
            </FilterForm>
          }
          empty={
            <Empty title="No change is scheduled">
              <p class="soft">A flag's page schedules a change, or turns a flag on for a while.</p>
              <ButtonLink to={projectPath(slug)}>Show the flags</ButtonLink>
            </Empty>
          }
          rows={coming}
          class="card"
          keyOf={({ scheduled }) => `scheduled-${scheduled.id}`}
          card={(each) => <ComingChange project={project} coming={each} />}
          pages={{
            to: path,
            query: { environment },
            isLater: false,
            next: next !== null && { after: next },
            words: ["First", "Later ones"],
          }}
        />
        {ramps.length > 0 && <Ramps project={project} ramps={ramps} />}
        {failed.length > 0 && (
          <section class="stack" aria-labelledby="failed">
            <h2 id="failed">Failed lately</h2>
            {failed.map((entry) => (
              <RevisionCard project={slug} environments={environments} entry={entry} />
            ))}
            <p>
              <A to={`${projectPath(slug)}/history`} query={{ kind: "scheduled", environment }}>
                Every scheduled change that failed
              </A>
            </p>
          </section>
        )}
      </>
    ),
  });
}

function Ramps({ project, ramps }: Pick<Scheduled, "project" | "ramps">) {
  return (
    <section class="stack" aria-labelledby="ramps">
      <h2 id="ramps">Ramps</h2>
      <Table
        caption="Ramps"
        rows={ramps.map(viewRamp)}
        columns={[
          {
            label: "Flag",
            heading: true,
            cell: ({ flag, environment }) => (
              <A to={settingPath({ project: project.slug, environment, flag })}>{flag}</A>
            ),
          },
          {
            label: "Environment",
            cell: ({ environment }) => (
              <EnvironmentName environment={environmentOf(project.environments, environment)} />
            ),
          },
          { label: "State", cell: rampStatusInWords },
          {
            label: "Share",
            cell: (ramp) => `${ramp.share} % ${ramp.variant}`,
          },
          {
            label: "Next",
            cell: (ramp) =>
              ramp.nextAt === null ? (
                `${nextShare(ramp)} % once resumed`
              ) : (
                <>
                  {nextShare(ramp)} % <Time at={Date.parse(ramp.nextAt)} />
                </>
              ),
          },
        ]}
      />
    </section>
  );
}

function ComingChange({ project, coming }: { project: Project; coming: Coming }) {
  const { id, flag, environment, at } = coming.scheduled;
  return (
    <>
      <h2>
        <A to={settingPath({ project: project.slug, environment, flag })}>{flag}</A>
        <EnvironmentName environment={environmentOf(project.environments, environment)} />
        <Time at={Date.parse(at)} />
      </h2>
      <Planned project={project.slug} coming={coming} />
      {useMayChange([environmentOf(project.environments, environment)]) && (
        <p>
          <ButtonLink to={cancelPath({ project: project.slug, environment }, id)}>Cancel…</ButtonLink>
        </p>
      )}
    </>
  );
}

/** When a change is due, who planned it and why, and what it changes. */
export function Planned({
  project,
  coming: { scheduled, before, after, fault },
}: {
  project: string;
  coming: Coming;
}) {
  const { at, who, why, createdAt, environment, flag } = scheduled;
  const isAlready = differencesOf(before, after).length === 0;
  return (
    <>
      <p class="soft">
        On <ExactTime at={Date.parse(at)} />, scheduled by <Foreign text={who} />,{" "}
        <Time at={Date.parse(createdAt)} />
      </p>
      {why && (
        <blockquote>
          <Foreign text={why} />
        </blockquote>
      )}
      {fault !== null && (
        <Notice tone="warn" title="This change would fail">
          <p>
            {sentence(fault)}{" "}
            <A to={settingPath({ project, environment, flag })} label={`The flag ${flag} in ${environment}`}>
              The flag
            </A>
          </p>
        </Notice>
      )}
      {isAlready ? (
        <>
          <p>As the flag is now, nothing would differ. The change sets:</p>
          <Settings values={scheduled.patch} />
        </>
      ) : (
        <Diff before={before} after={after} />
      )}
    </>
  );
}

export function cancelPage({ project: { slug }, environment, coming }: FoundScheduled): Page {
  const { id, flag } = coming.scheduled;
  const path = `${projectPath(slug)}/scheduled`;
  return projectPage({
    project: slug,
    tab: "scheduled",
    title: `Cancel the scheduled change of ${flag} in ${environment.slug}`,
    heading: "Cancel a scheduled change",
    back: { to: path, label: "Scheduled changes" },
    commands: [["Does the same", "flags unschedule", id, { p: slug }]],
    content: (
      <div class="stack">
        <section class="card" aria-labelledby="change">
          <h2 id="change">
            {flag} <EnvironmentName environment={environment} />
          </h2>
          <Planned project={slug} coming={coming} />
        </section>
        <Plan
          environments={[environment]}
          to={cancelPath({ project: slug, environment: environment.slug }, id)}
          id="cancel"
          kind="danger primary"
          act="Cancel this change"
          back={{ to: path, label: "Keep it" }}
        />
      </div>
    ),
  });
}
