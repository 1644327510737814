import type { Command } from "commander";
import { submissions as operations } from "../../../src/operations/submissions.ts";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { sourceOf } from "../../session/sources.ts";

export function addNoteCommand(submissions: Command, io: Io): void {
  submissions
    .command("note")
    .argument("[id]", "id of the submission")
    .argument("[text]", "the note, @FILE, or - for standard input")
    .description("add a note for your team to a submission")
    .addHelpText(
      "after",
      `
The note is part of the timeline, which formflag submissions timeline shows. The sender never gets it.

Example:
  formflag submissions note 01a1fc49-92a7-75da-ab11-1c9958800353 "Called back, wants an offer"
`,
    )
    .action(action(io, parse, run));
}

type Values = { id: string; text: string };

async function parse(input: Input, id?: string, text?: string): Promise<Values> {
  const known = await input.need(id, "id");
  const note = await input.need(text, "text");
  return { id: known, text: await sourceOf(note, "the note", input) };
}

async function run({ client, report }: Session, { id, text }: Values): Promise<void> {
  await client.call(operations.note, { names: { id }, body: { text } });
  await report({ id, text }, shown`noted on ${id}\n`);
}
