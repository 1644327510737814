import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { action } from "../../session/action.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { whyOption } from "../../session/why.ts";
import { type DocumentValues, applyDocument, readDocumentOptions, withDocumentOptions } from "./plan.ts";

export function addApplyCommand(command: Command, io: Io): void {
  withDocumentOptions(command)
    .option("--dry-run", "show what would change, and change nothing; exits 0 either way")
    .addOption(whyOption())
    .option("--schema", "print the JSON Schema of a file, for editors, and nothing else")
    .addHelpText(
      "after",
      `
What the file does not name stays as it is. With --prune every section in the file is complete: flags, segments,
environments and forms that it leaves out are deleted. These need --yes: deleting a flag that was read within a week,
every flag of a project, an environment, a form with submissions, or more than three things at once, and a setting of a
form that deletes submissions. A change in a locked environment needs --confirm with its name.

Everything is changed in one transaction, or nothing. Applied again, a file changes nothing.

Examples:
  formflag apply -f formflag.yaml --dry-run
  formflag apply -f formflag.yaml --prune
  formflag export -p shop | formflag apply -f - --server https://flags.example.com
  formflag apply --schema > formflag.schema.json
`,
    )
    .action(action(io, parse, run, { begins: ({ dryRun }) => dryRun !== true }));
}

type Values = (DocumentValues & { dryRun: boolean }) | "schema";

async function parse(input: Input): Promise<Values> {
  const { dryRun = false, schema } = input.options as { dryRun?: true; schema?: true };
  if (schema) return "schema";
  return { ...(await readDocumentOptions(input)), dryRun };
}

async function run(session: Session, values: Values): Promise<void> {
  if (values === "schema") return printSchema(session);
  const { dryRun, ...document } = values;
  const { describeDifferences } = await import("./describe.ts");
  if (dryRun) {
    const differences = await applyDocument(session, document, { dryRun });
    await session.print(differences, describeDifferences(differences, session.paint, false));
  } else {
    const differences = await applyDocument(session, document, { confirmed: session.config.yes });
    await session.report(differences, describeDifferences(differences, session.paint, true));
  }
}

async function printSchema({ io }: Session): Promise<void> {
  const { documentJsonSchema } = await import("../../../src/documents/document-schema.ts");
  await io.out(`${JSON.stringify(documentJsonSchema(), null, 2)}\n`);
}
