import { durationInWords } from "../../../../base/units.ts";
import { guardInWords } from "../../../../flags/release/release-words.ts";
import { nextShare, rampInWords, rampStatusInWords } from "../../../../flags/ramps/ramp-words.ts";
import { settled } from "../../../../flags/ramps/ramp-plan.ts";
import { isHeld, viewRamp } from "../../../../flags/ramps/ramp.ts";
import type { FlagPlace } from "../../../../flags/flag.ts";
import type { rampSchema } from "../../../../flags/ramps/ramp-schema.ts";
import type { Operation } from "../../../../operations/operation.ts";
import { ramps } from "../../../../operations/ramps.ts";
import { chosenOf, textOf } from "../../fields.ts";
import { MayChange } from "../../parts/confirm.tsx";
import { WhyField } from "../../parts/field.tsx";
import { A, Button, ButtonLink, Form } from "../../parts/link.tsx";
import { Badge, EnvironmentName, Notice, type Tone } from "../../parts/status.tsx";
import { typedAt } from "../../parts/submit.ts";
import { Foreign } from "../../parts/text.tsx";
import { ExactTime, Time } from "../../parts/time.tsx";
import { SETTING, experimentPath, inboxPath, rampPath, settingPath } from "../../paths.ts";
import type { Dashboard, Sent } from "../../routes.ts";
import { useMay, useView } from "../../view.ts";
import { ReleaseCard } from "./release.tsx";
import { shownRelease } from "./releasing.tsx";
import { Scheduled } from "../aside.tsx";
import { type Again, type Screen, confirmationOf } from "../screen.tsx";

type Ramp = ReturnType<typeof viewRamp>;

/** An act on a ramp: its verb, the words for it once it is done, and the act that takes it back. */
type RampAct = {
  operation: Operation<{ output: typeof rampSchema }>;
  verb: string;
  done: string;
  back?: "pause" | "resume";
  body?: object;
};

/** Takes the forms of the ramp of a flag; `again` shows the screen of the flag with what was typed. */
export function rampRoutes({ app, act, post }: Dashboard, again: Again) {
  const handler = ({ operation, verb, done, back, body }: RampAct) =>
    act({
      operation,
      input: ({ fields, names }: Sent<FlagPlace>) => ({
        names,
        ...(body && { body: { keep: textOf(fields, "keep") === "on", ...body } }),
      }),
      done({ share, variant }, { names }) {
        const text = `The ramp of ${names.flag} in ${names.environment} is ${done}: ${share} % get ${variant}.`;
        const undo = back && { to: rampPath(names), values: { do: back } };
        return { to: settingPath(names), text, undo };
      },
      async confirm({ c, names }) {
        const found = await app.store.ramps.find(names);
        return confirmationOf(app, c.get("caller"), names, {
          what: "ramp",
          label: `${verb} the ramp in ${names.environment}`,
          change: <p>{found && rampInWords(viewRamp(settled(found)))}.</p>,
        });
      },
      again: ({ c, fields, names }, faults) =>
        again(c, names, () => ({ typed: { ramp: { fields, faults } } })),
      at: { "not-proposable": "", conflict: "", invalid: "" },
    });
  const acts = {
    pause: handler({ operation: ramps.pause, verb: "Pause", done: "paused", back: "resume" }),
    resume: handler({ operation: ramps.resume, verb: "Resume", done: "resumed", back: "pause" }),
    abort: handler({ operation: ramps.abort, verb: "Abort", done: "aborted", body: {} }),
    keep: handler({ operation: ramps.abort, verb: "End", done: "ended", body: { keep: true } }),
  };
  post(`${SETTING}/ramp`, "flags:write", (c, fields, place) => chosenOf(acts, fields)(c, fields, place));
}

/** The releases of a flag that run: its ramp, its experiment or what is scheduled; without one the form that releases it. */
export function Releases({ screen }: { screen: Screen }) {
  const { environment, ramp, experiment, scheduled } = screen;
  const { timeZone } = useView();
  const isFree = (ramp === null || !isHeld(ramp)) && experiment === null;
  const fault = isFree ? undefined : screen.typed.release?.faults[""];
  return (
    <>
      {fault && (
        <Notice tone="bad">
          <p>{fault}</p>
        </Notice>
      )}
      {ramp !== null && <RampCard screen={screen} ramp={ramp} />}
      {experiment !== null && <ExperimentCard screen={screen} experiment={experiment} />}
      {scheduled.length > 0 && <Scheduled screen={screen} />}
      {isFree && (
        <MayChange environments={[environment]}>
          <ReleaseCard screen={screen} release={shownRelease(screen, timeZone)} />
        </MayChange>
      )}
    </>
  );
}

