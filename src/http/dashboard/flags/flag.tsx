import type { Caller } from "../../../access/caller.ts";
import type { App } from "../../../app.ts";
import { type FlagRecord, type FlagStatus, noSuchFlag } from "../../../flags/flag.ts";
import { flagInEveryEnvironment } from "../../../flags/overviews.ts";
import { settled } from "../../../flags/ramps/ramp-plan.ts";
import { viewRamp } from "../../../flags/ramps/ramp.ts";
import type { ScheduledChange } from "../../../flags/schedule/scheduled-change.ts";
import { DEFAULT_STALE_DAYS } from "../../../flags/stale.ts";
import { flags } from "../../../operations/flags.ts";
import type { Environment } from "../../../projects/environment.ts";
import type { Project } from "../../../projects/project.ts";
import { getProject } from "../../../projects/projects.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { revisionIn, textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { Card, Facts } from "../parts/card.tsx";
import { formatRate, lastChange } from "../parts/confirm.tsx";
import { Danger } from "../parts/danger.tsx";
import { A, ButtonLink } from "../parts/link.tsx";
import { EnvironmentName, Notice } from "../parts/status.tsx";
import { type Typed, faultAt, typedAt } from "../parts/submit.ts";
import { Time } from "../parts/time.tsx";
import { EXPERIMENTS, FLAG, flagPath, pathTo, projectPath, settingPath } from "../paths.ts";
import type { Dashboard } from "../routes.ts";
import { useMayChange, useView } from "../view.ts";
import { documentCommand } from "./commands.ts";
import { FlagDetails } from "./details.tsx";
import {
  EnvironmentStrip,
  Expiry,
  FlagState,
  FlagValue,
  LastRead,
  Payload,
  Readers,
  RuleWords,
  isRead,
  ratesOf,
} from "./flag-facts.tsx";
import { RampState } from "./ramp-card.tsx";
import { PlannedChange, showSetting } from "./screen-page.tsx";

/** Environments for which reads are counted, and scheduled changes that are looked through. */
const COUNTED = 50;
const SCHEDULED = 200;

/** A flag in one environment. */
type Place = {
  environment: Environment;
  record: FlagRecord;
  /** When it was last read; null for never. */
  readAt: number | null;
  /** Reads a minute. */
  rate: number;
  /** The last one; null if there was none. */
  ramp: ReturnType<typeof viewRamp> | null;
};

type WholeFlag = {
  project: Project;
  flag: string;
  places: readonly Place[];
  /** The next first. */
  statuses: readonly FlagStatus[];
  scheduled: readonly ScheduledChange[];
};

export function flagPageRoutes(dashboard: Dashboard) {
  const { app, act, get, post } = dashboard;
  const read = (c: DashboardContext, { project, flag }: { project: string; flag: string }) =>
    readFlag(app, c.get("caller"), project, flag);

  get(FLAG, "flags:read", async (c, parameters) => {
    const environment = c.req.query("environment");
    if (environment) return showSetting(dashboard, c, { ...parameters, environment });
    return flagPage(await read(c, parameters), null);
  });
  post(
    `${FLAG}/delete`,
    "flags:write",
    act({
      operation: flags.delete,
      input({ fields, names }) {
        if (textOf(fields, "name").trim() !== names.flag)
          throw faultAt("name", `type ${names.flag}: nothing is deleted`);
        return { names, revision: revisionIn(fields) };
      },
      done: (_, { names: { project, flag } }) => ({
        to: projectPath(project),
        text: `The flag ${flag} is deleted.`,
      }),
      async confirm({ c, names }) {
        const { project, flag } = names;
        const [whole, last] = await Promise.all([
          read(c, names),
          lastChange(app, project, { kind: "flag", name: flag, environment: null }),
        ]);
        return {
          title: `Confirm: delete ${flag}, ${project}`,
          label: `Delete ${flag} in every environment`,
          isDeletion: true,
          environments: whole.project.environments,
          change: <Change whole={whole} now={app.now()} />,
          last,
          back: { to: flagPath(project, flag), label: flag },
        };
      },
      async again({ c, fields, names }, faults, { code }) {
        const late = {
          name: "The flag was changed meanwhile. Check it again, and delete it if that is still right.",
        };
        const isLate = code === "conflict";
        const typed = { fields, faults: isLate ? late : faults };
        return { ...flagPage(await read(c, names), typed), status: isLate ? 409 : 422 };
      },
      at: { "revision-differs": "name" },
    }),
  );
}

function Change({ whole: { flag, places }, now }: { whole: WholeFlag; now: number }) {
  const readers = places.filter((place) => isRead(place, now));
  return (
    <div class="stack">
      <p>
        {flag} is deleted in {places.map(({ environment }) => environment.slug).join(", ")}.
      </p>
      {readers.length > 0 && (
        <div>
          <p>Applications still read it:</p>
          <Readers readers={readers} />
        </div>
      )}
    </div>
  );
}

