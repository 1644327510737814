import type { Command } from "commander";
import { formatBytes } from "../../src/base/bytes.ts";
import { DAY_MS } from "../../src/base/days.ts";
import { parseRate } from "../../src/base/units.ts";
import { projects as operations } from "../../src/operations/projects.ts";
import { PROJECT_SETTINGS, SETTINGS, type SettingName } from "../../src/projects/project-settings.ts";
import type { Project, ProjectPatch, Usage } from "../../src/projects/project.ts";
import type { Io } from "../output/terminal.ts";
import { details, shown, table } from "../output/text.ts";
import { BEGINS } from "../session/action.ts";
import { heard, listOption } from "../session/command-line.ts";
import { create, ifNotExistsOption } from "../session/create.ts";
import { usage } from "../session/usage.ts";
import { isUnset, sizeValue } from "../session/values.ts";
import { addHistoryCommand } from "./change-history.ts";
import { named, verb } from "../session/verb.ts";
import { addDelete, addGet, addList } from "./verbs.ts";

export function addProjectCommands(projects: Command, io: Io): void {
  heard(projects)`
[formflag] namespace namespaces ns workspace workspaces: projects list
[formflag] group groups org orgs organization organizations tenant tenants: a project has flags and environments of its own: formflag projects create <project>; users have roles
[formflag] app apps application applications site sites: applications read the flags of a project: formflag projects create <project>; a site posts to a form: formflag forms create <form>
[formflag] key keys: formflag projects get <project> shows the keys that applications send, formflag forms get <form> the key of a form
[formflag projects environments] use switch select default current active profile profiles: -p names the project of a command, or FORMFLAG_PROJECT and FORMFLAG_ENVIRONMENT those of all commands
key keys token: type formflag projects get <project> --field key
archive rotate rotate-key rotate-keys regenerate: a project and its keys stay as they are until formflag projects delete <project>
rename: a slug cannot be changed, since addresses and programs have it; formflag projects set <project> --name <name> changes the name for people
[create] -e --env --envs --environment: --environments develop,production names its environments
[list get set delete] -p --project: the project follows the command: formflag projects get shop
[create] *: environments are an option: --environments develop,production
[set] --slug --rename --key: a slug cannot be changed, since addresses and programs have it; --name changes the name for people
`;
  projects.after(`\nExamples:
  formflag projects create shop
  formflag projects get shop
  formflag projects get shop --field key
  formflag projects list --json
`);
  addCreate(projects, io);
  addList(projects, io, {
    description: "list projects by name",
    parse: () => {},
    operation: operations.list,
    head: ["PROJECT", "NAME", "KEY", "ENVIRONMENTS"],
    row: ({ slug, name, key, environments }) => [
      slug,
      name,
      key,
      environments.map((environment) => environment.slug).join(", "),
    ],
    none: () => "No projects yet. Next: formflag projects create <project>",
  });
  addGet(projects, io, {
    argument: ["[project]", "slug of the project"],
    description: "show a project with its keys",
    parse: (input, given) => given ?? input.project(),
    operation: operations.get,
    names: namesOf,
    describe: describeProject,
  });
  addSet(projects, io);
  addDelete(projects, io, {
    argument: ["[project]", "slug of the project"],
    description: "delete a project, its environments, flags and forms",
    options: ["why"],
    help: "\nExample:\n  formflag projects delete shop --yes\n",
    parse: named("project"),
    operations,
    names: namesOf,
    kind: "project",
    id: (slug) => ({ slug }),
    more: () => " with all its environments, flags and forms",
    after: async (project, session) =>
      (await import("../session/kept/forget.ts")).forget(session, { project }),
  });
  addHistoryCommand(projects, io, "project");
}

const namesOf = (project: string) => ({ project });

/** A project with its keys, for a person. */
function describeProject(project: Shown): string {
  const { slug, name, key, environments } = project;
  const rows = environments.map((environment) => [environment.slug, environment.name, environment.key]);
  return (
    details([["project", slug], ["name", name], ["x-project-key", key], ...settingLines(project)]) +
    (rows.length > 0 ? `\n${table(["ENVIRONMENT", "NAME", "X-ENVIRONMENT-KEY"], rows)}` : "")
  );
}

