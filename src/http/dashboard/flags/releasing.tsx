import { parseWallTime } from "../../../base/wall-time.ts";
import type { FlagPlace, FlagRecord } from "../../../flags/flag.ts";
import { GUARD_ACTIONS } from "../../../flags/ramps/ramp-card.ts";
import { labelOf, releaseInWords } from "../../../flags/release/release-words.ts";
import {
  DAYS,
  detailsOf,
  HOW,
  PACES,
  planRelease,
  type Release,
  type ReleasePlan,
  SPANS,
  usualRelease,
  WHO,
} from "../../../flags/release/release.ts";
import { trialName } from "../../../flags/release/trial.ts";
import { asOneWord } from "../../../flags/rules/condition-values.ts";
import { comparisonInWords } from "../../../flags/rules/condition-words.ts";
import { experiments } from "../../../operations/experiments.ts";
import { flags } from "../../../operations/flags.ts";
import { history } from "../../../operations/history.ts";
import { ramps } from "../../../operations/ramps.ts";
import { scheduled } from "../../../operations/scheduled.ts";
import { getEnvironment } from "../../../projects/environments.ts";
import { undoOf } from "../changes/revision-card.tsx";
import { type Fields, revisionIn, textOf, textsOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { type Faults, submit } from "../parts/submit.ts";
import { cancelPath, experimentPath, rampPath, SETTING, settingAction, settingPath } from "../paths.ts";
import type { Dashboard, Done, Sent } from "../routes.ts";
import { guardsIn } from "./release-fields.tsx";
import { ReleaseChange, releaseCheckPage } from "./release.tsx";
import { conditionsIn, isFilled } from "./rules.ts";
import { type Again, confirmationOf, differenceIn, recordIn, type Screen } from "./screen.tsx";

/** The address of the form of a release. */
const RELEASE = `${SETTING}/release` as const;

/** The release of a form. Numbers that are none are NaN, and lead to the fault of their field. */
function releaseIn(fields: Fields, record: FlagRecord, timeZone: string): Release {
  const usual = usualRelease(record);
  const text = (name: string) => textOf(fields, name).trim();
  const chosen = <T extends string>(name: string, options: Readonly<Record<T, unknown>>, or: T): T =>
    Object.hasOwn(options, text(name)) ? (text(name) as T) : or;
  const number = (name: string, or: number) => (fields.has(name) ? Number(text(name) || Number.NaN) : or);
  const steps = textsOf(fields, "step").filter((each) => each.trim() !== "");
  return {
    variant: text("variant") || usual.variant,
    who: chosen("who", WHO, usual.who),
    share: number("share", usual.share),
    segment: text("segment"),
    condition: conditionIn(fields),
    how: chosen("how", HOW, usual.how),
    at: parseWallTime(text("at"), timeZone),
    span: number("span", usual.span),
    steps: fields.has("step") ? steps.map(Number) : usual.steps,
    every: number("every", usual.every),
    thenEveryone: text("last") === "everyone",
    guards: guardsIn(fields),
    onGuard: GUARD_ACTIONS.find((each) => each === text("onGuard")) ?? usual.onGuard,
    metric: text("event") === "" ? text("metric") : `event:${text("event")}`,
    days: number("days", usual.days),
  };
}

/** The condition of a form, whose rows all have to hold, in words. */
function conditionIn(fields: Fields): string {
  const rows = conditionsIn(fields).filter(isFilled);
  return rows
    .map((row) => (row.operator === "segment" ? `segment ${asOneWord(row.value)}` : comparisonInWords(row)))
    .join(" and ");
}

/** The release that a page shows: as it was typed, or the usual one with the first segment and what there is to compare. */
export function shownRelease({ record, segments, metrics, typed }: Screen, timeZone: string): Release {
  if (typed.release) {
    const release = releaseIn(typed.release.fields, record, timeZone);
    const { span, every, days } = usualRelease(record);
    // A number that no list offers may be no time.
    return {
      ...release,
      span: own(SPANS, release.span) ?? span,
      every: own(PACES, release.every) ?? every,
      days: own(DAYS, release.days) ?? days,
    };
  }
  const metric = metrics.find((each) => each !== "event:error") ?? "";
  return { ...usualRelease(record), segment: segments[0] ?? "", metric: metric || (metrics[0] ?? "") };
}

function own(options: readonly number[], value: number): number | undefined {
  return options.find((each) => each === value);
}

/** Fields of refusals that name no field of the form. */
const AT = {
  to: "step",
  "ramp-start": "at",
  "ramp-variant": "variant",
  "form-not-found": "guards",
  "form-ambiguous": "guards",
  conflict: "",
  invalid: "",
  forbidden: "guards",
  unprocessable: "",
  "flag-held": "",
  "not-proposable": "",
};

/** Takes the form of a release; `again` shows the page of the flag with what was typed. */
export function releaseRoutes(dashboard: Dashboard, again: Again) {
  const { app, act, post, viewOf } = dashboard;
  post(RELEASE, "flags:write", async (c, fields, names) => {
    const { timeZone } = viewOf(c);
    const name = textOf(fields, "act");
    const refuse = (faults: Faults) => again(c, names, () => ({ typed: { release: { fields, faults } } }));
    if (name === "check" || name === "and")
      return again(c, names, () => ({ status: 200, typed: { release: { fields, faults: {} } } }));
    return submit(
      async () => {
        const record = await recordIn(app, names);
        const release = releaseIn(fields, record, timeZone);
        const plan = planRelease(release, record, app.now());
        const sentence = releaseInWords(release, record, { now: app.now(), timeZone });
        const environment = await getEnvironment(app, names.project, names.environment);
        // A locked environment asks anyway, with the same sentence.
        const isAsked = environment.locked || environment.approvals > 0;
        const details = detailsOf(release);
        const label = `${labelOf(release)} in ${names.environment}`;
        if (!isAsked && fields.has("details") && textOf(fields, "details") !== details)
          return releaseCheckPage({ place: names, fields, sentence, details, label });
        return run(dashboard, plan, { sent: { c, fields, names }, refuse, sentence, label });
      },
      refuse,
      AT,
    );
  });

  post(`${RELEASE}/undo`, "flags:write", async (c, fields, names) => {
    const { environment, flag } = names;
    const undo = act({
      operation: history.rollback,
      input() {
        const revision = revisionIn(fields);
        const id = textOf(fields, "scheduled");
        return { names, body: { before: revision ?? 0, ...(id !== "" && { scheduled: id }) }, revision };
      },
      confirm: async () =>
        confirmationOf(app, c.get("caller"), names, {
          label: `Take the release back in ${environment}`,
          change: <p>The flag is as it was before, at once.</p>,
        }),
      done: () => ({ to: settingPath(names), text: `The release of ${flag} is taken back.` }),
      again: (_, faults) => again(c, names, () => ({ typed: { state: { fields, faults } } })),
      at: { invalid: "", before: "" },
    });
    return undo(c, fields, names);
  });
}

type Run = {
  sent: Sent<FlagPlace>;
  refuse: (faults: Faults) => Promise<Page>;
  sentence: string;
  label: string;
};

/** Makes a release, by the operation that it is. */
function run(
  dashboard: Dashboard,
  plan: ReleasePlan,
  { sent, refuse, sentence, label }: Run,
): Promise<Done | Page> {
  const { app, act, perform } = dashboard;
  const { c, fields, names } = sent;
  const { project, environment, flag } = names;
  const to = settingPath(names);
  const shared = {
    confirm: async () => {
      const patch = "patch" in plan ? plan.patch : null;
      const change = (
        <ReleaseChange sentence={sentence} difference={patch && (await differenceIn(app, names, patch))} />
      );
      return confirmationOf(app, c.get("caller"), names, { what: "release", label, change });
    },
    again: (_: unknown, faults: Faults) => refuse(faults),
    at: AT,
  };
  const revision = revisionIn(fields);
  const done = { to, text: `Released in ${environment}. ${sentence}` };
  const released = ({ result }: { result: string }, undo: Done["undo"]): Done =>
    result === "unchanged"
      ? { to, text: `Nothing differs: it is so in ${environment} already.` }
      : { ...done, undo };
  switch (plan.operation) {
    case "set":
      return act({
        ...shared,
        operation: flags.set,
        input: () => ({ names, body: plan.patch, revision }),
        done: (set) => released(set, undoOf(names, set)),
      })(c, fields, names);
    case "setFor":
      return act({
        ...shared,
        operation: flags.setFor,
        input: () => ({ names, body: { patch: plan.patch, until: plan.until }, revision }),
        done(set) {
          const values = { revision: String(set.revision), scheduled: set.scheduled?.id ?? "" };
          return released(set, { to: `${settingAction(names)}/release/undo`, values });
        },
      })(c, fields, names);
    case "schedule":
      return act({
        ...shared,
        operation: scheduled.create,
        input: () => ({ names, body: { at: plan.at, patch: plan.patch } }),
        done({ id }): Done {
          const text = `Scheduled in ${environment}. ${sentence}`;
          return { to, text, undo: { to: cancelPath(names, id), values: {} } };
        },
      })(c, fields, names);
    case "ramp":
      return act({
        ...shared,
        operation: ramps.start,
        input: () => ({ names, body: plan.course, revision }),
        done: (): Done => ({ ...done, undo: { to: rampPath(names), values: { do: "abort" } } }),
      })(c, fields, names);
    case "experiment":
    default:
      return act({
        ...shared,
        operation: experiments.start,
        async input() {
          const at = { project, environment };
          const { experiments: all } = await perform(c, experiments.list, { names: at });
          const { name, isNew } = trialName(flag, plan.design, all);
          if (isNew)
            await perform(c, experiments.create, { names: at, body: { name, flag, ...plan.design } });
          return { names: { ...at, experiment: name } };
        },
        done({ name }): Done {
          const path = experimentPath({ project, environment, experiment: name });
          return { ...done, undo: { to: `${path}/state`, values: { do: "stop" } } };
        },
      })(c, fields, names);
  }
}
