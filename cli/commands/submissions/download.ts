import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { action } from "../../session/action.ts";
import { path } from "../../session/client.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { usage } from "../../session/usage.ts";
import { saveDownload } from "./save-download.ts";

export function addDownloadCommand(submissions: Command, io: Io): void {
  submissions
    .command("download")
    .argument("[id]", "id of the submission")
    .argument("[file]", "number of the file, from 1, or its name where that is unique")
    .description("save a file of a submission")
    .option("-o, --output <file>", "where to; - for standard output", "-")
    .addHelpText(
      "after",
      "\nExample:\n  formflag submissions download 01a1fc49-92a7-75da-ab11-1c9958800353 1 -o photo.jpg\n",
    )
    .action(action(io, parse, run));
}

type Values = { id: string; file: string; output: string };

async function parse(input: Input, given?: string, file?: string): Promise<Values> {
  const id = await input.need(given, "id");
  if (file === undefined) throw usage("say which file", `formflag submissions download ${id} 1 -o FILE`);
  return { id, file, output: String(input.options["output"]) };
}

async function run(session: Session, { id, file, output }: Values): Promise<void> {
  const answer = await session.client.open(path`/submissions/${id}/files/${file}`);
  const total = Number(answer.headers.get("content-length"));
  await saveDownload(session, answer, output, { total, count: (bytes) => bytes.byteLength });
}
