import type { Command } from "commander";
import type { Submission } from "../../../src/forms/submission.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { action } from "../../session/action.ts";
import { path } from "../../session/client.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { describeSubmission } from "./describe.ts";

export function addGetCommand(submissions: Command, io: Io): void {
  submissions
    .command("get")
    .argument("[id]", "id of the submission")
    .description("show a submission")
    .addOption(fieldOption())
    .action(action(io, parse, run));
}

async function parse(input: Input, given?: string): Promise<string> {
  return input.need(given, "id");
}

async function run({ client, print }: Session, id: string): Promise<void> {
  const submission = await client.call<Submission>("GET", path`/submissions/${id}`);
  await print(submission, describeSubmission(submission));
}
