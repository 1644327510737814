import { holdsFlag, type viewExperiment } from "../../../experiments/experiment.ts";
import { rampStatusInWords } from "../../../flags/ramps/ramp-words.ts";
import { stateInWords } from "../../../experiments/result-words.ts";
import type { Results } from "../../../experiments/results.ts";
import type { Page } from "../page.tsx";
import { Card, Facts } from "../parts/card.tsx";
import { MayChange } from "../parts/confirm.tsx";
import { A, Button, ButtonLink, Form } from "../parts/link.tsx";
import { Badge, EnvironmentName, Notice, type Tone } from "../parts/status.tsx";
import { Foreign, counted } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { RELEASES, experimentPath, pathTo, projectPath, settingPath } from "../paths.ts";
import { projectPage } from "../project/project-page.tsx";
import { Method, MetricCard } from "./results.tsx";
import { SHIP } from "../../../experiments/experiment-card.ts";
import type { Environment } from "../../../projects/environment.ts";
import { Danger } from "../parts/danger.tsx";
import { SelectField, WhyField } from "../parts/field.tsx";
import { CardFields } from "../parts/kind-field.tsx";
import { type Faults, type Typed, typedAt } from "../parts/submit.ts";

export function experimentPage(shown: Shown): Page {
  const { project, environment, experiment, faults } = shown;
  const place = { p: project, e: environment.slug };
  const { name, status } = experiment;
  return projectPage({
    project,
    tab: "releases",
    title: `Experiment ${name} in ${environment.slug}`,
    heading: name,
    back: { to: pathTo(RELEASES, { project }), label: "Releases" },
    actions: (
      <ButtonLink
        to={`${projectPath(project)}/history`}
        query={{ kind: "experiment", name, environment: environment.slug }}
        icon="history"
      >
        History
      </ButtonLink>
    ),
    ...(faults && { status: 422 as const }),
    commands: [
      ["Shows the results", "experiments results", name, place],
      status === "draft"
        ? ["Starts it", "experiments start", name, place]
        : [
            "Ends it with a variant for everyone",
            "experiments ship",
            name,
            place,
            { variant: shipped(shown) },
          ],
    ],
    content: <Experiment {...shown} />,
  });
}

function toneOf({ ratio, winner, status }: Results): Tone {
  if (status === "draft") return "neutral";
  return ratio.alarm ? "bad" : winner === null ? "info" : "good";
}

function Experiment(shown: Shown) {
  const { environment, experiment, results, faults = {} } = shown;
  return (
    <div class="stack">
      {faults[""] && (
        <Notice tone="bad">
          <p>{faults[""]}</p>
        </Notice>
      )}
      <Notice tone={toneOf(results)} {...(results.ratio.alarm && { title: "The split is off" })}>
        <p>
          <Foreign text={stateInWords(results)} />
        </p>
      </Notice>
      {experiment.status === "draft" && (
        <MayChange environments={[environment]}>
          <Steps {...shown} />
        </MayChange>
      )}
      <About {...shown} />
      {results.metrics.map((metric, index) => (
        <MetricCard metric={metric} index={index} />
      ))}
      <Method results={results} />
      <MayChange environments={[environment]}>
        {holdsFlag(experiment) ? (
          <>
            <Steps {...shown} />
            <Ending {...shown} />
          </>
        ) : (
          <Deletion {...shown} />
        )}
      </MayChange>
    </div>
  );
}

const TONES: Record<Shown["experiment"]["status"], Tone> = {
  draft: "neutral",
  running: "info",
  paused: "warn",
  ended: "neutral",
};

