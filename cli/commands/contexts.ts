import type { Command } from "commander";
import { TEST_CONTEXT, testContextText } from "../../src/flags/contexts/test-context.ts";
import { contexts as operations } from "../../src/operations/changes/contexts.ts";
import type { Io } from "../output/terminal.ts";
import { details, shorten, shown } from "../output/text.ts";
import { givenIn, optionsOf } from "../session/card.ts";
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
  argument: TEST_CONTEXT.name.option,
  options: ["project"],
  parse: inProject("person"),
} as const;

const addSet = verb("set", {
  ...CONTEXT,
  description: "create a test context or change its values",
  options: ["project", ...optionsOf(TEST_CONTEXT)],
  help: `
Examples:
  formflag contexts set Ann -p shop --context 'plan=beta, country=DE'
  formflag contexts set Bob -p shop --context '{"targetingKey":"bob","plan":"free"}'
`,
  parse: async (input, given) => {
    const names = await CONTEXT.parse(input, given);
    const { context } = await givenIn(TEST_CONTEXT, input);
    if (context === undefined)
      throw usage("the context is missing", "write it as in --context 'plan=beta, country=DE'");
    return { names, body: { context } };
  },
  run: async ({ client, report }, { names, body }) => {
    const set = await client.call(operations.set, { names, body });
    const values = testContextText(set.context);
    const { project, person } = names;
    await report(set, shown`${set.result} test context ${person} of project ${project}: ${values}\n`);
  },
});
