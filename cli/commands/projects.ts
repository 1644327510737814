import type { Command } from "commander";
import { projects as operations } from "../../src/operations/projects.ts";
import { fieldOption } from "../output/field.ts";
import type { Io } from "../output/terminal.ts";
import { details, shown, table } from "../output/text.ts";
import { BEGINS, action } from "../session/action.ts";
import { create, ifNotExistsOption } from "../session/create.ts";
import { heard, listOption } from "../session/command-line.ts";
import type { Input } from "../session/input.ts";
import type { Session } from "../session/session.ts";
import { whyOption } from "../session/why.ts";
import { addHistoryCommand } from "./change-history.ts";
import { addSetCommand, settingLines, type Shown } from "./project-settings.ts";
import { addDelete, addGet, addList, named } from "./verbs.ts";

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
  addCreateCommand(projects, io);
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
  addSetCommand(projects, io);
  addDelete(projects, io, {
    argument: ["[project]", "slug of the project"],
    description: "delete a project, its environments, flags and forms",
    options: [whyOption()],
    help: "\nExample:\n  formflag projects delete shop --yes\n",
    parse: named("project"),
    operations,
    names: namesOf,
    kind: "project",
    id: (slug) => ({ slug }),
    more: () => " with all its environments, flags and forms",
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

function addCreateCommand(projects: Command, io: Io): void {
  projects
    .command("create")
    .argument("[project]", "slug of the new project")
    .description("create a project with its environments and keys")
    .option("--name <name>", "name for people")
    .addOption(
      listOption(
        "--environments <environment...>",
        "its environments (default: develop, staging, production)",
      ),
    )
    .withOptions(ifNotExistsOption("the project"), fieldOption())
    .after(
      "\nExamples:\n  formflag projects create shop\n  formflag projects create shop --environments test,live\n",
    )
    .action(action(io, parseCreate, createProject, BEGINS));
}

type NewProject = {
  project: { slug: string; name: string | undefined; environments: string[] | undefined };
  ifNotExists: boolean;
};

async function parseCreate(input: Input, given?: string): Promise<NewProject> {
  const slug = await input.need(given, "project");
  const options = input.options as { name?: string; environments?: string[]; ifNotExists?: true };
  const { name, environments, ifNotExists = false } = options;
  return { project: { slug, name, environments }, ifNotExists };
}

async function createProject({ client, report, suggest }: Session, values: NewProject): Promise<void> {
  const { slug } = values.project;
  const make = () => client.call(operations.create, { body: values.project });
  const find = () => client.call(operations.get, { names: { project: slug } });
  const project = await create(make, values.ifNotExists ? find : null);
  await report(project, describeProject(project));
  const environment = project.environments[0]?.slug ?? "<environment>";
  suggest(shown`\nNext: formflag flags set <flag> -p ${slug} -e ${environment} --on`);
}
