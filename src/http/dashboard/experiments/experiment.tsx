import type { App } from "../../../app.ts";
import { parseDuration } from "../../../base/units.ts";
import { viewExperiment } from "../../../experiments/experiment.ts";
import { deleteExperiment, findExperiment } from "../../../experiments/experiments.ts";
import {
  pauseExperiment,
  resumeExperiment,
  startExperiment,
  stopExperiment,
} from "../../../experiments/lifecycle.ts";
import { settled } from "../../../experiments/plan.ts";
import { countsNow, resultsOf } from "../../../experiments/results.ts";
import { shipExperiment } from "../../../experiments/shipping.ts";
import { findStepsFault } from "../../../flags/ramps/ramp.ts";
import { parseShares } from "../../../flags/ramps/ramp-words.ts";
import { experiments } from "../../../operations/experiments.ts";
import { getEnvironment } from "../../../projects/environments.ts";
import { type Fields, oneOf, textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { type Confirmation, confirmed, lastChange } from "../parts/confirm.tsx";
import { faultAt, submit } from "../parts/submit.ts";
import { EXPERIMENT, EXPERIMENTS, type ParametersOf, experimentPath, pathTo } from "../paths.ts";
import type { Dashboard, Done } from "../routes.ts";
import type { ShipDraft, Shown } from "./actions.tsx";
import { experimentPage } from "./experiment-page.tsx";

type Place = ParametersOf<typeof EXPERIMENT>;

/** The steps of an experiment: what does it, what it is called, the step back. */
const STEPS = {
  start: { act: startExperiment, label: "Start", done: "started", back: null },
  pause: { act: pauseExperiment, label: "Pause", done: "paused", back: "resume" },
  resume: { act: resumeExperiment, label: "Resume", done: "resumed", back: "pause" },
  stop: { act: stopExperiment, label: "Stop", done: "stopped", back: null },
} as const;

const STEP_NAMES = ["start", "pause", "resume", "stop"] as const;

export function experimentRoutes({ app, get, post }: Dashboard) {
  get(EXPERIMENT, "flags:read", async (_, place) => experimentPage(await read(app, place)));
  post(`${EXPERIMENT}/state`, "flags:write", async (c, fields, place) => {
    const caller = c.get("caller");
    const step = oneOf("a step", STEP_NAMES, textOf(fields, "do"));
    const { act, label, done, back } = STEPS[step];
    const run = async (): Promise<Done> => {
      await act(app, caller, place);
      const undo = back === null ? undefined : { to: `${experimentPath(place)}/state`, values: { do: back } };
      return { to: experimentPath(place), text: `The experiment ${place.experiment} is ${done}.`, undo };
    };
    return submit<Done | Page>(
      () =>
        confirmed(fields, run, () => describe(app, place, label), {
          app,
          caller,
          operation: experiments[step],
          names: place,
        }),
      (faults) => again(app, place, faults),
      REFUSALS,
    );
  });
  post(`${EXPERIMENT}/ship`, "flags:write", async (c, fields, place) => {
    const caller = c.get("caller");
    const draft = shipIn(fields);
    return submit<Done | Page>(
      () => {
        const body = shippingOf(draft);
        const run = async (): Promise<Done> => {
          await shipExperiment(app, caller, place, body);
          const how = body.to ? `goes to ${body.to.join(" %, ")} % of users` : "is for everybody";
          const text = `The experiment ${place.experiment} has ended: ${body.variant} ${how}.`;
          return { to: experimentPath(place), text };
        };
        return confirmed(fields, run, () => describe(app, place, `Ship ${draft.variant} of`), {
          app,
          caller,
          operation: experiments.ship,
          names: place,
          body,
        });
      },
      (faults) => again(app, place, faults, draft),
      { ...REFUSALS, "ramp-variant": "variant", invalid: "to" },
    );
  });
  post(`${EXPERIMENT}/delete`, "flags:write", async (c, fields, place) =>
    submit<Done | Page>(
      () =>
        confirmed(
          fields,
          async (): Promise<Done> => {
            await deleteExperiment(app, c.get("caller"), place);
            const to = pathTo(EXPERIMENTS, { project: place.project });
            return { to, text: `The experiment ${place.experiment} is deleted.` };
          },
          () => describe(app, place, "Delete"),
        ),
      (faults) => again(app, place, faults),
      REFUSALS,
    ),
  );
}

/** A refused step is told on the page of the experiment. */
const REFUSALS = { conflict: "", invalid: "", "flag-not-found": "" };

async function again(
  app: App,
  place: Place,
  faults: Shown["faults"] & object,
  draft?: ShipDraft,
): Promise<Page> {
  return experimentPage({ ...(await read(app, place)), faults, ...(draft && { draft }) });
}

/** Throws `not_found`. */
async function read(app: App, place: Place): Promise<Shown> {
  const environment = await getEnvironment(app, place.project, place.environment);
  const found = await findExperiment(app, place);
  const experiment = settled(found);
  const counts = await countsNow(app, place.project, found.experiment);
  return {
    project: place.project,
    environment,
    experiment: viewExperiment(experiment),
    results: resultsOf(experiment, counts, app.now()),
  };
}

function shipIn(fields: Fields): ShipDraft {
  const text = (name: string) => textOf(fields, name).trim();
  return { variant: text("variant"), to: text("to"), every: text("every"), why: text("why") };
}

/** Throws the fault of a field. */
function shippingOf({ variant, to, every }: ShipDraft) {
  if (to === "") return { variant };
  const shares = parseShares(to);
  if (!shares) throw faultAt("to", "write percentages with commas, such as 75, 100");
  const fault = findStepsFault(shares);
  if (fault !== undefined) throw faultAt("to", fault);
  const seconds = parseDuration(every);
  if (seconds === undefined) throw faultAt("every", "write a time such as 30m, 12h or 1d");
  return { variant, to: shares, every: seconds };
}

async function describe(app: App, place: Place, label: string): Promise<Confirmation> {
  const { environment, experiment } = await read(app, place);
  const { slug } = environment;
  const { name, flag } = experiment;
  return {
    title: `Confirm: experiment ${name} in ${slug}, ${place.project}`,
    label: `${label} ${name} in ${slug}`,
    environments: [environment],
    change: (
      <p>
        {label} {name}, an experiment on {flag}.
      </p>
    ),
    last: await lastChange(app, place.project, { kind: "flag", name: flag, environment: slug }),
    back: { to: experimentPath(place), label: name },
  };
}
