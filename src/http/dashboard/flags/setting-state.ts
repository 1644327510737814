import { AppError } from "../../../base/errors.ts";
import { setFlag } from "../../../flags/flags.ts";
import { scheduleChange, setFlagFor } from "../../../flags/schedule/schedule.ts";
import { sentence } from "../error-page.tsx";
import { revisionIn, textOf } from "../fields.ts";
import { parseWallTime } from "../../../base/wall-time.ts";
import { confirmed } from "../parts/confirm.tsx";
import { formatExact } from "../parts/time.tsx";
import { type Draft, draftOf } from "./draft.ts";
import { settingPath } from "./paths.ts";
import { type Act, type Outcome, confirmationOf, isTypedError } from "./act.tsx";
import type { Done } from "../routes.ts";
import { SPANS, type StateDraft } from "./state-card.tsx";

/** What a form of the switch asks for. `at` is when, in milliseconds since 1970; null for now. */
type Switch = { onOff: "on" | "off"; span: (typeof SPANS)[number] | null; at: number | null };

/** Turns a flag on or off in an environment: now (`state`), for a while (`for`) or later (`state-at`). */
export async function changeState(act: string, context: Act): Promise<Outcome> {
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
    return await confirmed<Outcome>(
      fields,
      () => turn(context, { onOff, span, at }),
      async () =>
        confirmationOf(context, `Turn ${onOff}${how} in ${environment.slug}`, { enabled: onOff === "on" }),
    );
  } catch (error) {
    if (!isTypedError(error)) throw error;
    if (error.reason === "revision-differs") return conflicting(context, draft, onOff);
    return { status: 422, state: { ...draft, fault: sentence(error.message) } };
  }
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
    await scheduleChange(app, caller, place, { patch, at });
    return { to, text: `${flag} turns ${onOff} in ${environment} on ${formatExact(at, timeZone)}.` };
  }
  const expected = revisionIn(fields);
  const { record, result } =
    span === null
      ? await setFlag(app, caller, place, patch, expected)
      : await setFlagFor(app, caller, place, patch, app.now() + span.ms, expected);
  if (result === "unchanged") return { to, text: `${flag} was ${onOff} in ${environment} already.` };
  if (span !== null) return { to, text: `${flag} is ${onOff} in ${environment} for ${span.label}.` };
  const values = { act: "state", enabled: onOff === "on" ? "off" : "on", revision: String(record.revision) };
  return { to, text: `${flag} is ${onOff} in ${environment}.`, undo: { to, values } };
}

/** Nothing is changed: what was wanted may not be right for the flag as it is now. */
function conflicting({ setting, timeZone }: Act, draft: StateDraft, onOff: "on" | "off"): Outcome {
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
      advice: "Below is what the flag is now. Send again what is still right.",
    },
  };
}
