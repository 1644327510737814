import { submissions as operations } from "../../../src/operations/submissions.ts";
import { shown } from "../../output/text.ts";
import type { Session } from "../../session/session.ts";
import { sourceOf } from "../../session/sources.ts";
import { verb } from "../../session/verb.ts";

export const addNoteCommand = verb("note", {
  argument: ["[id]", "id of the submission"],
  second: ["[text]", "the note, @FILE, or - for standard input"],
  description: "add a note for your team to a submission",
  help: `
The note is part of the timeline, which formflag submissions timeline shows. The sender never gets it.

Example:
  formflag submissions note 01a1fc49-92a7-75da-ab11-1c9958800353 "Called back, wants an offer"
`,
  parse: async (input, id, text) => {
    const known = await input.need(id, "id");
    const given = await input.need(text, "text");
    return { id: known, text: await sourceOf(given, "the note", input) };
  },
  run: note,
});

type Note = { id: string; text: string };

async function note({ client, report }: Session, { id, text }: Note): Promise<void> {
  await client.call(operations.note, { names: { id }, body: { text } });
  await report({ id, text }, shown`noted on ${id}\n`);
}

export const addReplyCommand = verb("reply", {
  argument: ["[id]", "id of the submission"],
  second: ["[text]", "text of the mail, @FILE, or - for standard input"],
  description: "reply to the sender of a submission by mail",
  options: [["--subject <text>", "subject of the mail; default: Re: and the name of the form"]],
  help: `
The mail comes from the address of the form's project and quotes the submission. It is a delivery through the server's
mail server: formflag submissions timeline shows the reply, its author, and whether the mail server accepted it.

Example:
  formflag submissions reply 01a1fc49-92a7-75da-ab11-1c9958800353 "Hello Ann, yes, on Monday."
`,
  parse: async (input, id, given) => {
    const { subject } = input.options as { subject?: string };
    const known = await input.need(id, "id");
    const text = await input.need(given, "text");
    return { id: known, text: await sourceOf(text, "the text", input), subject };
  },
  run: reply,
});

type Reply = { id: string; text: string; subject: string | undefined };

async function reply({ client, report }: Session, { id, ...body }: Reply): Promise<void> {
  const result = await client.call(operations.reply, { names: { id }, body });
  await report({ id, ...result }, shown`queued delivery ${result.delivery} to ${result.to}\n`);
}
