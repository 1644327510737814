import { rounded } from "../parts/spark.tsx";
import { durationInWords } from "../../../base/units.ts";
import { parseGuard } from "../../../flags/ramps/guard.ts";
import { peopleOfStep, stepInWords } from "../../../flags/audience.ts";
import type { FlagPlace } from "../../../flags/flag.ts";
import { type RampView, isSkipped, nextShare } from "../../../flags/ramps/ramp-words.ts";
import { guardInWords, metricInWords, verbOf } from "../../../flags/release/release-words.ts";
import type { GuardReading } from "../../../experiments/guards/readings.ts";
import { rateOf } from "../../../experiments/statistics.ts";
import { percentOf } from "../../../experiments/result-words.ts";
import { capital } from "../../../base/shapes/words.ts";
import type { PropsWithChildren } from "../markup.ts";
import { A, Button, Form } from "../parts/link.tsx";
import { Foreign, formatCount, visible } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { inboxPath, rampPath } from "../paths.ts";
import { useMay } from "../view.ts";

/** The share of a ramp, its steps, and the guards that stop it, with what they compare now. */
export function RampCourse({
  ramp,
  project,
  readings,
}: {
  ramp: RampView;
  project: string;
  readings: readonly GuardReading[];
}) {
  const { variant, share, every, steps, nextAt, guards, onGuard, who, why, createdAt } = ramp;
  const next = nextShare(ramp);
  const now = stepInWords(steps, share);
  const at = steps.findLastIndex(({ doneAt }) => doneAt !== null);
  const forms = guards.flatMap((guard) => /^submissions:(\S+)/.exec(guard)?.[1] ?? []);
  const mayForms = useMay("forms:read", { project });
  return (
    <>
      <p>
        {visible(capital(now))} {verbOf(now)} <Foreign text={variant} />
        {next !== null && (
          <>
            , then {visible(stepInWords(steps, next))}{" "}
            {nextAt === null ? "once resumed" : <Time at={Date.parse(nextAt)} />}
          </>
        )}
        .{steps.length > 1 && <> A step every {durationInWords(every).replace(/^1 /, "")}.</>}
      </p>
      <ol class="ladder" aria-label="Steps">
        {steps.map((step, index) => (
          <li
            class={
              index < at ? "past-step" : index === at ? (next === null ? "past-step" : "here") : undefined
            }
          >
            <b>{step.share} %</b>
            <Of steps={steps} at={index} />
            <small>
              {isSkipped(ramp, index) ? (
                "skipped"
              ) : step.doneAt !== null ? (
                <Time at={Date.parse(step.doneAt)} />
              ) : step.share === next && nextAt !== null ? (
                <>
                  due <Time at={Date.parse(nextAt)} />
                </>
              ) : next === null ? (
                "not set"
              ) : (
                "to come"
              )}
            </small>
          </li>
        ))}
      </ol>
      {guards.length > 0 && (
        <p class="small">
          {onGuard === "pause" ? "It stops" : "It goes back"}, and tells you, if{" "}
          {guards.map((guard, index) => (
            <span title={guard}>
              {index > 0 && " or "}
              <Foreign text={guardInWords(guard)} />
            </span>
          ))}
          .
        </p>
      )}
      {readings.map((reading) => (
        <Reading reading={reading} isStopped={ramp.status === "paused"} />
      ))}
      <p class="soft small">
        Begun by <Foreign text={who} />, <Time at={Date.parse(createdAt)} />
        {why !== null && (
          <>
            : <Foreign text={why} />
          </>
        )}
        {mayForms &&
          forms.map((form) => (
            <>
              {" · "}
              <A to={inboxPath(form)}>Submissions of {form}</A>
            </>
          ))}
      </p>
    </>
  );
}

/** The people of whom a step is a share, with "then" where these are others than before. */
function Of({ steps, at }: { steps: RampView["steps"]; at: number }) {
  const [before, people] = [steps[at - 1], steps[at]!].map((each) => each && peopleOfStep(steps, each.share));
  if (people === undefined) return null;
  return (
    <span>
      {before !== undefined && before !== people && "then "}of <Foreign text={people} />
    </span>
  );
}

/** Hours of submissions that a chart shows. */
const HOURS = 14 * 24;

