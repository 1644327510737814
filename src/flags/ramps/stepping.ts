import { ITSELF } from "../../access/audit/audit.ts";
import type { Acting } from "../../access/caller.ts";
import { change } from "../../access/door.ts";
import { AppError } from "../../base/errors.ts";
import type { FlagChange } from "../change.ts";
import { againIfRefused, requireFit } from "../fit.ts";
import { because, putRamp, putStep } from "../plan.ts";
import { segmentsIn } from "../segments.ts";
import type { FlagsApp } from "../store.ts";
import { settled, stepped, troubleOf } from "./ramp-plan.ts";
import { endOf, endOfDeleted, stepOf } from "./ramps.ts";
import type { FoundRamp, Ramp } from "./ramp.ts";

/**
 * Makes the due steps of ramps, one for each ramp, and pauses ramps whose flag was changed or whose environment was
 * locked. Calls `report` for each ramp that cannot continue.
 */
export async function stepDue(app: FlagsApp, report: (text: string) => void): Promise<void> {
  // By far most often no ramp runs, and no other table is read.
  if ((await app.store.ramps.nextAt()) === null) return;
  for (;;) {
    const due = await app.store.ramps.findDue(app.now());
    if (!due) return;
    const failure = await againIfRefused((refusal) => stepOne(app, due, refusal));
    if (failure === null) continue;
    const { flag, environment } = due.ramp;
    report(`paused the ramp of flag ${flag} in ${due.project}/${environment}: ${failure}`);
  }
}

/**
 * Returns why the ramp was paused; null if it was not, or another process was faster. With `refusal`, which the store gave,
 * the ramp is paused.
 */
function stepOne(
  app: FlagsApp,
  { project, ramp: { environment, flag, who, why, nextAt } }: FoundRamp,
  refusal: AppError | null,
): Promise<string | null> {
  const place = { project, environment, flag };
  let author: Acting = ITSELF;
  const acting = {
    get name() {
      return author.name;
    },
    type: "system" as const,
    get why() {
      return author.why;
    },
    verify: async () => {},
  };
  return change(app, acting, async ({ version, at }) => {
    author = ITSELF;
    const found = await app.store.ramps.find(place);
    if (!found || found.ramp.status !== "running") return { changes: [], result: null };
    const { ramp } = found;
    const trouble = troubleOf(found);
    if (trouble === "deleted") return { changes: endOfDeleted(project, ramp), result: null };
    if (trouble !== null) return { changes: [paused(project, ramp, settled(found))], result: trouble };
    // Another process was faster.
    if (ramp.nextAt !== nextAt) return { changes: [], result: null };
    if (ramp.nextAt === null || ramp.nextAt > at) {
      // The change does not concern the ramp, which need not be checked again.
      const kept = { ...ramp, isGuarded: found.isGuarded };
      return { changes: [putRamp(project, ramp, kept)], result: null };
    }
    try {
      if (refusal) throw refusal;
      const before = (await app.store.flags.find(place))!;
      const step = stepped({ ...ramp, isGuarded: found.isGuarded }, before, at);
      await requireFit([step.record], await segmentsIn(app, place), environment);
      author = { name: who, type: "system", why: why ?? undefined };
      return {
        changes: [
          because(stepOf(place, before, { ...step.record, revision: version + 1 }), "a step of the ramp"),
          putStep(app, project, ramp, step.ramp, "ramp.stepped", ...endOf(step.ramp)),
        ],
        result: null,
      };
    } catch (error) {
      if (!(error instanceof AppError) || error.code === "unavailable") throw error;
      // Paused for any other reason: a step that fails every time would block those of other ramps.
      const failed: Ramp = { ...ramp, status: "paused", reason: "changed", nextAt: null };
      return { changes: [paused(project, ramp, failed)], result: error.message };
    }
  });
}

function paused(project: string, before: Ramp, ramp: Ramp): FlagChange {
  return putRamp(project, before, ramp, "ramp.paused");
}
