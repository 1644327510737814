import { fillReplyTemplate, replyTemplatesIn } from "../../../delivery/reply-templates.ts";
import { nameIn } from "../../../forms/form-name.ts";
import { getForm } from "../../../forms/forms.ts";
import type { Submission } from "../../../forms/submission.ts";
import { inbox } from "../../../operations/inbox.ts";
import type { Schemas } from "../../../operations/operation.ts";
import { submissions } from "../../../operations/submissions.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { type Fields, textOf } from "../fields.ts";
import { backIn, undoable } from "../inbox/marks.ts";
import { type InboxQuery, queryIn } from "../inbox/query.ts";
import type { Page } from "../page.tsx";
import type { Faults } from "../parts/submit.ts";
import type { ParametersOf } from "../paths.ts";
import type { Act, Dashboard } from "../routes.ts";
import { SUBMISSION, submissionOf } from "./submission.ts";
import type { Typed } from "./work.tsx";

/** Shows the page of a submission with texts that were typed. */
type Reading = (
  c: DashboardContext,
  submission: Submission,
  query: InboxQuery,
  typed: Typed,
) => Promise<Page>;

type Sent = { c: DashboardContext; fields: Fields; names: ParametersOf<typeof SUBMISSION> };
/** Shows the page of a submission again. */
type Show = (sent: Sent, typed: Typed) => Promise<Page>;

/** Actions on one submission, besides marks. A refused one shows its page again, with the texts that were typed. */
export function workRoutes({ app, post, act }: Dashboard, reading: Reading) {
  const show: Show = async ({ c, fields, names: { form, id } }, typed) =>
    reading(c, await submissionOf(app, c.get("caller"), form, id), queryIn(fields), typed);
  const again = (sent: Sent, faults: Faults) => show(sent, typedIn(sent.fields, faults));

  const take = <S extends Schemas, P extends string>(
    name: string,
    acted: Omit<Act<S, P, Sent["names"]>, "again">,
  ) => {
    const input = async (sent: Sent) => {
      const { c, names } = sent;
      await submissionOf(app, c.get("caller"), names.form, names.id);
      return acted.input(sent);
    };
    post(`${SUBMISSION}/${name}`, "forms:write", act({ ...acted, input, again }));
  };

  take("assign", {
    operation: inbox.assign,
    input: ({ fields, names: { id } }) => ({
      body: { ids: [id], assignee: textOf(fields, "assignee") || null, undoable: true },
    }),
    done: (done, { fields }) =>
      undoable(`Assigned to ${textOf(fields, "assignee") || "nobody"}.`, done, backIn(fields)),
  });
  take("label", {
    operation: inbox.label,
    input({ fields, names: { id } }) {
      const removed = textOf(fields, "remove");
      const change = removed === "" ? { add: [textOf(fields, "label")] } : { remove: [removed] };
      return { body: { ids: [id], ...change, undoable: true } };
    },
    done(done, { fields }) {
      const removed = textOf(fields, "remove");
      const text = removed === "" ? `${textOf(fields, "label").trim()} added` : `${removed} removed`;
      return undoable(`Label ${text}.`, done, backIn(fields));
    },
    at: { invalid: "label", conflict: "label" },
  });
  take("note", {
    operation: submissions.note,
    input: ({ fields, names: { id } }) => ({ names: { id }, body: { text: textOf(fields, "note") } }),
    done: (_, { fields }) => ({ to: backIn(fields), text: "Noted." }),
    at: { invalid: "note" },
  });
  take("block", {
    operation: submissions.block,
    input: ({ fields, names: { id } }) => ({
      names: { id },
      body: textOf(fields, "what") === "word" ? { word: textOf(fields, "word") } : {},
    }),
    done: ({ blocked, form }, { fields }) => ({
      to: backIn(fields),
      text: `${blocked} is blocked in ${form}.`,
    }),
    at: { invalid: "word" },
  });
  replyRoute({ app, post, act }, show);
}

/** A reply to the sender, or the page with a template as its text. */
function replyRoute({ app, post, act }: Pick<Dashboard, "app" | "post" | "act">, show: Show) {
  /** The text of the template that a form names; empty for none. */
  const filled = async ({ c, fields, names: { form, id } }: Sent): Promise<string> => {
    const submission = await submissionOf(app, c.get("caller"), form, id);
    const named = textOf(fields, "template");
    if (named === "") return "";
    const name = nameIn(submission.project, submission.form);
    const { replyTemplates } = await getForm(app, c.get("caller"), name);
    const template = replyTemplatesIn(replyTemplates).find((each) => each.name === named);
    return template ? fillReplyTemplate(template, JSON.stringify(submission.data)) : "";
  };
  const reply = act({
    operation: submissions.reply,
    async input(sent: Sent) {
      const [text, template] = [textOf(sent.fields, "text"), await filled(sent)];
      // Without a text of its own, the template is the reply.
      return { names: { id: sent.names.id }, body: { text: text.trim() === "" ? template : text } };
    },
    done: ({ to }, { fields }) => ({ to: backIn(fields), text: `Reply to ${to} is on its way.` }),
    again: (sent, faults) => show(sent, typedIn(sent.fields, faults)),
    at: { invalid: "text", "sender-without-address": "text", "mail-server-missing": "text" },
  });
  post(`${SUBMISSION}/reply`, "forms:write", async (c, fields, names) => {
    if (!fields.has("use")) return reply(c, fields, names);
    const sent = { c, fields, names };
    const texts = [textOf(fields, "text").trim(), await filled(sent)].filter(Boolean);
    return show(sent, { reply: texts.join("\n\n"), faults: {} });
  });
}

/** The texts of a form that was refused. */
function typedIn(fields: Fields, faults: Faults): Typed {
  const text = (name: string) => (fields.has(name) ? textOf(fields, name) : undefined);
  return {
    reply: text("text"),
    template: text("template"),
    label: text("label"),
    note: text("note"),
    word: text("word"),
    faults,
  };
}
