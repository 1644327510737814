import type { Command } from "commander";
import type { NewOf } from "../../src/base/kinds/kinds.ts";
import { environments as operations } from "../../src/operations/environments.ts";
import type { Environment } from "../../src/projects/environment.ts";
import { ENVIRONMENT, LOOKS } from "../../src/projects/environment-card.ts";
import { fieldOption } from "../output/field.ts";
import type { Io } from "../output/terminal.ts";
import { details, shown } from "../output/text.ts";
import { action } from "../session/action.ts";
import { givenIn, withCard } from "../session/card.ts";
import { projectOption } from "../session/config.ts";
import { create, ifNotExistsOption } from "../session/create.ts";
import type { Input } from "../session/input.ts";
import type { Session } from "../session/session.ts";
import { usage } from "../session/usage.ts";
import { whyOption } from "../session/why.ts";
import { addHistoryCommand } from "./change-history.ts";
import { addDelete, addGet, addList } from "./verbs.ts";
import { heard } from "../session/command-line.ts";

export function addEnvironmentCommands(environments: Command, io: Io): void {
  heard(environments)`
[formflag] envs env: type formflag environments list -p <project>
[formflag environments] freeze lock unlock protect: type formflag environments lock <environment> -p <project>
enable disable on off: flags are turned on and off: formflag flags enable <flag> -e <environment>
key keys token: type formflag environments get <environment> -p <project> --field key
promote diff compare: type formflag flags promote --all -p <project> --from staging --to production --dry-run
rename: a slug cannot be changed, since addresses and programs have it; formflag environments set <environment> --name <name> changes the name for people
copy clone: type formflag environments create <environment> -p <project> --from <environment>
[create] --copy --clone --like --based-on --copy-from: --from <environment> copies the values of its flags
[set create] --lock --locked --unlock: formflag environments lock <environment> -p <project> locks it
[set] --production --protected --read-only: --color red marks it; formflag environments lock <environment> -p <project> guards it
[set] --slug --rename --key: a slug cannot be changed, since addresses and programs have it; --name changes the name for people
`;
  environments.after(`\nExamples:
  formflag environments list -p shop
  formflag environments create preview -p shop --from staging
`);
  addCreateCommand(environments, io);
  addList(environments, io, {
    description: "list the environments of a project in their order",
    options: [projectOption()],
    parse: (input) => input.project(),
    operation: operations.list,
    names: (project) => ({ project }),
    head: ["ENVIRONMENT", "NAME", "X-ENVIRONMENT-KEY", "LOCKED", "COLOR"],
    row: ({ slug, name, key, locked, color }) => [slug, name, key, locked ? "yes" : "", color ?? ""],
  });
  addGet(environments, io, {
    argument: ARGUMENT,
    description: "show an environment with its key",
    options: [projectOption()],
    parse: readPlace,
    operation: operations.get,
    names: (place) => place,
    describe: describeEnvironment,
  });
  addSetCommand(environments, io);
  addDelete(environments, io, {
    argument: ARGUMENT,
    description: "delete an environment and its flag values",
    options: [projectOption(), whyOption()],
    parse: readPlace,
    operations,
    names: (place) => place,
    kind: "environment",
    id: ({ environment: slug }) => ({ slug }),
    of: ({ project }) => ` of project ${project}`,
    more: () => " with its flag values",
  });
  addLockCommand(environments, io, true);
  addLockCommand(environments, io, false);
  addHistoryCommand(environments, io, "environment");
}

const ARGUMENT: [string, string] = ["[environment]", "slug of the environment"];

/** An environment of a project, by their slugs. */
type Place = { project: string; environment: string };

/** The project of `-p` and the environment that was given, prompted for if missing. */
async function readPlace(input: Input, given?: string): Promise<Place> {
  const project = await input.project();
  return { project, environment: await input.need(given, "environment") };
}

/** An environment with its key, for a person. */
function describeEnvironment({ slug, name, key, locked, color, approvals, position }: Environment): string {
  return details([
    ["environment", slug],
    ["name", name],
    ["x-environment-key", key],
    ["locked", locked ? "yes" : null],
    ["color", color],
    ["approvals", approvals > 0 ? String(approvals) : null],
    ["position", position?.toString()],
  ]);
}

