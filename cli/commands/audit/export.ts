import type { Command } from "commander";
import { audit as operations } from "../../../src/operations/access/audit.ts";
import { exportFormat, saveTo, writeOut } from "../../output/save.ts";
import type { Io } from "../../output/terminal.ts";
import { action } from "../../session/action.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { filterIn, withFilters } from "./filter.ts";

export function addExportCommand(audit: Command, io: Io): void {
  withFilters(audit.command("export").description("write the audit log as JSON lines, oldest first"))
    .option("-o, --output <file>", "output file, or - for standard output", "-")
    .addHelpText("after", "\nExample:\n  formflag audit export -o audit.jsonl\n")
    .action(action(io, parse, run));
}

function parse(input: Input) {
  const output = String(input.options["output"]);
  exportFormat(output, ["jsonl"]);
  return { query: filterIn(input), output };
}

async function run({ client, io }: Session, { query, output }: ReturnType<typeof parse>): Promise<void> {
  const answer = await client.open(operations.export, { query });
  if (output === "-") await writeOut(io, answer);
  else await saveTo(output, answer);
}
