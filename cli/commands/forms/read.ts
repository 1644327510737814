import { clock } from "../../../src/base/clock.ts";
import type { Command } from "commander";
import { stateOf } from "../../../src/forms/intake/opening.ts";
import { DEFAULT_SETTINGS } from "../../../src/forms/settings/settings.ts";
import { deliveries } from "../../../src/operations/deliveries.ts";
import { forms as operations } from "../../../src/operations/forms.ts";
import type { Io } from "../../output/terminal.ts";
import { shown, table } from "../../output/text.ts";
import { formProjectOption } from "../../session/config.ts";
import { listAll } from "../../session/pages.ts";
import type { Session } from "../../session/session.ts";
import { noteWarnings } from "../../session/hints.ts";
import { named, verb } from "../../session/verb.ts";
import { addDelete } from "../verbs.ts";
import { allServed, describeForm, served, uploadsOf, withUrl } from "./describe.ts";
import type { FormName } from "../../../src/forms/form-name.ts";
import { usage } from "../../session/usage.ts";
import { whyOption } from "../../session/change-options.ts";

export const addListCommand = verb("list ls", {
  description: "list forms by name",
  options: ["project of forms", "field"],
  parse: (input) => input.givenProject(),
  run: list,
});

async function list({ client, config, print, suggest }: Session, project: string | undefined): Promise<void> {
  const listed = await listAll(client, operations.list, { query: { project } });
  const all = listed.map((form) => withUrl(config, form));
  const hasProjects = new Set(all.map((form) => form.project)).size > 1;
  const rows = (await allServed(config, all)).map((form) => [
    ...(hasProjects ? [form.project] : []),
    form.slug,
    form.name,
    form.key,
    stateOf({ ...DEFAULT_SETTINGS, ...form }, clock.now()),
    uploadsOf(form),
    form.url,
  ]);
  await print(
    all,
    table([...(hasProjects ? ["PROJECT"] : []), "FORM", "NAME", "KEY", "STATE", "FILES", "ADDRESS"], rows),
  );
  if (all.length === 0) suggest("No forms yet. Next: formflag forms create <form>");
}

export const addGetCommand = verb("get", {
  argument: ["[form]", "slug or key of the form"],
  description: "show a form, its key and its settings",
  options: ["project of forms", "field"],
  parse: named("form"),
  run: get,
});

async function get(session: Session, name: string): Promise<void> {
  const { client, config, print } = session;
  const form = withUrl(config, await client.call(operations.get, { names: { form: name } }));
  await print(form, describeForm(await served(config, form)));
  noteWarnings(session.note, form);
}

export const addTestCommand = verb("test", {
  argument: ["[form]", "slug or key of the form"],
  description: "store a test submission and send it to the targets and addresses of the form",
  options: ["project of forms"],
  help: `
The submission has one field, message. It is not checked against the schema or for spam. The server sends it; deliveries
list --submission shows the answers.

Example:
  formflag forms test contact
`,
  parse: named("form"),
  run: async (session, form) => {
    const { client, report, suggest } = session;
    const submission = await client.call(operations.test, { names: { form } });
    const { id } = submission;
    const sent = await listAll(client, deliveries.list, { query: { submission: id } });
    const where = sent.map(({ kind, target }) =>
      target.includes("@") ? `mail to ${target}` : `${kind} ${target}`,
    );
    const what =
      where.length === 0 ? "none, as the form notifies no address and has no target" : where.join(", ");
    await report(submission, shown`stored the test as submission ${id}; deliveries: ${what}\n`);
    if (sent.length > 0) suggest(`How they went: formflag deliveries list --submission ${id}`);
    noteWarnings(session.note, submission);
  },
});

export const addMoveCommand = verb("move", {
  argument: ["[form]", "slug or key of the form"],
  description: "move a form to another project, with its submissions, files, targets and history",
  options: [["--to <project>", "the project to move it to"], "project of forms", "why"],
  help: `
The form keeps its key and its address, so pages that post to it continue to work.

Examples:
  formflag forms move contact --to shop
  formflag forms move contact -p blog --to shop
`,
  parse: async (input, given) => {
    const name = await input.need(given, "form");
    const { to } = input.options as { to?: string };
    if (to === undefined) throw usage("say where to move it", `formflag forms move ${name} --to <project>`);
    return { form: await input.form(name), to };
  },
  run: move,
});

type Move = { form: FormName; to: string };

async function move({ client, config, report }: Session, { form: name, to }: Move): Promise<void> {
  const answer = await client.call(operations.set, { names: { form: name }, body: { project: to } });
  const form = withUrl(config, answer);
  const done = form.result === "unchanged" ? "is already in" : "moved to";
  await report(form, shown`form ${form.slug} ${done} project ${form.project}\n`);
}

export function addDeleteCommand(forms: Command, io: Io): void {
  addDelete(forms, io, {
    argument: ["[form]", "slug or key of the form"],
    description: "delete a form, its submissions and their files",
    options: [formProjectOption(), whyOption()],
    help: "\nExample:\n  formflag forms delete contact --yes\n",
    parse: named("form"),
    operations,
    names: (form) => ({ form }),
    kind: "form",
    id: (_, { slug }) => ({ slug }),
    more: () => " with all its submissions and files",
  });
}