/** The numbers of a guard, and a drawing of them with the limit. */
function Reading({ reading, isStopped }: { reading: GuardReading; isStopped: boolean }) {
  const metric = capital(metricInWords(parseGuard(reading.guard).metric));
  const tone = isStopped ? "guard" : "guard calm";
  if (reading.is === "submissions") {
    const [hours, limits] = [reading.hours.slice(-HOURS), reading.limits.slice(-HOURS)];
    const [sum, least] = [sumOf(reading.hours), Math.floor(sumOf(reading.limits))];
    const most = Math.max(1, ...hours, ...limits);
    const points = (values: readonly number[]) =>
      values.map((each, at) => `${xOf(at, values.length)},${rounded(38 - (36 * each) / most)}`).join(" ");
    return (
      <div class={tone}>
        <p>
          <b>
            {metric}: {formatCount(sum)}
          </b>{" "}
          since this step;{" "}
          {least > 0 ? `fewer than ${formatCount(least)} may stop it.` : "too early to compare."}
        </p>
        <svg viewBox="0 0 100 40" preserveAspectRatio="none" role="img" aria-label={`${metric} by the hour`}>
          <polyline class="limit" points={points(limits)} />
          <polyline points={points(hours)} />
        </svg>
      </div>
    );
  }
  const { own, control, limit } = reading;
  const [rate, base] = [rateOf(own), rateOf(control)];
  if (rate === null || base === null || limit === null)
    return <p class="small soft">{metric}: no visitors of both variants yet.</p>;
  const most = Math.max(rate, base, limit, Number.EPSILON) * 1.1;
  const x = (value: number) => rounded((100 * value) / most);
  const words = `${percentOf(rate)} with it, ${percentOf(base)} without it, limit ${percentOf(limit)}`;
  return (
    <div class={tone}>
      <p>
        <b>
          {metric}: {percentOf(rate)}
        </b>{" "}
        of {formatCount(own.visitors)} visitors with it, {percentOf(base)} of {formatCount(control.visitors)}{" "}
        without it; {percentOf(limit)} is the limit.
      </p>
      <svg
        class="bars"
        viewBox="0 0 100 9"
        preserveAspectRatio="none"
        role="img"
        aria-label={`${metric}: ${words}`}
      >
        <rect class="a" width={x(rate)} height="4" />
        <rect y="5" width={x(base)} height="4" />
        <path class="limit" d={`M${x(limit)} 0V9`} />
      </svg>
    </div>
  );
}

function sumOf(values: readonly number[]): number {
  return values.reduce((all, each) => all + each, 0);
}

function xOf(at: number, count: number): number {
  return rounded((100 * at) / Math.max(1, count - 1));
}

/** The buttons of a ramp that holds its flag. `back` names the list to return to, in place of the page of the flag. */
export function RampActions({
  place,
  ramp,
  id,
  isPrimary = true,
  back,
  children,
}: PropsWithChildren<{
  place: FlagPlace;
  ramp: RampView;
  id: string;
  isPrimary?: boolean;
  back?: "releases";
}>) {
  const { flag, environment } = place;
  const next = nextShare(ramp);
  const last = ramp.steps.at(-1)!.share;
  const isRunning = ramp.status === "running";
  // After an alarm, the way back is offered first.
  const isAlarm = !isRunning && ramp.reason === "guard";
  const primary = isPrimary ? "primary" : "";
  const [act, label] = isRunning
    ? ["pause", `Hold at ${ramp.share} %`]
    : ["resume", `Go on${next === null ? "" : ` to ${visible(stepInWords(ramp.steps, next))}`}`];
  return (
    <Form
      to={rampPath(place)}
      values={{ back }}
      class="stack"
      id={id}
      label={`Ramp of ${flag} in ${environment}`}
    >
      {children}
      <p class="buttons">
        <Button kind={isAlarm ? "" : primary} name="do" value={act}>
          {label}
        </Button>
        {isRunning && next !== null && (
          <Button name="do" value="next">
            {visible(capital(stepInWords(ramp.steps, next)))} now
          </Button>
        )}
        {isRunning && last !== next && (
          <Button name="do" value="finish">
            Finish: {visible(stepInWords(ramp.steps, last))} now
          </Button>
        )}
        <Button name="do" value="keep">
          Keep {ramp.share} % and end
        </Button>
        <Button kind={(isAlarm && primary) || "danger"} name="do" value="abort">
          Back to what was before
        </Button>
      </p>
    </Form>
  );
}