function About({ project, environment, experiment, results: { days } }: Shown) {
  const { flag, hypothesis, split, control, minDays, guards, onGuard, startedAt, endedAt, who, why } =
    experiment;
  const total = Object.values(split).reduce((sum, weight) => sum + weight, 0);
  const shares = Object.entries(split).map(
    ([variant, weight]) => `${variant} ${Math.round((weight / total) * 1000) / 10} %`,
  );
  return (
    <Card
      id="about"
      title={
        <>
          <EnvironmentName environment={environment} />
          <Badge tone={TONES[experiment.status]}>{rampStatusInWords(experiment)}</Badge>
        </>
      }
    >
      {hypothesis !== null && (
        <blockquote>
          <Foreign text={hypothesis} />
        </blockquote>
      )}
      <Facts
        class="row"
        facts={[
          ["Flag", <A to={settingPath({ project, environment: environment.slug, flag })}>{flag}</A>],
          ["Split", <Foreign text={shares.join(", ")} />],
          ["Control", <Foreign text={control} />],
          startedAt !== null && ["Started", <Time at={Date.parse(startedAt)} />],
          endedAt !== null && [
            "Ended",
            <>
              <Time at={Date.parse(endedAt)} />, after {counted(days, "day")}
            </>,
          ],
          minDays > 0 && ["Winner", `after ${counted(minDays, "day")} at the earliest`],
          guards.length > 0 && ["Guards", `${guards.join(", ")}: ${onGuard}`],
          [
            "Created by",
            <>
              <Foreign text={who} />
              {why !== null && (
                <>
                  : <Foreign text={why} />
                </>
              )}
            </>,
          ],
        ]}
      />
    </Card>
  );
}

export type Shown = {
  project: string;
  environment: Environment;
  experiment: ReturnType<typeof viewExperiment>;
  results: Results;
  /** How a variant is shipped, as it was typed. */
  typed?: Typed;
  /** Faults of a refused step, which has the empty name. */
  faults?: Faults;
};

/** The winner, else the first variant that is not the control. */
function shipped({ results, experiment: { split, control } }: Shown): string {
  return results.winner ?? Object.keys(split).find((variant) => variant !== control)!;
}

/** The place of the experiment of a page. */
function placeOf({ project, environment, experiment }: Shown) {
  return { project, environment: environment.slug, experiment: experiment.name };
}

const STEPS = {
  draft: ["start", "Start"],
  running: ["pause", "Pause"],
  paused: ["resume", "Resume"],
} as const;

/** The next step of an experiment. */
function Steps(shown: Shown) {
  const { experiment, environment, typed } = shown;
  if (experiment.status === "ended") return null;
  const [step, label] = STEPS[experiment.status];
  return (
    <Form
      to={`${experimentPath(placeOf(shown))}/state`}
      values={{ do: step }}
      class="card stack"
      id="step"
      label={`${label} the experiment`}
    >
      {step === "start" && (
        <p>
          The start splits the users of {experiment.flag} for whom no condition holds, and turns it on in{" "}
          {environment.slug}.
        </p>
      )}
      <div class="filters">
        <Button kind="primary">
          {label} the experiment in {environment.slug}
        </Button>
        <WhyField id="step-why" value={typedAt(typed, "why").value} />
      </div>
    </Form>
  );
}

/** The ends of an experiment that holds its flag. */
function Ending(shown: Shown) {
  const { experiment, typed } = shown;
  const { to: shares, every } = SHIP;
  const to = experimentPath(placeOf(shown));
  return (
    <>
      <details class="card" open={typed !== undefined} id="ship">
        <summary>Ship a variant…</summary>
        <Danger
          to={`${to}/ship`}
          why={typedAt(typed, "why").value}
          whyId="ship-why"
          kind="primary"
          act={`End ${experiment.name} and ship the variant`}
        >
          <p>The experiment ends, and everyone gets the variant, at once or by the steps of a ramp.</p>
          <SelectField
            {...typedAt(typed, "variant", shipped(shown))}
            label="Variant for everyone"
            options={Object.keys(experiment.split).map((name) => ({ value: name, label: name }))}
          />
          <div class="columns">
            <CardFields card={{ to: shares, every }} typed={typed ?? null} />
          </div>
        </Danger>
      </details>
      <details class="card" id="stop">
        <summary>Stop…</summary>
        <Danger
          to={`${to}/state`}
          values={{ do: "stop" }}
          why=""
          whyId="stop-why"
          act={`Stop ${experiment.name}`}
        >
          <p>The experiment ends, and {experiment.flag} is as before it, unless it was changed since.</p>
        </Danger>
      </details>
    </>
  );
}

function Deletion(shown: Shown) {
  const { name } = shown.experiment;
  return (
    <details class="card" id="delete">
      <summary>Delete…</summary>
      <Danger
        to={`${experimentPath(placeOf(shown))}/delete`}
        why=""
        whyId="delete-why"
        act={`Delete ${name}`}
      >
        <p>The experiment is deleted with its results.</p>
      </Danger>
    </details>
  );
}
