import { requireScope } from "../../../access/rights.ts";
import { AppError } from "../../../base/errors.ts";
import { type FlagPlace, noSuchFlag } from "../../../flags/flag.ts";
import type { ScheduledChange } from "../../../flags/schedule/scheduled-change.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import type { Command } from "../parts/commands.tsx";
import { Diff, Settings } from "../parts/diff.tsx";
import { ButtonLink } from "../parts/link.tsx";
import { Badge, EnvironmentName, Notice } from "../parts/status.tsx";
import { Table } from "../parts/table.tsx";
import type { Typed } from "../parts/submit.ts";
import { Foreign } from "../parts/text.tsx";
import { ExactTime, Time } from "../parts/time.tsx";
import { SETTING, flagPath, projectPath, settingPath } from "../paths.ts";
import type { Dashboard } from "../routes.ts";
import { serverOf, settingCommands } from "./commands.ts";
import { FlagDetails, detailsRoutes } from "./details.tsx";
import { type Draft, type Field, NAMES, fieldOf, isSameText } from "./draft.ts";
import { Code, EnvironmentStrip } from "./flag-facts.tsx";
import { RampCard } from "./ramp-card.tsx";
import { rampRoutes } from "./ramp.tsx";
import { type Again, type Screen, readScreen } from "./screen.tsx";
import { StateCard, changeState } from "./state.tsx";
import { People, peopleOfFlagsRoutes } from "./test-people.tsx";
import { ValuesForm } from "./values-form.tsx";
import { changeValues } from "./values.ts";

/** The buttons of the form of values; those of a row of a rule have its number behind them. */
const VALUE_ACTS =
  /^(?:save|check|discard|schedule|try|rows|json|(?:row|and|up|down|remove|variant|drop)(?:-\d{1,4})?)$/;

export function settingRoutes(dashboard: Dashboard) {
  const { app, options, root, get, post, viewOf } = dashboard;
  const again: Again = async (c, place, change, patch) => {
    const screen = await readScreen(app, c.get("caller"), place, viewOf(c).timeZone, patch);
    const shown: Screen = { ...screen, status: 422, ...change(screen) };
    return screenPage(shown, settingCommands(shown, serverOf(c, options)));
  };
  const showTyped = (name: "details" | "person") => (c: DashboardContext, place: FlagPlace, typed: Typed) =>
    again(c, place, () => ({ typed: { [name]: typed } }));

  detailsRoutes(dashboard, showTyped("details"));
  peopleOfFlagsRoutes(dashboard, showTyped("person"));
  rampRoutes(dashboard, again);
  get(SETTING, "flags:read", async (c, place) => c.redirect(`${root}${settingPath(place)}`, 303));
  post(SETTING, "flags:read", async (c, fields, place) => {
    const name = textOf(fields, "act") || "save";
    // Trying changes nothing, so those who may read may try.
    if (name !== "try" && name !== "check") requireScope(c.get("caller"), "flags:write", place);
    const sent = { c, fields, names: place };
    if (name === "state" || name === "for" || name === "state-at")
      return changeState(dashboard, again, sent, name);
    if (VALUE_ACTS.test(name)) return changeValues(dashboard, again, sent, name);
    throw new AppError("invalid", "this form is not known here: load the page again");
  });
}

/** The page of a flag in an environment. Throws `not_found`. */
export async function showSetting(
  { app, options, viewOf }: Dashboard,
  c: DashboardContext,
  place: FlagPlace,
): Promise<Page> {
  const screen = await readScreen(app, c.get("caller"), place, viewOf(c).timeZone);
  if (screen.isMissing) throw noSuchFlag(place.flag);
  return screenPage(screen, settingCommands(screen, serverOf(c, options)));
}

/** A flag in one environment, with all that can be changed there. */
function screenPage(screen: Screen, commands: Command[]): Page {
  const { place, environment, project: all, status } = screen;
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
    status,
    commands,
    content: (
      <div class="stack">
        <EnvironmentStrip project={all} flag={flag} statuses={screen.statuses} current={environment.slug} />
        <FlagDetails
          project={project}
          record={screen.record}
          environments={all.environments}
          environment={environment.slug}
          typed={screen.typed.details}
        />
        <ConflictView screen={screen} />
        <StateCard screen={screen} />
        <Scheduled screen={screen} />
        <RampCard screen={screen} />
        <ValuesForm screen={screen} />
        <People screen={screen} />
      </div>
    ),
  };
}

function Scheduled({ screen: { place, scheduled } }: { screen: Screen }) {
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

/** Three-way comparison after an edit conflict: base, stored, typed. */
function ConflictView({ screen: { conflict, last, isMissing } }: { screen: Screen }) {
  if (conflict === null) return null;
  const { mine, base, theirs, advice } = conflict;
  const isSame = (field: Field, one: Draft, other: Draft) => isSameText(field, one[field], other[field]);
  const fields = NAMES.filter((field) => !isSame(field, mine, base) || !isSame(field, theirs, base));
  return (
    <section class="card" aria-labelledby="conflict-title" id="conflict">
      <h2 id="conflict-title">Two changes at the same time</h2>
      <Notice tone="bad">
        <p>
          {last === null ? "Another user" : <Foreign text={last.who} />}{" "}
          {isMissing ? "deleted this flag" : "changed this flag"}
          {last !== null && (
            <>
              {" "}
              <Time at={last.at} />
            </>
          )}
          {last?.why && (
            <>
              {" "}
              (<Foreign text={last.why} />)
            </>
          )}
          , after this page was loaded. Nothing of yours is stored yet.
        </p>
      </Notice>
      <Table
        caption="What differs"
        columns={[
          {
            label: "Field",
            heading: true,
            cell: (field) => (
              <>
                {fieldOf(field).label}{" "}
                {!isSame(field, mine, base) &&
                  !isSame(field, theirs, base) &&
                  !isSame(field, mine, theirs) && <Badge tone="warn">both changed it</Badge>}
              </>
            ),
          },
          { label: "Before both", cell: (field) => <Value text={base[field]} /> },
          {
            label: "Theirs, stored",
            cell: (field) => <Value text={theirs[field]} isSame={isSame(field, theirs, base)} />,
          },
          {
            label: "Yours",
            cell: (field) => <Value text={mine[field]} isSame={isSame(field, mine, base)} />,
          },
        ]}
        rows={fields}
      />
      {last !== null && (
        <details id="conflict-change">
          <summary>All of their change</summary>
          <Diff before={last.before ?? {}} after={last.after ?? {}} />
        </details>
      )}
      <p>{advice}</p>
    </section>
  );
}

function Value({ text, isSame = false }: { text: string; isSame?: boolean }) {
  if (isSame) return <span class="soft">not changed</span>;
  return text === "" ? <span class="soft">none</span> : <Code text={text} />;
}
