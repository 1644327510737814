import type { Command } from "commander";
import { parseTestContext, testContextText } from "../../src/flags/contexts/test-context.ts";
import { contexts as operations } from "../../src/operations/changes/contexts.ts";
import type { Io } from "../output/terminal.ts";
import { details, shorten, shown } from "../output/text.ts";
import { sourceOf } from "../session/sources.ts";
import { usage } from "../session/usage.ts";
import { inProject, verb } from "../session/verb.ts";
import { addDelete, addGet, addList } from "./verbs.ts";

export function addContextCommands(contexts: Command, io: Io): void {
  contexts.after(`\nThe dashboard shows the value of a flag for each of them, now and after a change.

Examples:
  formflag contexts set Ann -p shop --context 'plan=beta, country=DE'
  formflag contexts list -p shop
`);
  addSet(contexts, io);
  addGet(contexts, io, {
    ...CONTEXT,
    description: "show a test context",
    operation: operations.get,
    describe: ({ name, context }) =>
      details([
        ["name", name],
        ["context", testContextText(context)],
      ]),
  });
  addList(contexts, io, {
    description: "list the test contexts of a project by name",
    options: ["project"],
    parse: (input) => input.project(),
    operation: operations.list,
    names: (project) => ({ project }),
    head: ["NAME", "CONTEXT"],
    row: ({ name, context }) => [name, shorten(testContextText(context), 100)],
    none: (project) =>
      shown`No test contexts yet. Next: formflag contexts set Ann -p ${project} --context 'plan=beta, country=DE'`,
  });
  addDelete(contexts, io, {
    ...CONTEXT,
    description: "delete a test context",
    operations,
    kind: "test context",
    id: ({ person: name }) => ({ name }),
    of: ({ project }) => ` of project ${project}`,
  });
}

/** A test context of a project, by its name. */
const CONTEXT = {
  argument: ["[name]", "name of the test context"],
  options: ["project"],
  parse: inProject("person"),
} as const;

const addSet = verb("set", {
  ...CONTEXT,
  description: "create a test context or change its values",
  options: [
    "project",
    ["--context <context>", "pairs such as plan=beta, country=DE, or JSON, @FILE, or - for standard input"],
  ],
  help: `
Examples:
  formflag contexts set Ann -p shop --context 'plan=beta, country=DE'
  formflag contexts set Bob -p shop --context '{"targetingKey":"bob","plan":"free"}'
`,
  parse: async (input, given) => {
    const names = await CONTEXT.parse(input, given);
    const { context } = input.options as { context?: string };
    if (context === undefined)
      throw usage("the context is missing", "write it as in --context 'plan=beta, country=DE'");
    return { names, context: parseTestContext(await sourceOf(context, "--context", input)) };
  },
  run: async ({ client, report }, { names, context }) => {
    const set = await client.call(operations.set, { names, body: { context } });
    const values = testContextText(set.context);
    const { project, person } = names;
    await report(set, shown`${set.result} test context ${person} of project ${project}: ${values}\n`);
  },
});
