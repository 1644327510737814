import { isoTime } from "../../../base/clock.ts";
import { flags } from "../../../operations/flags.ts";
import { scheduled } from "../../../operations/scheduled.ts";
import type { Proposable } from "../parts/propose.tsx";
import { AppError } from "../../../base/errors.ts";
import { parseWallTime } from "../../../base/wall-time.ts";
import { hasExpired } from "../../../flags/flag.ts";
import { setFlag } from "../../../flags/flags.ts";
import { cancelScheduled, scheduleChange, setFlagFor } from "../../../flags/schedule/schedule.ts";
import { revisionPath } from "../changes/revision-card.tsx";
import { sentence } from "../error-page.tsx";
import { revisionIn, textOf } from "../fields.ts";
import { MayChange, confirmed, formatRate } from "../parts/confirm.tsx";
import { TextField, WhyField } from "../parts/field.tsx";
import { A, Button, Form } from "../parts/link.tsx";
import { EnvironmentName, Notice } from "../parts/status.tsx";
import { Facts } from "../parts/card.tsx";
import { Foreign } from "../parts/text.tsx";
import { Time, formatExact } from "../parts/time.tsx";
import type { Done } from "../routes.ts";
import { useMayChange, useView } from "../view.ts";
import { type Draft, draftOf } from "./draft.ts";
import { Expiry, FlagState, LastRead, RuleWords } from "./flag-facts.tsx";
import { cancelPath, settingAction, settingPath, projectPath } from "../paths.ts";
import { type Act, type Outcome, type Setting, confirmationOf, isTypedError } from "./setting.tsx";

/** How long a change for a while may last, in milliseconds. */
const SPANS = [
  { label: "15 minutes", ms: 900_000 },
  { label: "1 hour", ms: 3_600_000 },
  { label: "2 hours", ms: 7_200_000 },
  { label: "8 hours", ms: 28_800_000 },
  { label: "1 day", ms: 86_400_000 },
] as const;

/** Form values beside the switch, with their error. */
export type StateDraft = { why: string; span: string; at: string; fault?: string | undefined };

