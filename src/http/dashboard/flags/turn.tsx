import { AppError } from "../../../base/errors.ts";
import { audienceOf, type Course } from "../../../flags/audience.ts";
import { type FlagPlace, type FlagStatus, hasExpired, isOn } from "../../../flags/flag.ts";
import { flags } from "../../../operations/flags.ts";
import type { Environment } from "../../../projects/environment.ts";
import type { Project } from "../../../projects/project.ts";
import { type Fields, revisionIn, textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { Foreign } from "../parts/text.tsx";
import { PROPOSED_FOR } from "../parts/confirm.tsx";
import { WhyField } from "../parts/field.tsx";
import { A, ButtonLink, Form } from "../parts/link.tsx";
import { type Faults, typedAt } from "../parts/submit.ts";
import { Ask, Switch } from "../parts/switch.tsx";
import { formatShort } from "../parts/time.tsx";
import { projectPath, settingAction, settingPath } from "../paths.ts";
import type { Dashboard, Done, Sent } from "../routes.ts";
import { useMayChange, useView, type View } from "../view.ts";
import { askAboutMore } from "./turned-off.tsx";
import { type Again, confirmationOf, differenceIn, type Screen } from "./screen.tsx";

/** The switch of a flag in an environment: it acts at once, or asks first where the environment is locked or needs approvals. */
export function Turn({
  project,
  environment,
  status,
  who,
  course,
  query,
}: {
  project: Project;
  /** The query of the page, to which a switch comes back. */
  query: Parameters<typeof Switch>[0]["query"];
  environment: Environment;
  status: FlagStatus;
  who: string;
  course: Course | undefined;
}) {
  const view = useView();
  const { slug, enabled, revision } = status;
  const place = { project: project.slug, environment: environment.slug, flag: slug };
  const { approvals, locked } = environment;
  // A flag that has expired is off for its readers until its page gives it another end.
  if (enabled && hasExpired(status, view.now))
    return (
      <A to={settingPath(place)} class="switch" label={`${slug} has expired in ${environment.slug}: change…`}>
        {""}
      </A>
    );
  const form = { to: `${settingAction(place)}/turn`, query };
  if (!locked && approvals === 0)
    return <Switch {...form} values={{ revision }} isOn={enabled} label={`${slug} in ${environment.slug}`} />;
  const verb = enabled ? "off" : "on";
  const asked = approvals === 0 ? { confirm: environment.slug } : { propose: PROPOSED_FOR };
  return (
    <Ask
      {...form}
      values={{ revision, on: String(!enabled), ...asked }}
      isOn={enabled}
      label={`${slug} is ${enabled ? "on" : "off"} in ${environment.slug}, which ${guardOf(environment)}: change…`}
      question={
        <>
          <b>
            Turn {slug} {verb} in {environment.slug}?
          </b>
          <br />
          <span class="soft small">{consequence(status, who, course, view)}</span>
        </>
      }
      act={approvals === 0 ? `Turn ${verb} in ${environment.slug}` : "Propose for approval"}
      others={
        <ButtonLink to={settingPath(place)} kind="plain">
          Other ways
        </ButtonLink>
      }
    >
      <WhyField id={`why-${environment.slug}-${slug}`} />
    </Ask>
  );
}

/** The effect of a press, in a sentence. */
function consequence(
  { enabled, rules, requires }: FlagStatus,
  who: string,
  course: Course | undefined,
  view: View,
): string {
  const after = courseAfter(course, view);
  if (enabled) return `Now: ${who}. Then nobody gets it, within seconds.${after}`;
  const then = audienceOf({ enabled: true, expiresAt: null, rules, requires }, view.now);
  if (then === "everyone") return `Then everyone gets it, within seconds.${after}`;
  return `Then who gets it, within seconds: ${then}.${after}`;
}

/** The end of that sentence: whether its schedule or its release goes on. */
function courseAfter(course: Course | undefined, { now, timeZone }: View): string {
  if (course?.ramp) return " Its release step by step pauses.";
  if (course?.experiment) return " Its experiment pauses.";
  if (!course?.scheduled) return "";
  return ` What is scheduled for ${formatShort(course.scheduled.at, { now, timeZone, hasClock: true })} stays.`;
}

/** The guard of an environment that is not changed at once. */
function guardOf({ approvals }: Environment): string {
  return approvals > 0 ? "needs approvals" : "is locked";
}

/** The switch of a flag, which asks where an environment is locked or needs approvals. */
export function StateSwitch({ screen }: { screen: Screen }) {
  const { place, environment, record, typed } = screen;
  const turnsOff = record.enabled ? screen.turnsOff : null;
  const { flag } = place;
  const { slug, locked, approvals } = environment;
  const { now } = useView();
  const isEnabled = record.enabled;
  const enabled = isEnabled ? "off" : "on";
  const word = isOn(record, now) ? "On" : "Off";
  if (!useMayChange([environment])) return <div class={`onoff ${word.toLowerCase()}`}>{word}</div>;
  const values = { revision: record.revision, act: "state" };
  const form = { to: settingAction(place), id: "state-form", label: `State in ${slug}`, isOn: isEnabled };
  const asks = locked || approvals > 0 || typed.state !== undefined || turnsOff !== null;
  const sure = turnsOff === null ? {} : { more: turnsOff };
  const verb = `Turn ${enabled}`;
  return (
    <div class={`onoff ${word.toLowerCase()}`}>
      {word}{" "}
      {asks ? (
        <Ask
          {...form}
          values={{
            ...values,
            ...sure,
            enabled,
            ...(approvals > 0 ? { propose: PROPOSED_FOR } : { confirm: slug }),
          }}
          label={`${flag} is ${word.toLowerCase()} in ${slug}${locked || approvals > 0 ? `, which ${guardOf(environment)}` : ""}: change…`}
          question={
            <>
              <b>
                {verb} {flag} in {slug}?
              </b>
              <br />
              <span class="soft small">
                {turnsOff !== null && <Foreign text={`It ${turnsOff}. `} />}
                {approvals > 0 ? "It is proposed, and needs approvals." : "Readers see it within seconds."}
              </span>
            </>
          }
          act={approvals > 0 ? `Propose to ${verb.toLowerCase()}` : `${verb} in ${slug}`}
        >
          <WhyField id="state-why" value={typedAt(typed.state, "why").value} />
        </Ask>
      ) : (
        <Form to={form.to} id={form.id} label={form.label} values={{ ...values, act: undefined, enabled }}>
          <button
            class={isEnabled ? "switch on" : "switch"}
            name="act"
            value="state"
            aria-label={`${verb} in ${slug}`}
          ></button>
        </Form>
      )}
    </div>
  );
}

/** Whether a form turns a flag on: the page of a flag sends `enabled`, a list `on`. Throws `invalid` for what no page sends. */
function isOnIn(fields: Fields): boolean {
  const text = textOf(fields, "enabled") || textOf(fields, "on");
  if (text !== "on" && text !== "true" && text !== "off" && text !== "false")
    throw new AppError("invalid", "the form names neither on nor off");
  return text === "on" || text === "true";
}

/** Turns a flag on or off in an environment, and goes back to its page, or to the list that the switch was in. */
export async function turn(
  dashboard: Dashboard,
  again: Again,
  sent: Sent<FlagPlace>,
  isInList = false,
): Promise<Done | Page> {
  const { app, act } = dashboard;
  const { c, fields, names } = sent;
  const { project, environment, flag } = names;
  const isOn = isOnIn(fields);
  const asking = isOn
    ? undefined
    : await askAboutMore(app, fields, {
        project,
        environment,
        slugs: [flag],
        what: flag,
        to: `${settingAction(names)}/turn`,
        back: { to: settingPath(names), label: `${flag} in ${environment}` },
      });
  if (asking) return asking;
  const state = isOn ? "on" : "off";
  const patch = { enabled: isOn };
  const to = isInList ? { to: projectPath(project), query: c.req.query() } : { to: settingPath(names) };
  return act({
    operation: flags.set,
    input: () => ({ names, body: patch, revision: revisionIn(fields) }),
    done({ revision, result }): Done {
      if (result === "unchanged") return { ...to, text: `${flag} was ${state} in ${environment} already.` };
      const confirm = textOf(fields, "confirm");
      const undo = isInList
        ? { to: `${settingAction(names)}/turn`, values: { on: String(!isOn), ...(confirm && { confirm }) } }
        : { to: settingAction(names), values: { act: "state", enabled: isOn ? "off" : "on" } };
      const values = { ...undo.values, revision: String(revision) };
      return { ...to, text: `${flag} is ${state} in ${environment}.`, undo: { ...undo, values } };
    },
    confirm: async () =>
      confirmationOf(app, c.get("caller"), names, {
        label: `Turn ${state} in ${environment}`,
        change: await differenceIn(app, names, patch),
      }),
    again: (_: unknown, faults: Faults, { reason }: AppError) =>
      again(c, names, (screen) =>
        reason === "revision-differs"
          ? { ...conflicting(screen, isOn), typed: { state: { fields, faults: {} } } }
          : { typed: { state: { fields, faults } } },
      ),
    at: { invalid: "", too_large: "", unprocessable: "", conflict: "" },
  })(c, fields, names);
}

/** Nothing is changed: what was wanted may not be right for the flag as it is now. */
function conflicting(screen: Screen, isOn: boolean): Partial<Screen> {
  const theirs = screen.values.draft;
  const [mine, base] = [isOn, !isOn].map((each) => ({ ...theirs, enabled: each ? "on" : "off" }));
  const advice = "The flag has changed. Check its current values below, then save again.";
  return { status: 409, conflict: { mine: mine!, base: base!, theirs, advice } };
}
