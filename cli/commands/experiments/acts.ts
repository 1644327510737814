import { DESIGN, SHIP } from "../../../src/experiments/experiment-card.ts";
import { experiments as operations } from "../../../src/operations/experiments.ts";
import { shown } from "../../output/text.ts";
import { givenIn, optionsOf } from "../../session/card.ts";
import { Proposed } from "../../session/client.ts";
import type { Input } from "../../../src/operations/operation.ts";
import type { Session } from "../../session/session.ts";
import { usage } from "../../session/usage.ts";
import { inEnvironment, verb } from "../../session/verb.ts";

/** An experiment of an environment, by its name. */
export const EXPERIMENT = {
  argument: ["[name]", "name of the experiment"],
  options: ["project", "environment"],
  parse: inEnvironment("experiment"),
} as const;

type Place = Awaited<ReturnType<typeof EXPERIMENT.parse>>;

/** `experiment headline in shop/production`. */
function inWords({ project, environment, experiment }: Place): string {
  return `experiment ${experiment} in ${project}/${environment}`;
}

const DESIGNED = [...EXPERIMENT.options, ...optionsOf(DESIGN), "why"] as const;

export const addCreate = verb("create", {
  argument: EXPERIMENT.argument,
  description: "create an experiment that compares the variants of a flag by what visitors do",
  options: [
    ["--flag <flag>", "flag whose users are split among its variants"],
    ...DESIGNED,
    ["--start", "start it at once"],
  ],
  help: `
A draft changes nothing. When you start it, it turns the flag on, splits the users who match no condition of the flag,
and counts what visitors do. Until it ends, no other experiment and no ramp can start on the flag (exit 5).

Examples:
  formflag experiments create headline -p shop -e production --flag hero --metric submissions:contact
  formflag experiments create headline -p shop -e production --flag hero --metric event:signup --split a:80,b:20 \\
    --guard 'event:error rises 0%' --start
`,
  parse: async (input, given) => {
    const { flag, start } = input.options as { flag?: string; start?: true };
    const place = await EXPERIMENT.parse(input, given);
    if (flag === undefined) throw usage("the flag is missing", "give it with --flag <flag>");
    const { metrics, ...design } = await givenIn(DESIGN, input);
    if (metrics === undefined)
      throw usage(
        "the metric is missing",
        "give it with --metric submissions:<form>, or --metric event:<name>",
      );
    const body = { name: place.experiment, flag, ...design, metrics };
    return { place, body, starts: start === true };
  },
  run: async (session, { place, body, starts }) => {
    if (starts) return startNew(session, place, body);
    const { experiment: _, ...names } = place;
    const created = await session.client.call(operations.create, { names, body });
    await session.report({ ...created, result: "created" }, shown`created ${inWords(place)}\n`);
  },
});

type NewExperiment = Required<Input<Awaited<ReturnType<typeof operations.create.schemas>>, string>>["body"];

/** Creates an experiment and starts it, or with null for its body starts the draft of that name. */
export async function startNew(
  { client, report, note }: Session,
  place: Place,
  body: NewExperiment | null,
): Promise<void> {
  const { experiment: _, ...names } = place;
  // A draft changes no flag: the start alone is proposed, or bypasses approvals.
  if (body !== null) await client.call(operations.create, { names, body, isStep: true });
  const started = await client.call(operations.start, { names: place }).catch(async (error: unknown) => {
    if (body === null) throw error;
    if (error instanceof Proposed) note(shown`created ${inWords(place)}, a draft\n`);
    // A refused command leaves nothing.
    else await client.call(operations.delete, { names: place, isStep: true });
    throw error;
  });
  const result = body === null ? "started" : "created";
  await report(
    { ...started, result },
    shown`${result === "created" ? "created and " : ""}started ${inWords(place)}\n`,
  );
}

export const addSet = verb("set", {
  argument: EXPERIMENT.argument,
  description: "change a draft, or the hypothesis of an experiment that was started",
  options: DESIGNED,
  parse: async (input, given) => ({
    names: await EXPERIMENT.parse(input, given),
    body: await givenIn(DESIGN, input),
  }),
  run: async ({ client, report }, { names, body }) => {
    if (Object.keys(body).length === 0)
      throw usage("nothing to change", "name a setting, such as --hypothesis");
    const experiment = await client.call(operations.set, { names, body });
    await report({ ...experiment, result: "updated" }, shown`updated ${inWords(names)}\n`);
  },
});

/** The verbs that change the state of an experiment. */
export const STATES = (
  [
    ["start", "started", "start a draft: split the users of the flag, and count"],
    ["pause", "paused", "stop counting until it is resumed; the flag stays as it is"],
    ["resume", "resumed", "continue a paused experiment with the same split"],
    ["stop", "stopped", "end an experiment, and restore its flag unless the flag was changed since"],
  ] as const
).map(([name, result, description]) =>
  verb(name, {
    ...EXPERIMENT,
    description,
    options: [...EXPERIMENT.options, "why"],
    run: async ({ client, report }, names) => {
      const experiment = await client.call(operations[name], { names });
      await report({ ...experiment, result }, shown`${result} ${inWords(names)}\n`);
    },
  }),
);

export const addShip = verb("ship", {
  argument: EXPERIMENT.argument,
  description: "end an experiment and serve one variant to everyone, at once or by a ramp",
  options: [...EXPERIMENT.options, ...optionsOf(SHIP), "why"],
  help: `
An experiment that has counted no visitor is shipped with --yes, or after a question.

Examples:
  formflag experiments ship headline -p shop -e production --variant b
  formflag experiments ship headline -p shop -e production --variant b --to 75,100 --every 1d
`,
  parse: async (input, given) => {
    const names = await EXPERIMENT.parse(input, given);
    const { every, ...body } = await givenIn(SHIP, input);
    if (body.variant === undefined) throw usage("the variant is missing", "give it with --variant <variant>");
    if (body.to === undefined && every !== undefined)
      throw usage("--every is for --to", "write --to 50,100 --every 1d");
    return { names, body: { ...body, every } };
  },
  run: async (session, { names, body }) => {
    await confirmUncounted(session, names, body.variant);
    const shipped = await session.client.call(operations.ship, { names, body });
    const how = body.to ? ` by ${body.to.join(" %, ")} %` : " to everyone";
    await session.report(
      { ...shipped, result: "shipped" },
      shown`shipped ${body.variant} of ${inWords(names)}${how}\n`,
    );
  },
});

/** Returns if visitors were counted, or the person ships all the same. Throws as `confirm`, and `invalid` without a terminal. */
async function confirmUncounted(
  { client, config, canPrompt, confirm }: Session,
  place: Place,
  variant: string,
): Promise<void> {
  if (config.yes || config.propose !== undefined) return;
  const { metrics } = await client.call(operations.results, { names: place });
  if (metrics.some(({ variants }) => variants.some(({ visitors }) => visitors > 0))) return;
  const what = shown`experiment ${place.experiment} has counted no visitor`;
  if (!canPrompt())
    throw usage(
      `${what}, and confirming needs a terminal`,
      shown`add --yes to ship ${variant} all the same, or look at formflag experiments results`,
    );
  await confirm(`${what}. Ship ${variant} all the same?`);
}