const TONES: Record<Ramp["status"], Tone> = {
  running: "info",
  paused: "warn",
  completed: "good",
  aborted: "neutral",
};

/** A release step by step: its ladder, its guards, and what may be done with it. One that has ended is folded. */
function RampCard({ screen, ramp }: { screen: Screen; ramp: Ramp }) {
  const { environment, typed } = screen;
  const fault = typed.ramp?.faults[""];
  const isOver = !isHeld(ramp);
  const head = (
    <>
      <h2 id="ramp">Step by step</h2>
      <EnvironmentName environment={environment} />
      <Badge tone={TONES[ramp.status]}>{rampStatusInWords(ramp)}</Badge>
    </>
  );
  const course = <Course ramp={ramp} project={screen.place.project} />;
  if (isOver && fault === undefined)
    return (
      <details class="card" id="ramp-card">
        <summary class="title">
          {head}
          <span class="end soft small">
            {ramp.share} % got <Foreign text={ramp.variant} />
          </span>
        </summary>
        {course}
      </details>
    );
  return (
    <section class="card" aria-labelledby="ramp" id="ramp-card">
      <div class="title">{head}</div>
      {fault && (
        <Notice tone="bad">
          <p>{fault}</p>
        </Notice>
      )}
      {course}
      <MayChange environments={[environment]}>{!isOver && <Actions screen={screen} ramp={ramp} />}</MayChange>
    </section>
  );
}

function Course({ ramp, project }: { ramp: Ramp; project: string }) {
  const { variant, share, every, steps, nextAt, guards, onGuard, who, why, createdAt } = ramp;
  const next = nextShare(ramp);
  const at = steps.findLastIndex(({ doneAt }) => doneAt !== null);
  const forms = guards.flatMap((guard) => /^submissions:(\S+)/.exec(guard)?.[1] ?? []);
  const mayForms = useMay("forms:read", { project });
  return (
    <>
      <p>
        {share} % get <Foreign text={variant} />
        {next !== null && (
          <>
            , {next} % {nextAt === null ? "once resumed" : <Time at={Date.parse(nextAt)} />}
            {nextAt !== null && (
              <span class="soft small">
                {" "}
                (<ExactTime at={Date.parse(nextAt)} />)
              </span>
            )}
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
            <small>
              {step.within !== undefined && steps.some(({ within }) => within === undefined) && "of some, "}
              {step.doneAt !== null ? (
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

function Actions({ screen: { place, typed }, ramp }: { screen: Screen; ramp: Ramp }) {
  const { flag, environment } = place;
  const next = nextShare(ramp);
  const isRunning = ramp.status === "running";
  const [act, label] = isRunning
    ? ["pause", `Hold at ${ramp.share} %`]
    : ["resume", `Go on${next === null ? "" : ` to ${next} %`}`];
  return (
    <Form to={rampPath(place)} class="stack" id="ramp-form" label={`Ramp of ${flag} in ${environment}`}>
      <WhyField id="ramp-why" value={typedAt(typed.ramp, "why").value} />
      <p class="buttons">
        <Button kind="primary" name="do" value={act}>
          {label}
        </Button>
        <Button name="do" value="keep">
          Keep {ramp.share} % and end
        </Button>
        <Button kind="danger" name="do" value="abort">
          Back to what was before
        </Button>
      </p>
    </Form>
  );
}

function ExperimentCard({
  screen: { place, environment },
  experiment,
}: {
  screen: Screen;
  experiment: NonNullable<Screen["experiment"]>;
}) {
  const { name, status, reason, split, startedAt, hypothesis } = experiment;
  return (
    <section class="card" aria-labelledby="experiment" id="experiment-card">
      <div class="title">
        <h2 id="experiment">Experiment</h2>
        <EnvironmentName environment={environment} />
        <Badge tone={status === "paused" ? "warn" : "info"}>{rampStatusInWords({ status, reason })}</Badge>
      </div>
      <p>
        <Foreign text={hypothesis ?? `${name} compares ${Object.keys(split).join(" and ")}.`} />{" "}
        {startedAt !== null && (
          <span class="soft small">
            since <Time at={Date.parse(startedAt)} />
          </span>
        )}
      </p>
      <p class="buttons">
        <ButtonLink
          kind="primary"
          to={experimentPath({ project: place.project, environment: place.environment, experiment: name })}
        >
          Results, and how it ends
        </ButtonLink>
      </p>
    </section>
  );
}
