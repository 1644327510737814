import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { path } from "../../session/client.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";

export function addDeleteCommand(submissions: Command, io: Io): void {
  submissions
    .command("delete")
    .argument("[id]", "id of the submission")
    .description("delete a submission and its files")
    .action(action(io, parse, run));
}

async function parse(input: Input, given?: string): Promise<string> {
  return input.need(given, "id");
}

async function run({ client, confirmDelete, report }: Session, id: string): Promise<void> {
  const url = path`/submissions/${id}`;
  await client.call("GET", url);
  await confirmDelete("submission", id, " and its files");
  await client.call("DELETE", url);
  await report({ id, result: "deleted" }, shown`deleted submission ${id}\n`);
}
