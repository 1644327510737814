import { isoTime } from "../../../base/clock.ts";
import { AppError } from "../../../base/errors.ts";
import { type FlagPlace, hasExpired } from "../../../flags/flag.ts";
import { flags } from "../../../operations/flags.ts";
import { scheduled } from "../../../operations/scheduled.ts";
import { revisionPath } from "../changes/revision-card.tsx";
import { type Fields, revisionIn, textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { Facts } from "../parts/card.tsx";
import { MayChange, formatRate } from "../parts/confirm.tsx";
import { TextField, WhyField } from "../parts/field.tsx";
import { A, Button, Form } from "../parts/link.tsx";
import { EnvironmentName, Notice } from "../parts/status.tsx";
import { type Faults, typedAt } from "../parts/submit.ts";
import { Foreign } from "../parts/text.tsx";
import { Time, formatExact } from "../parts/time.tsx";
import { cancelPath, projectPath, settingAction, settingPath } from "../paths.ts";
import type { Dashboard, Done, Sent } from "../routes.ts";
import { useMayChange, useView } from "../view.ts";
import { Expiry, FlagState, LastRead, RuleWords } from "./flag-facts.tsx";
import { type Again, type Screen, confirmationOf, differenceIn, timeIn } from "./screen.tsx";

/** How long a change for a while may last, in milliseconds. */
const SPANS = [
  { label: "15 minutes", ms: 900_000 },
  { label: "1 hour", ms: 3_600_000 },
  { label: "2 hours", ms: 7_200_000 },
  { label: "8 hours", ms: 28_800_000 },
  { label: "1 day", ms: 86_400_000 },
] as const;

/** Whether a flag is on in an environment, and the buttons that change it: now, for a while, or later. */
export function StateCard({ screen }: { screen: Screen }) {
  const { place, environment, record, readAt, rate, last } = screen;
  const history = { name: place.flag, environment: place.environment, kind: "flag" };
  return (
    <section class="card" aria-labelledby="state-title">
      <h2 id="state-title">
        <EnvironmentName environment={environment} />
        <FlagState record={record} />
      </h2>
      <MayChange environments={[environment]}>
        <StateForm screen={screen} />
      </MayChange>
      <Facts
        facts={[
          record.rules !== null && ["Rule", <RuleWords record={record} />],
          ["Last read", <LastRead at={readAt} />],
          ["Reads", formatRate(rate)],
          ["Expires", <Expiry record={record} />],
          [
            "Last changed",
            last === null ? (
              <span class="soft">never</span>
            ) : (
              <>
                <Foreign text={last.who} />, <Time at={last.at} />
                {last.why && (
                  <>
                    : <Foreign text={last.why} />
                  </>
                )}
                {" · "}
                <A to={`${projectPath(place.project)}/history`} query={history}>
                  History
                </A>
                <UndoLink screen={screen} />
              </>
            ),
          ],
        ]}
        class="row"
      />
    </section>
  );
}

/** The way to take the newest change back, which shows what it does first. */
function UndoLink({ screen: { place, environment, last } }: { screen: Screen }) {
  const mayChange = useMayChange([environment]);
  if (!mayChange || last?.kind !== "flag" || last.environment === null) return null;
  return (
    <>
      {" · "}
      <A to={`${revisionPath(place.project, last.revision)}/rollback`} query={{ to: "before" }}>
        Undo…
      </A>
    </>
  );
}

function StateForm({ screen }: { screen: Screen }) {
  const { place, record } = screen;
  const typed = screen.typed.state;
  const at = typedAt(typed, "at");
  const { now, timeZone } = useView();
  const verb = record.enabled ? "Turn off" : "Turn on";
  const enabled = record.enabled ? "off" : "on";
  const span = typedAt(typed, "span", "7200000").value;
  return (
    <Form
      to={settingAction(place)}
      values={{ revision: record.revision, enabled }}
      class="stack"
      id="state-form"
      label={`State in ${place.environment}`}
      isChanged={typed !== undefined}
    >
      {record.enabled && hasExpired(record, now) && (
        <Notice tone="warn">
          <p>On, but expired: readers see it as off.</p>
        </Notice>
      )}
      <div class="filters">
        <Button kind="primary" name="act" value="state">
          {verb} in {place.environment}
        </Button>
        <WhyField id="state-why" value={typedAt(typed, "why").value} />
      </div>
      <details open={at.value !== "" || at.error !== undefined} id="state-later">
        <summary>For a while, or later</summary>
        <div class="stack">
          <p class="buttons">
            <label for="span">{verb} for</label>
            <select id="span" name="span" class="short">
              {SPANS.map(({ label, ms }) => (
                <option value={ms} selected={String(ms) === span}>
                  {label}
                </option>
              ))}
            </select>
            <Button name="act" value="for" icon="clock">
              {verb} for a while in {place.environment}
            </Button>
          </p>
          <TextField
            {...at}
            id="state-at"
            type="datetime-local"
            label={`${verb} at`}
            hint={`Time zone ${timeZone}.`}
          />
          <p>
            <Button name="act" value="state-at" icon="clock">
              {verb} later in {place.environment}
            </Button>
          </p>
        </div>
      </details>
    </Form>
  );
}

/** The parts of the form of the switch. Each throws `invalid` for what no page sends. */
function turnedIn(fields: Fields): "on" | "off" {
  const text = textOf(fields, "enabled");
  if (text !== "on" && text !== "off") throw new AppError("invalid", "the form names neither on nor off");
  return text;
}

function spanIn(fields: Fields): (typeof SPANS)[number] {
  const span = SPANS.find(({ ms }) => String(ms) === textOf(fields, "span"));
  if (!span) throw new AppError("invalid", "the form names no span of time");
  return span;
}

/** A flag after a change, with the change back that was scheduled. */
type Turned = { revision: number; result: string; scheduled?: { id: string } | null };

/** Turns a flag on or off in an environment: now (`state`), for a while (`for`) or later (`state-at`). */
export function changeState(
  { app, act, perform, viewOf }: Dashboard,
  again: Again,
  { c, fields, names }: Sent<FlagPlace>,
  name: "state" | "for" | "state-at",
): Promise<Done | Page> {
  const { project, environment, flag } = names;
  const onOff = turnedIn(fields);
  const patch = { enabled: onOff === "on" };
  const revision = revisionIn(fields);
  const span = name === "for" ? spanIn(fields) : null;
  const how = name === "state-at" ? " later" : span ? ` for ${span.label}` : "";
  const { timeZone } = viewOf(c);
  const to = settingPath(names);
  const shared = {
    confirm: async () =>
      confirmationOf(app, c.get("caller"), names, {
        label: `Turn ${onOff}${how} in ${environment}`,
        change: await differenceIn(app, names, patch),
      }),
    again: (_: unknown, faults: Faults, { reason }: AppError) =>
      again(c, names, (screen) =>
        reason === "revision-differs"
          ? { ...conflicting(screen, onOff), typed: { state: { fields, faults: {} } } }
          : { typed: { state: { fields, faults } } },
      ),
    at: { invalid: "at", too_large: "at", unprocessable: "at", conflict: "at" },
  };
  const turned = ({ revision, result, scheduled: end }: Turned): Done => {
    if (result === "unchanged") return { to, text: `${flag} was ${onOff} in ${environment} already.` };
    const back = { act: "state", enabled: onOff === "on" ? "off" : "on", revision: String(revision) };
    const undo = { to: settingAction(names), values: { ...back, ...(end && { scheduled: end.id }) } };
    return { to, text: `${flag} is ${onOff} in ${environment}${how}.`, undo };
  };
  if (name === "state-at")
    return act({
      ...shared,
      operation: scheduled.create,
      input: () => ({ names, body: { at: isoTime(timeIn(fields, "at", timeZone)), patch } }),
      done: ({ id, at }) => ({
        to,
        text: `${flag} turns ${onOff} in ${environment} on ${formatExact(Date.parse(at), timeZone)}.`,
        undo: { to: cancelPath(names, id), values: {} },
      }),
    })(c, fields, names);
  if (span)
    return act({
      ...shared,
      operation: flags.setFor,
      input: () => ({ names, body: { patch, until: isoTime(app.now() + span.ms) }, revision }),
      done: turned,
    })(c, fields, names);
  return act({
    ...shared,
    operation: flags.set,
    input: () => ({ names, body: patch, revision }),
    async done(made) {
      // The end of a change for a while, which is taken back with its beginning.
      const end = textOf(fields, "scheduled");
      if (end !== "" && (await app.store.scheduled.find(project, environment, end)))
        await perform(c, scheduled.cancel, { names: { project, environment, scheduled: end } });
      return turned(made);
    },
  })(c, fields, names);
}

/** Nothing is changed: what was wanted may not be right for the flag as it is now. */
function conflicting(screen: Screen, enabled: "on" | "off"): Partial<Screen> {
  const theirs = screen.values.draft;
  const base = { ...theirs, enabled: enabled === "on" ? "off" : "on" };
  const advice = "The flag has changed. Check its current values below, then save again.";
  return { status: 409, conflict: { mine: { ...base, enabled }, base, theirs, advice } };
}
