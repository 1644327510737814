import type { Command } from "commander";
import { parseTestContext, testContextText } from "../../src/flags/contexts/test-context.ts";
import { contexts as operations } from "../../src/operations/changes/contexts.ts";
import type { Io } from "../output/terminal.ts";
import { details, shorten, shown } from "../output/text.ts";
import { action } from "../session/action.ts";
import { projectOption } from "../session/config.ts";
import type { Input } from "../session/input.ts";
import { sourceOf } from "../session/sources.ts";
import type { Session } from "../session/session.ts";
import { usage } from "../session/usage.ts";
import { addDelete, addGet, addList } from "./verbs.ts";

export function addContextCommands(contexts: Command, io: Io): void {
  contexts.after(`\nThe dashboard shows the value of a flag for each of them, now and after a change.

Examples:
  formflag contexts set Ann -p shop --context 'plan=beta, country=DE'
  formflag contexts list -p shop
`);
  contexts
    .command("set")
    .argument(...NAME)
    .description("create a test context or change its values")
    .addOption(projectOption())
    .option(
      "--context <context>",
      "pairs such as plan=beta, country=DE, or JSON, @FILE, or - for standard input",
    )
    .after(`
Examples:
  formflag contexts set Ann -p shop --context 'plan=beta, country=DE'
  formflag contexts set Bob -p shop --context '{"targetingKey":"bob","plan":"free"}'
`)
    .action(action(io, parseSet, setContext));
  addGet(contexts, io, {
    argument: NAME,
    description: "show a test context",
    options: [projectOption()],
    parse: readPlace,
    operation: operations.get,
    names: ({ project, name }) => ({ project, person: name }),
    describe: ({ name, context }) =>
      details([
        ["name", name],
        ["context", testContextText(context)],
      ]),
  });
  addList(contexts, io, {
    description: "list the test contexts of a project by name",
    options: [projectOption()],
    parse: (input) => input.project(),
    operation: operations.list,
    names: (project) => ({ project }),
    head: ["NAME", "CONTEXT"],
    row: ({ name, context }) => [name, shorten(testContextText(context), 100)],
    none: (project) =>
      shown`No test contexts yet. Next: formflag contexts set Ann -p ${project} --context 'plan=beta, country=DE'`,
  });
  addDelete(contexts, io, {
    argument: NAME,
    description: "delete a test context",
    options: [projectOption()],
    parse: readPlace,
    operations,
    names: ({ project, name }) => ({ project, person: name }),
    kind: "test context",
    id: ({ name }) => ({ name }),
    of: ({ project }) => ` of project ${project}`,
  });
}

const NAME: [string, string] = ["[name]", "name of the test context"];

type Place = { project: string; name: string };

async function readPlace(input: Input, given?: string): Promise<Place> {
  const name = await input.need(given, "name");
  return { project: await input.project(), name };
}

async function parseSet(input: Input, given?: string) {
  const place = await readPlace(input, given);
  const { context } = input.options as { context?: string };
  if (context === undefined)
    throw usage("the context is missing", "write it as in --context 'plan=beta, country=DE'");
  return { place, context: parseTestContext(await sourceOf(context, "--context", input)) };
}

async function setContext(
  { client, report }: Session,
  { place, context }: Awaited<ReturnType<typeof parseSet>>,
): Promise<void> {
  const set = await client.call(operations.set, {
    names: { project: place.project, person: place.name },
    body: { context },
  });
  const values = testContextText(set.context);
  await report(set, shown`${set.result} test context ${place.name} of project ${place.project}: ${values}\n`);
}
