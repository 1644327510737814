import { flags } from "../../../operations/flags.ts";
import type { Caller } from "../../../access/caller.ts";
import type { App } from "../../../app.ts";
import { noSuchFlag } from "../../../flags/flag.ts";
import { flagInEveryEnvironment } from "../../../flags/overviews.ts";
import { settled } from "../../../flags/ramps/ramp-plan.ts";
import { viewRamp } from "../../../flags/ramps/ramp.ts";
import { getProject } from "../../../projects/projects.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { revisionIn, textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { formflag } from "../parts/commands.tsx";
import { formatRate, lastChange } from "../parts/confirm.tsx";
import { A, ButtonLink } from "../parts/link.tsx";
import { EnvironmentName } from "../parts/status.tsx";
import { type Typed, faultAt } from "../parts/submit.ts";
import { Card, Facts } from "../parts/card.tsx";
import { Time } from "../parts/time.tsx";
import {
  EXPERIMENTS,
  FLAG,
  type ParametersOf,
  flagPath,
  pathTo,
  settingPath,
  projectPath,
} from "../paths.ts";
import type { Dashboard } from "../routes.ts";
import { useMayChange } from "../view.ts";
import { documentCommand } from "./commands.ts";
import { FlagDetails } from "./details.tsx";
import { Deletion, type Place, Readers, type WholeFlag, isRead } from "./deletion.tsx";
import {
  EnvironmentStrip,
  Expiry,
  FlagState,
  FlagValue,
  LastRead,
  Payload,
  RuleWords,
  ratesOf,
} from "./flag-facts.tsx";
import { RampState } from "./ramp-card.tsx";
import { PlannedChange, showSetting } from "./screen-page.tsx";

/** Environments for which reads are counted, and scheduled changes that are looked through. */
const COUNTED = 50;
const SCHEDULED = 200;

export function flagPageRoutes(dashboard: Dashboard) {
  const { app, act, get, post } = dashboard;
  const read = (c: DashboardContext, { project, flag }: ParametersOf<typeof FLAG>) =>
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
    const status = statuses.find((each) => each.environment === environment.slug);
    const ramp = ramps.find((each) => each.ramp.environment === environment.slug);
    return [
      {
        environment,
        record,
        readAt: status?.readAt ?? null,
        rate: rateOf(environment.slug, flag),
        ramp: ramp ? settled(ramp) : null,
      },
    ];
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
      {
        label: "Show it in one environment",
        text: formflag("flags get", flag, { ...place, e: environment }),
      },
      { label: "List its changes", text: formflag("flags history", flag, place) },
      { label: "Delete it everywhere", text: formflag("flags delete", flag, place) },
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
          ramp !== null && ["Ramp", <RampState ramp={viewRamp(ramp)} />],
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
