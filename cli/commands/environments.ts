import type { Command } from "commander";
import { environments as operations } from "../../src/operations/environments.ts";
import type { Environment } from "../../src/projects/environment.ts";
import { ENVIRONMENT, LOOKS } from "../../src/projects/environment-card.ts";
import type { Io } from "../output/terminal.ts";
import { details, shown } from "../output/text.ts";
import { givenIn, optionsOf } from "../session/card.ts";
import { heard } from "../session/command-line.ts";
import { create, ifNotExistsOption } from "../session/create.ts";
import type { Input } from "../session/input.ts";
import { usage } from "../session/usage.ts";
import { addHistoryCommand } from "./change-history.ts";
import { verb } from "../session/verb.ts";
import { addDelete, addGet, addList } from "./verbs.ts";

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
  addCreate(environments, io);
  addList(environments, io, {
    description: "list the environments of a project in their order",
    options: ["project"],
    parse: (input) => input.project(),
    operation: operations.list,
    names: (project) => ({ project }),
    head: ["ENVIRONMENT", "NAME", "X-ENVIRONMENT-KEY", "LOCKED", "COLOR"],
    row: ({ slug, name, key, locked, color }) => [slug, name, key, locked ? "yes" : "", color ?? ""],
  });
  addGet(environments, io, {
    ...PLACE,
    description: "show an environment with its key",
    operation: operations.get,
    describe: describeEnvironment,
  });
  addSet(environments, io);
  addDelete(environments, io, {
    ...PLACE,
    description: "delete an environment and its flag values",
    options: ["project", "why"],
    operations,
    kind: "environment",
    id: ({ environment: slug }) => ({ slug }),
    of: ({ project }) => ` of project ${project}`,
    more: () => " with its flag values",
    after: async (place, session) => (await import("../session/kept/forget.ts")).forget(session, place),
  });
  lockVerb(true)(environments, io);
  lockVerb(false)(environments, io);
  addHistoryCommand(environments, io, "environment");
}

/** An environment of a project, by their slugs. */
const PLACE = {
  argument: ["[environment]", "slug of the environment"],
  options: ["project"],
  async parse(input: Input, given?: string) {
    const project = await input.project();
    return { project, environment: await input.need(given, "environment") };
  },
} as const;

/** An environment with its key, for a person. */
function describeEnvironment({
  slug,
  name,
  key,
  locked,
  color,
  approvals,
  approveWith,
  position,
}: Environment): string {
  return details([
    ["environment", slug],
    ["name", name],
    ["x-environment-key", key],
    ["locked", locked ? "yes" : null],
    ["color", color],
    ["approvals", approvals > 0 ? String(approvals) : null],
    ["approve with", approveWith],
    ["position", position?.toString()],
  ]);
}

const addCreate = verb("create", {
  argument: ["[environment]", "slug of the new environment"],
  description: "create an environment with its key",
  options: [
    "project",
    ...optionsOf(LOOKS),
    ["--from <environment>", "copy the values of every flag from this environment"],
    ifNotExistsOption("the environment"),
    "why",
    "field",
  ],
  help: "\nExamples:\n  formflag environments create preview -p shop\n  formflag environments create preview -p shop --from staging\n",
  parse: async (input, given) => {
    const slug = await input.need(given, "environment");
    const project = await input.project();
    const { from, ifNotExists = false } = input.options as { from?: string; ifNotExists?: true };
    return { project, body: { slug, from, ...(await givenIn(LOOKS, input)) }, ifNotExists };
  },
  run: async ({ client, report }, { project, body, ifNotExists }) => {
    const names = { project, environment: body.slug };
    const make = () => client.call(operations.create, { names, body });
    const find = () => client.call(operations.get, { names });
    const environment = await create(make, ifNotExists ? find : null);
    await report(environment, describeEnvironment(environment));
  },
});

const addSet = verb("set", {
  argument: PLACE.argument,
  description: "change the name, colour, position or required approvals of an environment",
  options: ["project", ...optionsOf(ENVIRONMENT), "why"],
  help: `
Examples:
  formflag environments set production -p shop --name Live --color red
  formflag environments set develop -p shop --color none
  formflag environments set production -p shop --approvals 1 --approve-with passkey
  formflag environments set develop -p shop --position 1
`,
  parse: async (input, given) => {
    const names = await PLACE.parse(input, given);
    const patch = await givenIn(ENVIRONMENT, input);
    if (Object.keys(patch).length === 0)
      throw usage("nothing would change", "give a name or a colour: --name Live, --color red");
    return { names, patch };
  },
  run: async ({ client, report }, { names, patch }) => {
    const set = await client.call(operations.set, { names, body: patch });
    const { project, environment } = names;
    const changed = Object.keys(patch) as (keyof typeof patch)[];
    const what = changed.map((name) => `${words(name)} ${set[name] ?? "none"}`).join(", ");
    await report(set, shown`${set.result} environment ${environment} of project ${project}: ${what}\n`);
  },
});

/** The name of a field in words: `approve with`. */
function words(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** `lock`, or `unlock`. */
function lockVerb(locked: boolean) {
  const name = locked ? "lock" : "unlock";
  return verb(name, {
    ...PLACE,
    description: locked
      ? "require --confirm with its name, or a yes at the prompt, to change its flags and segments"
      : "allow changes of its flags and segments without --confirm again",
    options: ["project", "why"],
    help: `
A token needs the scope flags:locked to change flags in a locked environment, and admin to lock or unlock it.

Examples:
  formflag environments ${name} production -p shop
`,
    run: async ({ client, report }, names) => {
      const set = await client.call(operations.set, { names, body: { locked } });
      const done = set.result === "unchanged" ? `unchanged, ${name}ed already:` : `${name}ed`;
      await report(set, shown`${done} environment ${names.environment} of project ${names.project}\n`);
    },
  });
}