type StateOutcome = Outcome<{ state: StateDraft }>;
/** Whether a flag is on in an environment, and the buttons that change it: now, for a while, or later. */
export function StateCard({ setting, draft }: { setting: Setting; draft: StateDraft | null }) {
  const { place, environment, record, readAt, rate, last } = setting;
  const history = { name: place.flag, environment: place.environment, kind: "flag" };
  return (
    <section class="card" aria-labelledby="state-title">
      <h2 id="state-title">
        <EnvironmentName environment={environment} />
        <FlagState record={record} />
      </h2>
      <MayChange environments={[environment]}>
        <StateForm setting={setting} draft={draft} />
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
                <UndoLink setting={setting} />
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
function UndoLink({ setting: { place, environment, last } }: { setting: Setting }) {
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

function StateForm({ setting, draft }: { setting: Setting; draft: StateDraft | null }) {
  const { place, record } = setting;
  const { now, timeZone } = useView();
  const verb = record.enabled ? "Turn off" : "Turn on";
  const enabled = record.enabled ? "off" : "on";
  const { why = "", span = "7200000", at = "", fault } = draft ?? {};
  return (
    <Form
      to={settingAction(place)}
      values={{ revision: record.revision, enabled }}
      class="stack"
      id="state-form"
      label={`State in ${place.environment}`}
      isChanged={draft !== null}
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
        <WhyField id="state-why" value={why} />
      </div>
      <details open={draft !== null && (draft.at !== "" || fault !== undefined)} id="state-later">
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
            id="state-at"
            name="at"
            type="datetime-local"
            label={`${verb} at`}
            hint={`Time zone ${timeZone}.`}
            value={at}
            error={fault}
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

/** Change that the switch's form requests. `at` is its time in milliseconds since 1970; null for now. */
type Switch = { onOff: "on" | "off"; span: (typeof SPANS)[number] | null; at: number | null };

/** Turns a flag on or off in an environment: now (`state`), for a while (`for`) or later (`state-at`). */
export async function changeState(act: string, context: Act): Promise<StateOutcome> {
  const { fields, timeZone } = context;
  const { environment } = context.setting;
  const onOff = textOf(fields, "enabled");
  if (onOff !== "on" && onOff !== "off") throw new AppError("invalid", "the form names neither on nor off");
  const draft = { why: textOf(fields, "why"), span: textOf(fields, "span"), at: textOf(fields, "at") };
  const at = act === "state-at" ? parseWallTime(draft.at, timeZone) : null;
  if (act === "state-at" && at === null)
    return { status: 422, state: { ...draft, fault: "Write a date and a time." } };
  const span = act === "for" ? (SPANS.find(({ ms }) => String(ms) === draft.span) ?? null) : null;
  if (act === "for" && span === null) throw new AppError("invalid", "the form names no span of time");
  const how = at !== null ? " later" : span !== null ? ` for ${span.label}` : "";
  try {
    return await confirmed<StateOutcome>(
      fields,
      () => turn(context, { onOff, span, at }),
      async () =>
        confirmationOf(context, `Turn ${onOff}${how} in ${environment.slug}`, { enabled: onOff === "on" }),
      proposableOf(context, { onOff, span, at }),
    );
  } catch (error) {
    if (!isTypedError(error)) throw error;
    if (error.reason === "revision-differs") return conflicting(context, draft, onOff);
    return { status: 422, state: { ...draft, fault: sentence(error.message) } };
  }
}

/** The operation of the admin API that a switch stands for. */
function proposableOf({ dashboard: { app }, caller, setting }: Act, { onOff, span, at }: Switch): Proposable {
  const patch = { enabled: onOff === "on" };
  const call = { app, caller, names: setting.place };
  if (at !== null) return { ...call, operation: scheduled.create, body: { at: isoTime(at), patch } };
  if (span === null) return { ...call, operation: flags.set, body: patch };
  return { ...call, operation: flags.setFor, body: { patch, until: isoTime(app.now() + span.ms) } };
}

async function turn(
  { dashboard: { app }, caller, fields, setting, timeZone }: Act,
  wanted: Switch,
): Promise<Done> {
  const { onOff, span, at } = wanted;
  const { place } = setting;
  const { flag, environment } = place;
  const to = settingPath(place);
  const patch = { enabled: onOff === "on" };
  if (at !== null) {
    const { id } = await scheduleChange(app, caller, place, { patch, at });
    const text = `${flag} turns ${onOff} in ${environment} on ${formatExact(at, timeZone)}.`;
    return { to, text, undo: { to: cancelPath(place, id), values: {} } };
  }
  const expected = revisionIn(fields);
  const { record, result, scheduled } =
    span === null
      ? { ...(await setFlag(app, caller, place, patch, expected)), scheduled: null }
      : await setFlagFor(app, caller, place, patch, app.now() + span.ms, expected);
  // The end of a change for a while, which is taken back with its beginning.
  const end = textOf(fields, "scheduled");
  if (end !== "" && (await app.store.scheduled.find(place.project, environment, end)))
    await cancelScheduled(app, caller, place, end);
  if (result === "unchanged") return { to, text: `${flag} was ${onOff} in ${environment} already.` };
  const text = `${flag} is ${onOff} in ${environment}${span === null ? "" : ` for ${span.label}`}.`;
  const back = { act: "state", enabled: onOff === "on" ? "off" : "on", revision: String(record.revision) };
  const values = { ...back, ...(scheduled && { scheduled: scheduled.id }) };
  return { to, text, undo: { to: settingAction(place), values } };
}

/** Nothing is changed: what was wanted may not be right for the flag as it is now. */
function conflicting({ setting, timeZone }: Act, draft: StateDraft, onOff: "on" | "off"): StateOutcome {
  const theirs = draftOf(setting.record, timeZone);
  const base: Draft = { ...theirs, enabled: onOff === "on" ? "off" : "on" };
  return {
    status: 409,
    state: draft,
    conflict: {
      mine: { ...base, enabled: onOff },
      base,
      theirs,
      last: setting.last,
      isDeleted: setting.record.revision === 0,
      advice: "The flag has changed. Check its current values below, then save again.",
    },
  };
}
