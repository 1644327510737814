import { durationInWords } from "../../../base/units.ts";
import { isObject } from "../../../base/json.ts";
import type { experimentState } from "../../../experiments/experiment.ts";
import { rampStatusInWords } from "../../../flags/ramps/ramp-words.ts";
import type { rampState } from "../../../flags/ramps/ramp.ts";
import type { Change } from "../../../projects/history.ts";

/** A recorded state of a ramp or an experiment as sentences, by what they are about; any other as it is. */
export function stateInWords(kind: Change["kind"], state: unknown): unknown {
  if (!isObject(state)) return state;
  if (kind === "ramp") return rampInSentences(state as ReturnType<typeof rampState>);
  if (kind === "experiment") return experimentInSentences(state as ReturnType<typeof experimentState>);
  return state;
}

/** `on 1 → 10 → 50 %, a step every day`, `paused by a person, at 10 %`. */
function rampInSentences({ variant, to, every, start, guards, onGuard, share, ...now }: Ramp) {
  const pace = to.length === 1 ? "" : `, a step every ${durationInWords(every).replace(/^1 /, "")}`;
  return {
    ramp: `${variant} ${to.join(" → ")} %${pace}${start === undefined ? "" : `, from ${start} on`}`,
    state: `${rampStatusInWords(now)}, at ${share} %`,
    ...guardsInSentences(guards, onGuard),
  };
}

type Ramp = ReturnType<typeof rampState>;

function experimentInSentences({
  flag,
  metrics,
  control,
  split,
  minDays,
  hypothesis,
  guards,
  onGuard,
  ...now
}: ReturnType<typeof experimentState>) {
  const shares = Object.entries(split).map(([variant, weight]) => `${variant} ${weight}`);
  return {
    flag,
    split: `${shares.join(" : ")}, measured against ${control}`,
    metrics,
    "runs at least": durationInWords(minDays * 86_400),
    hypothesis,
    ...guardsInSentences(guards, onGuard),
    state: rampStatusInWords(now),
  };
}

function guardsInSentences(guards: readonly string[] = [], onGuard = "pause") {
  if (guards.length === 0) return {};
  return { guards, "when a guard fires": onGuard === "pause" ? "pause" : "roll back" };
}