/** Reads a flag in every environment of its project. Throws `not_found`. */
async function readFlag(app: App, caller: Caller, slug: string, flag: string): Promise<WholeFlag> {
  const project = await getProject(app, slug);
  const environments = project.environments.slice(0, COUNTED);
  const [everywhere, statuses, ramps, { items }, rateOf] = await Promise.all([
    flagInEveryEnvironment(app, slug, flag),
    app.store.flags.statuses(slug, [flag]),
    app.store.ramps.ofFlag(slug, flag),
    app.store.scheduled.page(slug, null, { limit: SCHEDULED }),
    ratesOf(app, caller, { project: slug, environments }, flag),
  ]);
  const records = new Map(everywhere.map(({ environment, record }) => [environment, record]));
  const places = project.environments.flatMap((environment) => {
    const record = records.get(environment.slug);
    if (!record) return [];
    const { slug: name } = environment;
    const readAt = statuses.find((each) => each.environment === name)?.readAt ?? null;
    const found = ramps.find((each) => each.ramp.environment === name);
    const ramp = found ? viewRamp(settled(found)) : null;
    return [{ environment, record, readAt, rate: rateOf(name, flag), ramp }];
  });
  if (places.length === 0) throw noSuchFlag(flag);
  return { project, flag, places, statuses, scheduled: items.filter((each) => each.flag === flag) };
}

/** A flag in every environment of its project. */
function flagPage(whole: WholeFlag, typed: Typed | null): Page {
  const { project, flag, places } = whole;
  const place = { p: project.slug };
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
        <ButtonLink to={pathTo(EXPERIMENTS, { project: project.slug })} query={{ flag }}>
          Experiments
        </ButtonLink>
        <ButtonLink to={`${flagPath(project.slug, flag)}/feedback`}>Feedback</ButtonLink>
        <ButtonLink to={`${flagPath(project.slug, flag)}/code`}>Code</ButtonLink>
      </>
    ),
    topics: ["setup"],
    commands: [
      ["Show it in one environment", "flags get", flag, { ...place, e: environment }],
      ["List its changes", "flags history", flag, place],
      ["Delete it everywhere", "flags delete", flag, place],
      documentCommand(
        project.slug,
        flag,
        new Map(places.map((place) => [place.environment.slug, place.record])),
      ),
    ],
    content: <WholeFlagView whole={whole} typed={typed} />,
  };
}

function WholeFlagView({ whole, typed }: { whole: WholeFlag; typed: Typed | null }) {
  const { project, flag, places, statuses, scheduled } = whole;
  return (
    <div class="stack">
      <EnvironmentStrip project={project} flag={flag} statuses={statuses} />
      <FlagDetails project={project.slug} record={places[0]!.record} environments={project.environments} />
      <div class="columns">
        {places.map((place) => (
          <PlaceCard project={project.slug} flag={flag} place={place} />
        ))}
      </div>
      {scheduled.length > 0 && (
        <Card id="scheduled-title" title="Scheduled">
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
        </Card>
      )}
      {useMayChange(whole.project.environments) && <Deletion whole={whole} typed={typed} />}
    </div>
  );
}

function PlaceCard({ project, flag, place }: { project: string; flag: string; place: Place }) {
  const { environment, record, readAt, rate, ramp } = place;
  const mayWrite = useMayChange([environment]);
  return (
    <section class="card" aria-labelledby={`in-${environment.slug}`}>
      <h2 id={`in-${environment.slug}`}>
        <EnvironmentName environment={environment} />
        <FlagState record={record} />
      </h2>
      <Facts
        class="row clamped"
        facts={[
          [record.rules === null ? "Payload" : "Variants", <FlagValue record={record} />],
          record.rules !== null && ["Rule", <RuleWords record={record} />],
          record.rules !== null && record.payload !== null && ["Payload", <Payload text={record.payload} />],
          ramp !== null && ["Ramp", <RampState ramp={ramp} />],
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

/** The form that deletes a flag, which names who still reads it. */
function Deletion({ whole, typed }: { whole: WholeFlag; typed: Typed | null }) {
  const { project, flag, places } = whole;
  const { now } = useView();
  const readers = places.filter((place) => isRead(place, now));
  const { name, value, error } = typedAt(typed, "name");
  return (
    <details class="card" open={typed !== null} id="delete">
      <summary>Delete {flag}</summary>
      <Danger
        to={`${flagPath(project.slug, flag)}/delete`}
        values={{ revision: Math.max(...places.map(({ record }) => record.revision)) }}
        class="stack narrow"
        id="delete-form"
        label={`Delete ${flag}`}
        isChanged={typed !== null}
        why={typedAt(typed, "why").value}
        whyId="delete-why"
        words={[{ name, word: flag, label: `Type ${flag} to delete it`, typed: value, fault: error }]}
        act={`Delete ${flag} in every environment`}
        icon="trash"
      >
        {readers.length === 0 ? (
          <p>It has not been read in the last {DEFAULT_STALE_DAYS} days.</p>
        ) : (
          <Notice tone="warn" title="Applications still read it">
            <Readers readers={readers} />
          </Notice>
        )}
        <p>It is deleted in {places.map(({ environment }) => environment.slug).join(", ")}.</p>
      </Danger>
    </details>
  );
}
