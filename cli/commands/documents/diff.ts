import type { Command } from "commander";
import { EXIT, Failed } from "../../exit.ts";
import type { Io } from "../../output/terminal.ts";
import { action } from "../../session/action.ts";
import type { Session } from "../../session/session.ts";
import { type DocumentValues, applyDocument, readDocumentOptions, withDocumentOptions } from "./plan.ts";

export function addDiffCommand(command: Command, io: Io): void {
  withDocumentOptions(command)
    .addHelpText(
      "after",
      `
Exits 9 where something differs, 0 where nothing does. A scope of read suffices.

Examples:
  formflag diff -f formflag.yaml
  formflag diff -f formflag.yaml --server https://flags.example.com
`,
    )
    .action(action(io, readDocumentOptions, run));
}

async function run(session: Session, values: DocumentValues): Promise<void> {
  const differences = await applyDocument(session, values, { dryRun: true });
  const { describeDifferences } = await import("./describe.ts");
  await session.print(differences, describeDifferences(differences, session.paint, false));
  if (differences.length > 0) throw new Failed(EXIT.difference);
}
