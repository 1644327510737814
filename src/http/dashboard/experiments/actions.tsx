import type { viewExperiment } from "../../../experiments/experiment.ts";
import type { Results } from "../../../experiments/results.ts";
import type { Environment } from "../../../projects/environment.ts";
import { Danger } from "../parts/danger.tsx";
import { SelectField, TextField, WhyField } from "../parts/field.tsx";
import { Button, Form } from "../parts/link.tsx";
import type { Faults } from "../parts/submit.ts";
import { experimentPath } from "../paths.ts";

/** How a variant is shipped, as it was typed. */
export type ShipDraft = { variant: string; to: string; every: string; why: string };

export type Shown = {
  project: string;
  environment: Environment;
  experiment: ReturnType<typeof viewExperiment>;
  results: Results;
  /** Faults of what was typed; the empty name is a refused step. */
  draft?: ShipDraft;
  faults?: Faults;
};

/** The winner, else the first variant that is not the control. */
export function shipped({ results, experiment: { split, control } }: Shown): string {
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
export function Steps(shown: Shown) {
  const { experiment, environment, draft } = shown;
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
        <WhyField id="step-why" value={draft?.why} />
      </div>
    </Form>
  );
}

/** The ends of an experiment that holds its flag. */
export function Ending(shown: Shown) {
  const { experiment, draft, faults = {} } = shown;
  const to = experimentPath(placeOf(shown));
  return (
    <>
      <details class="card" open={draft !== undefined} id="ship">
        <summary>Ship a variant…</summary>
        <Danger
          to={`${to}/ship`}
          why={draft?.why ?? ""}
          whyId="ship-why"
          kind="primary"
          act={`End ${experiment.name} and ship the variant`}
        >
          <p>The experiment ends, and everyone gets the variant, at once or by the steps of a ramp.</p>
          <SelectField
            name="variant"
            label="Variant for everyone"
            value={draft?.variant ?? shipped(shown)}
            options={Object.keys(experiment.split).map((name) => ({ value: name, label: name }))}
            error={faults["variant"]}
          />
          <div class="columns">
            <TextField
              name="to"
              label="Shares of a ramp"
              hint="In percent, such as 75, 100. Empty: everyone at once."
              value={draft?.to}
              error={faults["to"]}
            />
            <TextField
              name="every"
              label="A step every"
              hint="Such as 30m, 12h or 1d"
              value={draft?.every ?? "1d"}
              error={faults["every"]}
            />
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

export function Deletion(shown: Shown) {
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
