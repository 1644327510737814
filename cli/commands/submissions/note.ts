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
    .after(`
The note is part of the timeline, which formflag submissions timeline shows. The sender never gets it.

Example:
  formflag submissions note 01a1fc49-92a7-75da-ab11-1c9958800353 "Called back, wants an offer"
`)
    .action(action(io, parseNote, note));
}

type Note = { id: string; text: string };

async function parseNote(input: Input, id?: string, text?: string): Promise<Note> {
  const known = await input.need(id, "id");
  const given = await input.need(text, "text");
  return { id: known, text: await sourceOf(given, "the note", input) };
}

async function note({ client, report }: Session, { id, text }: Note): Promise<void> {
  await client.call(operations.note, { names: { id }, body: { text } });
  await report({ id, text }, shown`noted on ${id}\n`);
}

export function addReplyCommand(submissions: Command, io: Io): void {
  submissions
    .command("reply")
    .argument("[id]", "id of the submission")
    .argument("[text]", "text of the mail, @FILE, or - for standard input")
    .description("reply to the sender of a submission by mail")
    .option("--subject <text>", "subject of the mail; default: Re: and the name of the form")
    .after(`
The mail comes from the address of the form's project and quotes the submission. It is a delivery through the server's
mail server: formflag submissions timeline shows the reply, its author, and whether the mail server accepted it.

Example:
  formflag submissions reply 01a1fc49-92a7-75da-ab11-1c9958800353 "Hello Ann, yes, on Monday."
`)
    .action(action(io, parseReply, reply));
}

type Reply = { id: string; text: string; subject: string | undefined };

async function parseReply(input: Input, id?: string, given?: string): Promise<Reply> {
  const { subject } = input.options as { subject?: string };
  const known = await input.need(id, "id");
  const text = await input.need(given, "text");
  return { id: known, text: await sourceOf(text, "the text", input), subject };
}

async function reply({ client, report }: Session, { id, ...body }: Reply): Promise<void> {
  const result = await client.call(operations.reply, { names: { id }, body });
  await report({ id, ...result }, shown`queued delivery ${result.delivery} to ${result.to}\n`);
}
