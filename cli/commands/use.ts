import type { Command } from "commander";
import { AppError } from "../../src/base/errors.ts";
import { environments } from "../../src/operations/environments.ts";
import { projects } from "../../src/operations/projects.ts";
import type { Io } from "../output/terminal.ts";
import { details, shown } from "../output/text.ts";
import { action } from "../session/action.ts";
import { heard } from "../session/command-line.ts";
import type { Client } from "../session/client.ts";
import type { Input } from "../session/input.ts";
import { keep, readKept } from "../session/kept/kept.ts";
import type { Session } from "../session/session.ts";
import { usage } from "../session/usage.ts";

export function addUseCommand(use: Command, io: Io): void {
  heard(use)`
[formflag] switch select checkout set-project set-environment context: formflag use <project>/<environment> keeps both for later commands
--clear --unset --reset: --none forgets what was chosen
-p --project -e --environment: write both in one word: formflag use shop/production
*: formflag use <project>/<environment>
`;
  use
    .argument("[place]", "project, or project/environment")
    .option("--none", "forget what was chosen")
    .after(`
Keeps a project, or a project and an environment, for later commands of this user, which then need neither -p nor -e.
-p, -e and the variables FORMFLAG_PROJECT and FORMFLAG_ENVIRONMENT win over it; with another -p, the environment has to
be named too. Neither is for data or a server that a command names. Without an argument it shows what is kept. The choice is stored in formflag/config.json under
$XDG_CONFIG_HOME or ~/.config.

Examples:
  formflag use shop/production
  formflag use shop
  formflag use --none
`)
    .action(action(io, parse, run));
}

type Values = { place: string | undefined; none: boolean };

function parse({ options }: Input, place?: string): Values {
  const none = options["none"] === true;
  if (none && place !== undefined) throw usage("--none goes without a place", "formflag use --none");
  if (place !== undefined && !/^[^/]+(?:\/[^/]+)?$/.test(place))
    throw usage(
      `${place} is neither a project nor a project with an environment`,
      "write it as shop/production",
    );
  return { place, none };
}

/** Throws `not_found`, with what the word may mean as its hint. */
async function requireProject(client: Client, name: string): Promise<void> {
  try {
    await client.call(projects.get, { names: { project: name } });
  } catch (error) {
    if (!(error instanceof AppError && error.reason === "project-not-found")) throw error;
    const { listNames } = await import("../session/guesses/names.ts");
    const { meantBy } = await import("../session/guesses/nearest.ts");
    const all = await listNames("project", client);
    const project = readKept().project ?? (all.length === 1 ? all[0] : undefined);
    const environments = project === undefined ? [] : await listNames("environment", client, { project });
    const near = environments.includes(name) ? name : meantBy(name, environments);
    const hint =
      name === "none"
        ? "formflag use --none forgets what was chosen"
        : near !== null && meantBy(name, all) === null
          ? shown`an environment follows its project: formflag use ${project!}/${near}`
          : undefined;
    throw new AppError("not_found", error.message, {
      reason: hint === undefined ? error.reason : undefined,
      hint,
      cause: error,
    });
  }
}

async function run({ client, print, report }: Session, { place, none }: Values): Promise<void> {
  if (none) {
    await keep({ project: undefined, environment: undefined });
    return report({ project: null, environment: null }, "forgot the project and the environment\n");
  }
  if (place === undefined) {
    const { server = null, project = null, environment = null } = readKept();
    const kept = { server, project, environment };
    const text = details(Object.entries(kept));
    return print(
      kept,
      Object.values(kept).some(Boolean) ? text : "nothing is kept: formflag use shop/production\n",
    );
  }
  const [project, environment] = place.split("/") as [string, string?];
  if (environment === undefined) await requireProject(client, project);
  else {
    const { environments: all } = await client.call(environments.list, { names: { project } });
    if (!all.some(({ slug }) => slug === environment)) {
      const names = all.map(({ slug }) => slug).join(", ");
      throw new AppError("not_found", `environment "${environment}" does not exist in project "${project}"`, {
        hint: `it has ${names}`,
      });
    }
  }
  await keep({ project, environment });
  await report({ project, environment: environment ?? null }, shown`using ${place}\n`);
}
