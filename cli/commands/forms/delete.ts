import type { Command } from "commander";
import { forms as operations } from "../../../src/operations/forms.ts";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import type { Session } from "../../session/session.ts";
import { named } from "../verbs.ts";

export function addDeleteCommand(forms: Command, io: Io): void {
  forms
    .command("delete")
    .argument("[form]", "slug or key of the form")
    .description("delete a form, its submissions and their files")
    .action(action(io, named("form"), remove));
}

async function remove({ client, confirmDelete, report }: Session, name: string): Promise<void> {
  const { slug } = await client.call(operations.get, { names: { form: name } });
  await confirmDelete("form", slug, " with all its submissions and files");
  await client.call(operations.delete, { names: { form: slug } });
  await report({ slug, result: "deleted" }, shown`deleted form ${slug}\n`);
}