function addCreateCommand(environments: Command, io: Io): void {
  const command = environments
    .command("create")
    .argument("[environment]", "slug of the new environment")
    .description("create an environment with its key")
    .addOption(projectOption());
  withCard(command, LOOKS)
    .option("--from <environment>", "copy the values of every flag from this environment")
    .withOptions(ifNotExistsOption("the environment"), whyOption(), fieldOption())
    .after(
      "\nExamples:\n  formflag environments create preview -p shop\n  formflag environments create preview -p shop --from staging\n",
    )
    .action(action(io, parseCreate, createEnvironment));
}

type NewEnvironment = {
  project: string;
  environment: { slug: string; from: string | undefined } & NewOf<typeof LOOKS>;
  ifNotExists: boolean;
};

async function parseCreate(input: Input, given?: string): Promise<NewEnvironment> {
  const slug = await input.need(given, "environment");
  const project = await input.project();
  const { from, ifNotExists = false } = input.options as { from?: string; ifNotExists?: true };
  return { project, environment: { slug, from, ...(await givenIn(LOOKS, input)) }, ifNotExists };
}

async function createEnvironment({ client, report }: Session, { project, ...values }: NewEnvironment) {
  const names = { project, environment: values.environment.slug };
  const make = () => client.call(operations.create, { names, body: values.environment });
  const find = () => client.call(operations.get, { names });
  const environment = await create(make, values.ifNotExists ? find : null);
  await report(environment, describeEnvironment(environment));
}

function addSetCommand(environments: Command, io: Io): void {
  const command = environments
    .command("set")
    .argument(...ARGUMENT)
    .description("change the name, colour, position or required approvals of an environment")
    .addOption(projectOption());
  withCard(command, ENVIRONMENT)
    .addOption(whyOption())
    .after(`
Examples:
  formflag environments set production -p shop --name Live --color red
  formflag environments set develop -p shop --color none
  formflag environments set production -p shop --approvals 1
  formflag environments set develop -p shop --position 1
`)
    .action(action(io, parseSet, setEnvironment));
}

type Changed = { place: Place; patch: NewOf<typeof ENVIRONMENT> };

async function parseSet(input: Input, given?: string): Promise<Changed> {
  const place = await readPlace(input, given);
  const patch = await givenIn(ENVIRONMENT, input);
  if (Object.keys(patch).length === 0)
    throw usage("nothing would change", "give a name or a colour: --name Live, --color red");
  return { place, patch };
}

async function setEnvironment({ client, report }: Session, { place, patch }: Changed): Promise<void> {
  const set = await client.call(operations.set, { names: place, body: patch });
  const { project, environment } = place;
  const names = Object.keys(patch) as (keyof typeof patch)[];
  const what = names.map((name) => `${name} ${set[name] ?? "none"}`).join(", ");
  await report(set, shown`${set.result} environment ${environment} of project ${project}: ${what}\n`);
}

/** `lock`, or `unlock`. */
function addLockCommand(environments: Command, io: Io, locked: boolean): void {
  const verb = locked ? "lock" : "unlock";
  environments
    .command(verb)
    .argument(...ARGUMENT)
    .description(
      locked
        ? "require --confirm with its name, or a yes at the prompt, to change its flags and segments"
        : "allow changes of its flags and segments without --confirm again",
    )
    .withOptions(projectOption(), whyOption())
    .after(`
A token needs the scope flags:locked to change flags in a locked environment, and admin to lock or unlock it.

Examples:
  formflag environments ${verb} production -p shop
`)
    .action(
      action(io, readPlace, async ({ client, report }, place) => {
        const set = await client.call(operations.set, { names: place, body: { locked } });
        const done = set.result === "unchanged" ? `unchanged, ${verb}ed already:` : `${verb}ed`;
        await report(set, shown`${done} environment ${place.environment} of project ${place.project}\n`);
      }),
    );
}
