import type { App } from "../../../app.ts";
import { SHIP } from "../../../experiments/experiment-card.ts";
import { viewExperiment } from "../../../experiments/experiment.ts";
import { getExperiment } from "../../../experiments/experiments.ts";
import { readResults } from "../../../experiments/results.ts";
import { experiments } from "../../../operations/experiments.ts";
import { getEnvironment } from "../../../projects/environments.ts";
import { type Fields, chosenOf, textOf } from "../fields.ts";
import { type Confirmation, lastChange } from "../parts/confirm.tsx";
import { givenIn } from "../parts/kind-field.tsx";
import type { Faults } from "../parts/submit.ts";
import { EXPERIMENT, RELEASES, type ParametersOf, experimentPath, pathTo } from "../paths.ts";
import type { Dashboard, Sent } from "../routes.ts";
import type { Shown } from "./experiment-page.tsx";
import { experimentPage } from "./experiment-page.tsx";

type Place = ParametersOf<typeof EXPERIMENT>;

/** The steps of an experiment: what each is called, and the step back. */
const STEPS = {
  start: { label: "Start", done: "started", back: null },
  pause: { label: "Pause", done: "paused", back: "resume" },
  resume: { label: "Resume", done: "resumed", back: "pause" },
  stop: { label: "Stop", done: "stopped", back: null },
} as const;

export function experimentRoutes({ app, get, post, act }: Dashboard) {
  /** The shared part of each act on an experiment: a refusal is shown on its page. */
  const shared = (label: (fields: Fields) => string) => ({
    input: ({ names }: Sent<Place>) => ({ names }),
    confirm: ({ fields, names }: Sent<Place>) => describe(app, names, label(fields)),
    again: async ({ names }: Sent<Place>, faults: Faults) =>
      experimentPage({ ...(await read(app, names)), faults }),
    at: { conflict: "", invalid: "", "flag-not-found": "" },
  });
  const step = (name: keyof typeof STEPS) => {
    const { label, done, back } = STEPS[name];
    return act({
      ...shared(() => label),
      operation: experiments[name],
      done: (_, { names }) => ({
        to: experimentPath(names),
        text: `The experiment ${names.experiment} is ${done}.`,
        undo: back === null ? undefined : { to: `${experimentPath(names)}/state`, values: { do: back } },
      }),
    });
  };
  const steps = { start: step("start"), pause: step("pause"), resume: step("resume"), stop: step("stop") };

  get(EXPERIMENT, "flags:read", async (_, place) => experimentPage(await read(app, place)));
  post(`${EXPERIMENT}/state`, "flags:write", (c, fields, place) => chosenOf(steps, fields)(c, fields, place));
  const shipping = shared((fields) => `Ship ${textOf(fields, "variant")} of`);
  post(
    `${EXPERIMENT}/ship`,
    "flags:write",
    act({
      ...shipping,
      operation: experiments.ship,
      input: ({ fields, names }) => ({ names, body: shippingIn(fields) }),
      done(_, { fields, names }) {
        const { variant, to } = shippingIn(fields);
        const how = to ? `goes to ${to.join(" %, ")} % of users` : "is for everyone";
        return {
          to: experimentPath(names),
          text: `The experiment ${names.experiment} has ended: ${variant} ${how}.`,
        };
      },
      again: async ({ fields, names }, faults) =>
        experimentPage({ ...(await read(app, names)), faults, typed: { fields, faults } }),
      at: { ...shipping.at, "ramp-variant": "variant", invalid: "to" },
    }),
  );
  post(
    `${EXPERIMENT}/delete`,
    "flags:write",
    act({
      ...shared(() => "Delete"),
      operation: experiments.delete,
      done: (_, { names: { project, experiment } }) => ({
        to: pathTo(RELEASES, { project }),
        text: `The experiment ${experiment} is deleted.`,
      }),
    }),
  );
}

/** Throws `not_found`. */
async function read(app: App, place: Place): Promise<Shown> {
  const [environment, experiment, results] = await Promise.all([
    getEnvironment(app, place.project, place.environment),
    getExperiment(app, place),
    readResults(app, place),
  ]);
  return { project: place.project, environment, experiment: viewExperiment(experiment), results };
}

/** Throws the faults of fields. */
function shippingIn(fields: Fields) {
  const { every, ...shipping } = givenIn(SHIP, fields, 0);
  return "to" in shipping ? { ...shipping, every } : shipping;
}

async function describe(app: App, place: Place, label: string): Promise<Confirmation> {
  const { project, environment: slug, experiment: name } = place;
  const [environment, { flag }] = await Promise.all([
    getEnvironment(app, project, slug),
    getExperiment(app, place),
  ]);
  return {
    title: `Confirm: experiment ${name} in ${slug}, ${project}`,
    label: `${label} ${name} in ${slug}`,
    environments: [environment],
    change: (
      <p>
        {label} {name}, an experiment on {flag}.
      </p>
    ),
    last: await lastChange(app, project, { kind: "flag", name: flag, environment: slug }),
    back: { to: experimentPath(place), label: name },
  };
}
