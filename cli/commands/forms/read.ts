import { clock } from "../../../src/base/clock.ts";
import type { Command } from "commander";
import { stateOf } from "../../../src/forms/intake/opening.ts";
import { DEFAULT_SETTINGS } from "../../../src/forms/settings/settings.ts";
import { forms as operations } from "../../../src/operations/forms.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { table } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { formProjectOption } from "../../session/config.ts";
import { listAll } from "../../session/pages.ts";
import type { Session } from "../../session/session.ts";
import { noteWarnings } from "../../session/hints.ts";
import { named } from "../verbs.ts";
import { allServed, describeForm, served, uploadsOf, withUrl } from "./describe.ts";

export function addListCommand(forms: Command, io: Io): void {
  forms
    .command("list")
    .alias("ls")
    .description("list forms by name")
    .addOption(formProjectOption())
    .addOption(fieldOption())
    .action(action(io, (input) => input.givenProject(), list));
}

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

export function addGetCommand(forms: Command, io: Io): void {
  forms
    .command("get")
    .argument("[form]", "slug or key of the form")
    .description("show a form, its key and its settings")
    .addOption(formProjectOption())
    .addOption(fieldOption())
    .action(action(io, named("form"), get));
}

async function get(session: Session, name: string): Promise<void> {
  const { client, config, print } = session;
  const form = withUrl(config, await client.call(operations.get, { names: { form: name } }));
  await print(form, describeForm(await served(config, form)));
  noteWarnings(session.note, form);
}
