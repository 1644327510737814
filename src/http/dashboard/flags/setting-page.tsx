import { requireScope } from "../../../access/rights.ts";
import { AppError } from "../../../base/errors.ts";
import { type FlagPlace, noSuchFlag } from "../../../flags/flag.ts";
import type { ScheduledChange } from "../../../flags/schedule/scheduled-change.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import type { Command } from "../parts/commands.tsx";
import { Settings } from "../parts/diff.tsx";
import { ButtonLink } from "../parts/link.tsx";
import { EnvironmentName } from "../parts/status.tsx";
import type { Typed } from "../parts/submit.ts";
import { Foreign } from "../parts/text.tsx";
import { ExactTime, Time } from "../parts/time.tsx";
import { SETTING, flagPath, settingPath, projectPath } from "../paths.ts";
import type { Dashboard, Done } from "../routes.ts";
import { serverOf, settingCommands } from "./commands.ts";
import { ConflictView } from "./conflict.tsx";
import { FlagDetails, detailsRoutes } from "./details.tsx";
import { EnvironmentStrip } from "./strip.tsx";
import { RampCard } from "./ramp-card.tsx";
import type { RampDraft } from "./ramp-form.tsx";
import { addRampForm } from "./ramp.tsx";
import { type Act, type Attempt, type Setting, readSetting } from "./setting.tsx";
import { StateCard, type StateDraft, changeState } from "./state.tsx";
import { People, peopleOfFlagsRoutes } from "./test-people.tsx";
import { type ValuesDraft, ValuesForm } from "./values-form.tsx";
import { changeValues } from "./values.ts";

/** Submitted values that are not stored. */
type Sent = Attempt & {
  values?: ValuesDraft;
  state?: StateDraft;
  ramp?: RampDraft;
  details?: Typed;
  person?: Typed;
};

/** Handlers of the page's buttons, by the value that each sends. */
const ACTS = new Map<string, (act: string, context: Act) => Promise<Done | Page | Sent>>([
  ...["state", "for", "state-at"].map((act) => [act, changeState] as const),
  ...[
    "save",
    "check",
    "discard",
    "schedule",
    "try",
    "row",
    "and",
    "up",
    "down",
    "remove",
    "variant",
    "drop",
    "rows",
    "json",
  ].map((act) => [act, changeValues] as const),
]);

export function settingRoutes(dashboard: Dashboard) {
  const { app, options, root, get, post, viewOf } = dashboard;
  const show = (c: DashboardContext, setting: Setting, attempt: Sent | null) =>
    settingPage(setting, settingCommands(setting, serverOf(c, options)), attempt);

  const showAgain = async (c: DashboardContext, place: FlagPlace, sent: Pick<Sent, "details" | "person">) =>
    show(c, await readSetting(app, c.get("caller"), place, viewOf(c).timeZone), { status: 422, ...sent });

  detailsRoutes(dashboard, (c, place, details) => showAgain(c, place, { details }));
  peopleOfFlagsRoutes(dashboard, (c, place, person) => showAgain(c, place, { person }));
  addRampForm(dashboard, (c, setting, ramp) => show(c, setting, { status: 422, ramp }));
  get(SETTING, "flags:read", async (c, place) => c.redirect(`${root}${settingPath(place)}`, 303));
  post(SETTING, "flags:read", async (c, fields, place) => {
    const act = textOf(fields, "act") || "save";
    const caller = c.get("caller");
    const setting = await readSetting(app, caller, place, viewOf(c).timeZone);
    // Trying changes nothing, so those who may read may try.
    if (act !== "try" && act !== "check") requireScope(caller, "flags:write", place);
    const timeZone = viewOf(c).timeZone;
    // Buttons of a row of a rule have its number behind them.
    const run = ACTS.get(act.replace(/-\d{1,4}$/, ""));
    if (!run) throw new AppError("invalid", "this form is not known here: load the page again");
    const outcome = await run(act, { dashboard, caller, fields, setting, timeZone });
    if (!("status" in outcome) || "content" in outcome) return outcome;
    // Read again: the flag may have changed while the form was being sent.
    return show(c, await readSetting(app, caller, place, viewOf(c).timeZone), outcome);
  });
}

/** The page of a flag in an environment. Throws `not_found`. */
export async function showSetting(
  { app, options, viewOf }: Dashboard,
  c: DashboardContext,
  place: FlagPlace,
): Promise<Page> {
  const setting = await readSetting(app, c.get("caller"), place, viewOf(c).timeZone);
  if (setting.record.revision === 0 && !(await app.store.flags.find(place))) throw noSuchFlag(place.flag);
  return settingPage(setting, settingCommands(setting, serverOf(c, options)), null);
}

/** A flag in one environment, with all that can be changed there. */
function settingPage(setting: Setting, commands: Command[], attempt: Sent | null): Page {
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
        <EnvironmentStrip
          project={setting.project}
          flag={flag}
          statuses={setting.statuses}
          current={environment.slug}
        />
        <FlagDetails
          project={project}
          record={setting.record}
          environments={setting.project.environments}
          environment={environment.slug}
          typed={attempt?.details}
        />
        {attempt?.conflict && <ConflictView conflict={attempt.conflict} />}
        <StateCard setting={setting} draft={attempt?.state ?? null} />
        <Scheduled setting={setting} />
        <RampCard setting={setting} draft={attempt?.ramp ?? null} />
        <ValuesForm setting={setting} typed={attempt?.values ?? null} />
        <People place={place} people={attempt?.values?.people ?? setting.people} typed={attempt?.person} />
      </div>
    ),
  };
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
      <Settings values={patch} />
    </>
  );
}
