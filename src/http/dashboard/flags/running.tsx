import { capital } from "../../../base/shapes/words.ts";
import { stepInWords } from "../../../flags/audience.ts";
import type { FlagPlace } from "../../../flags/flag.ts";
import { settled } from "../../../flags/ramps/ramp-plan.ts";
import type { rampSchema } from "../../../flags/ramps/ramp-schema.ts";
import { rampInWords, rampStatusInWords } from "../../../flags/ramps/ramp-words.ts";
import { isHeld } from "../../../flags/ramps/ramp.ts";
import { viewRamp } from "../../../flags/ramps/ramp-view.ts";
import { verbOf } from "../../../flags/release/release-words.ts";
import type { Operation } from "../../../operations/operation.ts";
import { ramps } from "../../../operations/ramps.ts";
import { RampActions, RampCourse } from "../changes/ramp.tsx";
import { undoOf } from "../changes/revision-card.tsx";
import { chosenOf, textOf } from "../fields.ts";
import { MayChange } from "../parts/confirm.tsx";
import { WhyField } from "../parts/field.tsx";
import { ButtonLink } from "../parts/link.tsx";
import { Badge, EnvironmentName, type Tone } from "../parts/status.tsx";
import { typedAt } from "../parts/submit.ts";
import { Foreign, visible } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { experimentPath, pathTo, rampPath, RELEASES, SETTING, settingPath } from "../paths.ts";
import type { Dashboard, Sent } from "../routes.ts";
import { useView } from "../view.ts";
import { Problem } from "./flag-facts.tsx";
import { Scheduled } from "./now.tsx";
import { ReleaseCard } from "./release.tsx";
import { shownRelease } from "./releasing.tsx";
import { type Again, confirmationOf, recordIn, type Screen } from "./screen.tsx";

type Ramp = ReturnType<typeof viewRamp>;

/** An act on a ramp: its verb, the words for it once it is done, and the act that takes it back. */
type RampAct = {
  operation: Operation<{ output: typeof rampSchema }>;
  verb: string;
  done: string;
  back?: "pause" | "resume";
  body?: object;
  /** Whether it changes the flag, which its undo takes back. */
  isStep?: boolean;
};

/** Takes the forms of the ramp of a flag; `again` shows the screen of the flag with what was typed. */
export function rampRoutes({ app, act, post }: Dashboard, again: Again) {
  const handler = ({ operation, verb, done, back, body, isStep }: RampAct) =>
    act({
      operation,
      input: ({ fields, names }: Sent<FlagPlace>) => ({
        names,
        ...(body && { body: { keep: textOf(fields, "keep") === "on", ...body } }),
      }),
      async done({ share, steps, variant }, { fields, names }) {
        const to =
          textOf(fields, "back") === "releases"
            ? pathTo(RELEASES, { project: names.project })
            : settingPath(names);
        const now = stepInWords(steps, share);
        const text = `The ramp of ${names.flag} in ${names.environment} is ${done}: ${now} ${verbOf(now)} ${variant}.`;
        const undo = isStep
          ? undoOf(names, await recordIn(app, names))
          : back && { to: rampPath(names), values: { do: back } };
        return { to, text, undo };
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
    next: handler({ operation: ramps.next, verb: "Advance", done: "a step further", isStep: true }),
    finish: handler({ operation: ramps.finish, verb: "Finish", done: "finished", isStep: true }),
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
      <Problem fault={fault} />
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
  const course = <RampCourse ramp={ramp} project={screen.place.project} readings={screen.readings} />;
  if (isOver && fault === undefined)
    return (
      <details class="card" id="ramp-card">
        <summary class="title">
          {head}
          <span class="end soft small">
            {visible(capital(stepInWords(ramp.steps, ramp.share)))} got <Foreign text={ramp.variant} />
          </span>
        </summary>
        {course}
      </details>
    );
  return (
    <section class="card" aria-labelledby="ramp" id="ramp-card">
      <div class="title">{head}</div>
      <Problem fault={fault} />
      {course}
      <MayChange environments={[environment]}>
        {!isOver && (
          <RampActions place={screen.place} ramp={ramp} id="ramp-form">
            <WhyField id="ramp-why" value={typedAt(typed.ramp, "why").value} />
          </RampActions>
        )}
      </MayChange>
    </section>
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
