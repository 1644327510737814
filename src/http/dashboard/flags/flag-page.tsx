import type { Page } from "../page.tsx";
import { quoted } from "../parts/commands.tsx";
import { formatRate } from "../parts/confirm.tsx";
import { A, ButtonLink } from "../parts/link.tsx";
import { projectPath } from "../parts/project-tabs.tsx";
import { EnvironmentName } from "../parts/status.tsx";
import { Facts } from "../parts/table.tsx";
import { Foreign } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { useMayChange } from "../view.ts";
import { documentCommand } from "./commands.ts";
import { Deletion, type DeletionDraft, type Place, type WholeFlag } from "./deletion.tsx";
import { Expiry, FlagState, FlagValue, LastRead, Payload, RuleWords } from "./flag-facts.tsx";
import { flagPath, settingPath } from "./paths.ts";
import { PlannedChange } from "./setting-page.tsx";

/** A flag in every environment of its project. */
export function flagPage(whole: WholeFlag, draft: DeletionDraft | null): Page {
  const { project, flag, places } = whole;
  const options = `${quoted(flag)} -p ${quoted(project.slug)}`;
  const environment = project.environments[0]!.slug;
  return {
    title: `Flag ${flag}, ${project.slug}`,
    heading: flag,
    section: "flags",
    back: { to: projectPath(project.slug), label: `Flags of ${project.slug}` },
    actions: (
      <>
        <ButtonLink
          to={`${projectPath(project.slug)}/history`}
          query={{ kind: "flag", name: flag }}
          icon="history"
        >
          History
        </ButtonLink>
        <ButtonLink to={`${flagPath(project.slug, flag)}/feedback`}>Feedback</ButtonLink>
        <ButtonLink to={`${flagPath(project.slug, flag)}/code`}>Code</ButtonLink>
      </>
    ),
    topics: ["setup"],
    ...(draft && { status: 422 as const }),
    commands: [
      {
        label: "Show it in one environment",
        text: `formflag flags get ${options} -e ${quoted(environment)}`,
      },
      { label: "List its changes", text: `formflag flags history ${options}` },
      { label: "Delete it everywhere", text: `formflag flags delete ${options}` },
      documentCommand(
        project.slug,
        flag,
        new Map(places.map((place) => [place.environment.slug, place.record])),
      ),
    ],
    content: <WholeFlagView whole={whole} draft={draft} />,
  };
}

function WholeFlagView({ whole, draft }: { whole: WholeFlag; draft: DeletionDraft | null }) {
  const { project, flag, places, scheduled } = whole;
  const { description } = places[0]!.record;
  return (
    <div class="stack">
      {description !== "" && (
        <p>
          <Foreign text={description} />
        </p>
      )}
      <div class="columns">
        {places.map((place) => (
          <PlaceCard project={project.slug} flag={flag} place={place} />
        ))}
      </div>
      {scheduled.length > 0 && (
        <section class="card" aria-labelledby="scheduled-title">
          <h2 id="scheduled-title">Scheduled</h2>
          <ul class="stack">
            {scheduled.map((each) => (
              <li id={`scheduled-${each.id}`}>
                <A to={settingPath({ project: project.slug, environment: each.environment, flag })}>
                  {each.environment}
                </A>
                <PlannedChange change={each} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {useMayChange(whole.project.environments) && <Deletion whole={whole} draft={draft} />}
    </div>
  );
}

function PlaceCard({ project, flag, place }: { project: string; flag: string; place: Place }) {
  const { environment, record, readAt, rate } = place;
  const mayWrite = useMayChange([environment]);
  return (
    <section class="card" aria-labelledby={`in-${environment.slug}`}>
      <h2 id={`in-${environment.slug}`}>
        <EnvironmentName environment={environment} />
        <FlagState record={record} />
      </h2>
      <Facts
        facts={[
          [record.rules === null ? "Payload" : "Variants", <FlagValue record={record} />],
          record.rules !== null && ["Rule", <RuleWords record={record} />],
          record.rules !== null && record.payload !== null && ["Payload", <Payload text={record.payload} />],
          record.expiresAt !== null && ["Expires", <Expiry record={record} />],
          ["Last read", <LastRead at={readAt} />],
          ["Reads", formatRate(rate)],
          ["Changed", <Time at={record.updatedAt} />],
        ]}
      />
      <p>
        <ButtonLink to={settingPath({ project, environment: environment.slug, flag })}>
          {mayWrite ? "Edit" : "Open"} in {environment.slug}
        </ButtonLink>
      </p>
    </section>
  );
}
