import type { Caller } from "../access/caller.ts";
import { DAY_MS } from "../base/days.ts";
import type { NewOf } from "../base/kinds/kinds.ts";
import { because, putFlag, putRamp } from "../flags/plan.ts";
import { isGuarded, planStart, withRecord } from "../flags/ramps/ramp-plan.ts";
import { rampedState } from "../flags/ramps/ramp-share.ts";
import { endOf, requireSound, stepOf } from "../flags/ramps/ramps.ts";
import { parseRules } from "../flags/rules/rules.ts";
import { getEnvironment } from "../projects/environments.ts";
import type { SHIP } from "./experiment-card.ts";
import type { Experiment, ExperimentPlace } from "./experiment.ts";
import { changeHeld, requireHolding } from "./lifecycle.ts";
import { putExperiment } from "./plan.ts";
import { writeDefault } from "./split.ts";
import type { ExperimentsApp } from "./store.ts";

/**
 * Ends an experiment and serves a variant to everyone: as the default at once, or by a ramp. Throws `not_found`,
 * `conflict` unless the experiment holds its flag, `invalid` for the variant or the ramp, and like `requireChangeable`.
 */
export function shipExperiment(
  app: ExperimentsApp,
  caller: Caller,
  where: ExperimentPlace,
  { variant, to, every = DAY_MS / 1000 }: NewOf<typeof SHIP>,
): Promise<Experiment> {
  return changeHeld(
    app,
    caller,
    where,
    async ({ project, experiment, place, record: before }, { version, at }) => {
      requireHolding(experiment);
      const base = to === undefined ? variant : experiment.control;
      const rules = writeDefault(before, base);
      const { record } = withRecord(place.flag, before, { enabled: true, rules }, at);
      await requireSound(app, place, before, record);
      const ended: Experiment = {
        ...experiment,
        status: "ended",
        reason: null,
        endedAt: at,
        left: rampedState(record),
      };
      const cause = `experiment ${experiment.name} shipped ${variant}`;
      const isOther = before.rules !== null && parseRules(before.rules).defaultVariant !== variant;
      const end = putExperiment(project, experiment, ended, ["experiment.ended"]);
      if (to === undefined)
        return {
          changes: [
            {
              ...because(putFlag(place, before, { ...record, revision: version + 1 }), cause),
              ...(isOther && { newDefault: variant }),
            },
            end,
          ],
          result: ended,
        };
      const { name: who, why = null } = caller;
      const by = {
        who,
        why,
        isGuarded: isGuarded(await getEnvironment(app, place.project, place.environment)),
      };
      const { ramp, first } = planStart(place, record, { variant, to, every }, by, at);
      await requireSound(app, place, before, first);
      return {
        changes: [
          because(stepOf(place, before, { ...first, revision: version + 1 }), cause),
          end,
          putRamp(project, undefined, ramp, "ramp.stepped", ...endOf(ramp)),
        ],
        result: ended,
      };
    },
  );
}