const addCreate = verb("create", {
  argument: ["[project]", "slug of the new project"],
  description: "create a project with its environments and keys",
  options: [
    ["--name <name>", "name for people"],
    listOption("--environments <environment...>", "its environments (default: develop, staging, production)"),
    ifNotExistsOption("the project"),
    "field",
  ],
  help: "\nExamples:\n  formflag projects create shop\n  formflag projects create shop --environments test,live\n",
  ...BEGINS,
  parse: async (input, given) => {
    const slug = await input.need(given, "project", true);
    const options = input.options as { name?: string; environments?: string[]; ifNotExists?: true };
    const { name, environments, ifNotExists = false } = options;
    return { body: { slug, name, environments }, ifNotExists };
  },
  run: async ({ client, report, suggest }, { body, ifNotExists }) => {
    const { slug } = body;
    const make = () => client.call(operations.create, { body });
    const find = () => client.call(operations.get, { names: { project: slug } });
    const project = await create(make, ifNotExists ? find : null);
    await report(project, describeProject(project));
    const environment = project.environments[0]?.slug ?? "<environment>";
    suggest(shown`\nNext: formflag flags set <flag> -p ${slug} -e ${environment} --on`);
  },
});

const addSet = verb("set", {
  argument: ["[project]", "slug of the project"],
  description: "change the settings of a project",
  options: [
    ...PROJECT_SETTINGS.map((name) => [`--${SETTINGS[name].option[0]}`, SETTINGS[name].option[1]] as const),
    "why",
  ],
  help: `
Submissions over the daily limit are refused until midnight in UTC (429), and submissions that do not fit into the
storage are refused (409). Only an admin of the whole server can change these two limits and the sender.

Examples:
  formflag projects set shop --name 'Our shop' --accent '#a02040'
  formflag projects set shop --mail-from 'Shop <shop@example.com>'
  formflag projects set shop --max-submissions 1000/d --max-storage 5GB
`,
  parse: async (input, given) => {
    const slug = await input.need(given, "project");
    const patch: ProjectPatch = {};
    for (const name of PROJECT_SETTINGS) {
      const text = input.options[name] as string | undefined;
      if (text !== undefined) Object.assign(patch, { [name]: valueOf(name, text) });
    }
    if (Object.keys(patch).length === 0)
      throw usage("nothing to change", "name it for people: --name 'Our shop'; --help lists the settings");
    return { slug, patch };
  },
  run: async ({ client, report }, { slug, patch }) => {
    const project = await client.call(operations.set, { names: { project: slug }, body: patch });
    await report(
      project,
      shown`${project.result} project ${slug}\n` +
        details([["name", project.name], ...settingLines(project)]),
    );
  },
});

function valueOf(name: SettingName, text: string): string | number | null {
  const { kind, option, required } = SETTINGS[name];
  if (!required && (text === "default" || isUnset(text))) return null;
  if (kind.is === "bytes") return sizeValue(text, `--${option[0].split(" ")[0]}`);
  return kind.is === "count" ? dailyCount(text) : text;
}

/** `1000/d`, or the number alone. Throws `invalid`. */
function dailyCount(text: string): number {
  const rate = /^\d{1,10}$/.test(text) ? { count: Number(text), seconds: DAY_MS / 1000 } : parseRate(text);
  if (rate === undefined || rate.seconds !== DAY_MS / 1000 || rate.count < 1)
    throw usage(`--max-submissions ${text} is not a number a day`, "write --max-submissions 1000/d, or none");
  return rate.count;
}

type Shown = Project & { usage?: Usage | null | undefined };

/** The settings that are not the default, for a person, with what is used; a server of an earlier version sends none. */
function settingLines(project: Shown): [label: string, text: string][] {
  return PROJECT_SETTINGS.flatMap((name): [string, string][] => {
    const [{ kind, line, used }, value] = [SETTINGS[name], project[name]];
    if (!value || line === undefined) return [];
    if (typeof value === "string") return [[line, value]];
    const most = kind.is === "bytes" ? formatBytes(value) : `${value.toLocaleString("en")} a day`;
    const usedText = project.usage && used?.(project.usage);
    return [[line, `at most ${most}${usedText ? `, ${usedText}` : ""}`]];
  });
}
