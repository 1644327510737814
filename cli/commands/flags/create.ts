import { AppError } from "../../../src/base/errors.ts";
import { flags as operations } from "../../../src/operations/flags.ts";
import { shown } from "../../output/text.ts";
import type { Client } from "../../session/client.ts";
import { ifNotExistsOption } from "../../session/create.ts";
import { usage } from "../../session/usage.ts";
import { FLAG_OPTIONS, readChange, setFlags, tagOption } from "./set.ts";
import { verb } from "../../session/verb.ts";

export const addCreateCommand = verb("create", {
  argument: ["[flag]", "slug of the new flag"],
  description: "create a flag, in every environment of its project and off unless --on is given",
  options: [...FLAG_OPTIONS, tagOption(), ifNotExistsOption("the flag"), "why"],
  help: `
The values apply to the environments of -e. Without -e, the flag is off and has no values in every environment.

Examples:
  formflag flags create new-checkout -p shop
  formflag flags create banner -p shop -e develop --on --payload '{"text":"Hello"}'
`,
  parse: async (input, given) => {
    const { project: _, environment, ifNotExists, why: __, ...values } = input.options;
    const flag = await input.need(given, "flag");
    const project = await input.project();
    const isPlaced =
      environment !== undefined ||
      Object.keys(values).some((name) => name !== "description" && name !== "tag");
    return {
      project,
      flag,
      environments: isPlaced ? await input.environments(project) : null,
      change: await readChange(input),
      ifNotExists: ifNotExists === true,
    };
  },
  run: async (session, values) => {
    const { project, flag, change, ifNotExists } = values;
    const places = values.environments ?? [await firstOf(session.client, project)];
    if (await exists(session.client, { project, environment: places[0]!, flag })) {
      if (!ifNotExists)
        throw new AppError("conflict", `flag "${flag}" already exists in project "${project}"`, {
          reason: "flag-exists",
        });
      return session.report({ slug: flag, result: "unchanged" }, shown`unchanged flag ${flag}\n`);
    }
    await setFlags(session, {
      shared: null,
      places: places.map((environment) => ({ project, environment, flag })),
      change,
      schedule: null,
      lasts: null,
      ramp: null,
      named: undefined,
    });
  },
});

async function firstOf(client: Client, project: string): Promise<string> {
  const { environments } = await import("../../../src/operations/environments.ts");
  const [first] = (await client.call(environments.list, { names: { project } })).environments;
  if (first) return first.slug;
  throw usage(
    `project ${project} has no environment`,
    shown`formflag environments create <environment> -p ${project}`,
  );
}

async function exists(client: Client, names: Record<"project" | "environment" | "flag", string>) {
  try {
    await client.call(operations.get, { names });
    return true;
  } catch (error) {
    if (error instanceof AppError && error.reason === "flag-not-found") return false;
    throw error;
  }
}
