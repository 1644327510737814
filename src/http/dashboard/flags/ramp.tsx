import { isoTime } from "../../../base/clock.ts";
import { parseDuration } from "../../../base/units.ts";
import { parseWallTime } from "../../../base/wall-time.ts";
import { startGuardedRamp } from "../../../experiments/guards/ramp-guards.ts";
import { parseShares, rampCourseInWords, rampInWords } from "../../../flags/ramps/ramp-words.ts";
import { rampPlanSchema } from "../../../flags/ramps/ramp-schema.ts";
import { GUARD_ACTIONS, type Ramp, type RampPlan, viewRamp } from "../../../flags/ramps/ramp.ts";
import { abortRamp, pauseRamp, resumeRamp } from "../../../flags/ramps/ramps.ts";
import { ramps } from "../../../operations/ramps.ts";
import { type Fields, oneOf, textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { confirmed } from "../parts/confirm.tsx";
import { check, faultAt, submit } from "../parts/submit.ts";
import { SETTING, settingPath } from "../paths.ts";
import type { Dashboard, Done } from "../routes.ts";
import { type RampDraft, rampPath } from "./ramp-form.tsx";
import { type Act, type Setting, readSetting } from "./setting.tsx";

const ACTS = ["start", "pause", "resume", "abort"] as const;

/** Refusals of the forms that guards name. */
const GUARD_FORMS = { "form-not-found": "guards", "form-ambiguous": "guards", forbidden: "guards" };

type RampAct =
  | { act: "start"; plan: RampPlan }
  | { act: "abort"; keep: boolean }
  | { act: "pause" | "resume" };

/** Takes the forms of the ramp of a flag; `again` shows the page of the flag with what was typed. */
export function addRampForm(
  { app, post, viewOf }: Dashboard,
  again: (c: Parameters<Dashboard["viewOf"]>[0], setting: Setting, ramp: RampDraft) => Page,
) {
  post(`${SETTING}/ramp`, "flags:write", async (c, fields, place) => {
    const caller = c.get("caller");
    const { timeZone } = viewOf(c);
    const setting = await readSetting(app, caller, place, viewOf(c).timeZone);
    const act = oneOf("an act", ACTS, textOf(fields, "do"));
    return submit<Done | Page>(
      async () => {
        const wanted = actOf(act, fields, timeZone);
        return confirmed(
          fields,
          () => perform({ app, caller, setting }, wanted),
          async () => describe(setting, wanted),
          { app, caller, names: place, ...operationOf(wanted) },
        );
      },
      async (faults) =>
        again(c, await readSetting(app, caller, place, viewOf(c).timeZone), draftOf(fields, faults)),
      { "ramp-start": "start", "ramp-variant": "variant", ...GUARD_FORMS, invalid: "to", conflict: "" },
    );
  });
}

function draftOf(fields: Fields, faults: RampDraft["faults"]): RampDraft {
  const text = (name: string) => textOf(fields, name).trim();
  const [variant, to, every] = [text("variant"), text("to"), text("every")];
  const [guards, onGuard] = [
    text("guards"),
    oneOf("what a guard does", GUARD_ACTIONS, text("onGuard") || "pause"),
  ];
  return { variant, to, every, start: text("start"), guards, onGuard, why: textOf(fields, "why"), faults };
}

/** Throws the fault of a field. */
function actOf(act: (typeof ACTS)[number], fields: Fields, timeZone: string): RampAct {
  if (act === "abort") return { act, keep: textOf(fields, "keep") === "on" };
  return act === "start" ? { act, plan: planOf(fields, timeZone) } : { act };
}

function planOf(fields: Fields, timeZone: string): RampPlan {
  const { variant, to, every, start, guards, onGuard } = draftOf(fields, {});
  const shares = parseShares(to);
  if (!shares) throw faultAt("to", "write percentages with commas, such as 1, 10, 50, 100");
  const seconds = parseDuration(every);
  if (seconds === undefined) throw faultAt("every", "write a time such as 30m, 12h or 1d");
  const at = start === "" ? null : parseWallTime(start, timeZone);
  if (start !== "" && at === null) throw faultAt("start", "write a date and a time");
  return check(rampPlanSchema, {
    variant,
    to: shares,
    every: seconds,
    ...(at !== null && { start: isoTime(at) }),
    ...(guards !== "" && { guards: guards.split("\n").flatMap((line) => line.trim() || []), onGuard }),
  });
}

function operationOf(wanted: RampAct) {
  if (wanted.act === "start") return { operation: ramps.start, body: wanted.plan };
  if (wanted.act === "abort") return { operation: ramps.abort, body: { keep: wanted.keep } };
  return { operation: ramps[wanted.act] };
}

type Acting = Pick<Act, "caller" | "setting"> & Pick<Dashboard, "app">;

async function perform({ app, caller, setting }: Acting, wanted: RampAct): Promise<Done> {
  const { place } = setting;
  const { variant, share } = await run({ app, caller, setting }, wanted);
  const done = { start: "begun", pause: "paused", resume: "resumed", abort: "aborted" }[wanted.act];
  const text = `The ramp of ${place.flag} in ${place.environment} is ${done}: ${share} % get ${variant}.`;
  const back = { pause: "resume", resume: "pause", start: null, abort: null }[wanted.act];
  const undo = back === null ? undefined : { to: rampPath(setting), values: { do: back } };
  return { to: settingPath(place), text, undo };
}

function run({ app, caller, setting: { place } }: Acting, wanted: RampAct): Promise<Ramp> {
  switch (wanted.act) {
    case "start":
      return startGuardedRamp(app, caller, place, wanted.plan);
    case "pause":
      return pauseRamp(app, caller, place);
    case "resume":
      return resumeRamp(app, caller, place);
    case "abort":
      return abortRamp(app, caller, place, wanted);
    default:
      return wanted satisfies never;
  }
}

function describe({ place, environment, ramp, last, rate }: Setting, wanted: RampAct) {
  const verb = { start: "Begin", pause: "Pause", resume: "Resume", abort: "Abort" }[wanted.act];
  const course =
    wanted.act === "start"
      ? rampCourseInWords({ ...wanted.plan, steps: wanted.plan.to.map((share) => ({ share })) })
      : ramp && rampInWords(viewRamp(ramp));
  return {
    title: `Confirm: ramp of ${place.flag} in ${environment.slug}, ${place.project}`,
    label: `${verb} the ramp in ${environment.slug}`,
    environments: [environment],
    change: <p>{course}.</p>,
    last,
    rate,
    back: { to: settingPath(place), label: `${place.flag} in ${environment.slug}` },
  };
}
