import type { Caller } from "../../../access/caller.ts";
import { plainAddress } from "../../../delivery/address.ts";
import { fillReplyTemplate, replyTemplatesIn } from "../../../delivery/reply-templates.ts";
import { nameIn } from "../../../forms/form-name.ts";
import { getForm, setForm } from "../../../forms/forms.ts";
import { replyToSubmission } from "../../../forms/inbox/reply.ts";
import {
  assignSubmissions,
  labelSubmissions,
  noteSubmission,
} from "../../../forms/inbox/submission-handling.ts";
import { ITEMS } from "../../../forms/settings/items.ts";
import type { Submission } from "../../../forms/submission.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { type Fields, textOf } from "../fields.ts";
import { backIn } from "../inbox/marks.ts";
import { type InboxQuery, queryIn } from "../inbox/query.ts";
import type { Undo, Undos } from "../inbox/undo.ts";
import type { Page } from "../page.tsx";
import { type Faults, faultAt, submit } from "../parts/submit.ts";
import type { Dashboard, Done } from "../routes.ts";
import { senderIn } from "./sender.ts";
import { SUBMISSION, submissionOf } from "./submission.ts";
import type { Typed } from "./work.tsx";

/** Shows the page of a submission with texts that were typed. */
type Reading = (
  c: DashboardContext,
  submission: Submission,
  query: InboxQuery,
  typed: Typed,
) => Promise<Page>;

type Place = Pick<Dashboard, "app" | "options"> & { undos: Undos };

type Acting = {
  caller: Caller;
  fields: Fields;
  submission: Submission;
  /** The page to go back to. */
  back: string;
  /** Shows the page again. */
  show: (typed: Typed) => Promise<Page>;
};

type Action = {
  /** The texts that a refused form has again. */
  typed: (fields: Fields) => Omit<Typed, "faults">;
  run: (place: Place, acting: Acting) => Promise<Done | Page>;
  /** Fields at which refusals stand, by their reasons and codes. */
  faults: Readonly<Record<string, string>>;
};

/** Actions on one submission, besides marks. A refused one shows its page again, with the texts that were typed. */
export function workRoutes({ app, options, post }: Dashboard, undos: Undos, reading: Reading) {
  for (const [name, { typed, run, faults }] of Object.entries(ACTIONS))
    post(`${SUBMISSION}/${name}`, "forms:write", async (c, fields, { form, id }) => {
      const caller = c.get("caller");
      const submission = await submissionOf(app, caller, form, id);
      const show = async (again: Typed) =>
        reading(c, await submissionOf(app, caller, form, id), queryIn(fields), again);
      const acting = { caller, fields, submission, back: backIn(fields), show };
      const again = (found: Faults) => show({ ...typed(fields), faults: found });
      return submit(() => run({ app, options, undos }, acting), again, faults);
    });
}

const ACTIONS: Record<string, Action> = {
  reply: {
    typed: (fields) => ({ reply: textOf(fields, "text"), template: textOf(fields, "template") }),
    run: reply,
    faults: { invalid: "text", "sender-without-address": "text", "mail-server-missing": "text" },
  },
  assign: { typed: () => ({}), run: assign, faults: {} },
  label: {
    typed: (fields) => ({ label: textOf(fields, "label") }),
    run: label,
    faults: { invalid: "label", conflict: "label" },
  },
  note: {
    typed: (fields) => ({ note: textOf(fields, "note") }),
    run: note,
    faults: { invalid: "note" },
  },
  block: {
    typed: (fields) => ({ word: textOf(fields, "word") }),
    run: block,
    faults: { invalid: "word" },
  },
};

async function reply({ app, options }: Place, { caller, fields, submission, back, show }: Acting) {
  const text = textOf(fields, "text");
  const { replyTemplates } = await getForm(app, caller, nameIn(submission.project, submission.form));
  const named = textOf(fields, "template");
  const template = replyTemplatesIn(replyTemplates).find(({ name }) => name === named);
  const filled = template ? fillReplyTemplate(template, JSON.stringify(submission.data)) : "";
  if (fields.has("use"))
    return show({ reply: [text.trim(), filled].filter(Boolean).join("\n\n"), faults: {} });
  // Without a text of its own, the template is the reply.
  const body = { text: text.trim() === "" ? filled : text };
  const { mail } = await options.outgoing();
  const { to } = await replyToSubmission(app, caller, mail !== null, submission.id, body);
  return { to: back, text: `Reply to ${to} is on its way.` };
}

async function assign({ app, undos }: Place, { caller, fields, submission, back }: Acting) {
  const assignee = textOf(fields, "assignee") || null;
  const ids = await assignSubmissions(app, caller, [submission.id], assignee);
  const handling = { done: { assignee }, assignee: submission.assignee };
  const text = `Assigned to ${assignee ?? "nobody"}.`;
  return done(undos, { user: caller.name, ids, back, handling }, text);
}

async function label({ app, undos }: Place, { caller, fields, submission, back }: Acting) {
  const removed = textOf(fields, "remove");
  const added = textOf(fields, "label").trim();
  const change = removed === "" ? { add: [added], remove: [] } : { add: [], remove: [removed] };
  const ids = await labelSubmissions(app, caller, [submission.id], change);
  const handling = { labels: { add: change.remove, remove: change.add } };
  const text = removed === "" ? `Label ${added} added.` : `Label ${removed} removed.`;
  return done(undos, { user: caller.name, ids, back, handling }, text);
}

/** The message of an action that can be undone. */
async function done(undos: Undos, undo: Extract<Undo, { ids: unknown }>, text: string): Promise<Done> {
  const to = undo.back;
  if (undo.ids.length === 0) return { to, text: "Nothing to change." };
  return { to, text, undo: { to: "/inbox/undo", values: { undo: await undos.keep(undo) } } };
}

async function note({ app }: Place, { caller, fields, submission, back }: Acting) {
  await noteSubmission(app, caller, submission.id, textOf(fields, "note"));
  return { to: back, text: "Noted." };
}

async function block({ app }: Place, { caller, fields, submission, back }: Acting) {
  const name = nameIn(submission.project, submission.form);
  const form = await getForm(app, caller, name);
  const isWord = textOf(fields, "what") === "word";
  const blocked = isWord ? textOf(fields, "word").trim() : senderIn(submission, form);
  if (!blocked) throw faultAt("word", isWord ? "the word is empty" : "the sender is not known");
  const list = isWord ? "spamWords" : plainAddress(blocked) === null ? "blockedSenders" : "spamEmails";
  const item = list === "blockedSenders" ? null : ITEMS[list === "spamWords" ? "spamWord" : "spamEmail"];
  if (item && !item.isValid(blocked)) throw faultAt("word", item.error);
  await setForm(app, caller, name, ({ [list]: known }) =>
    known.includes(blocked) ? {} : { [list]: [...known, blocked] },
  );
  return { to: back, text: `${blocked} is blocked in ${form.name}.` };
}
