import type { Command } from "commander";
import { forms as operations } from "../../../src/operations/forms.ts";
import type { FormName } from "../../../src/forms/form-name.ts";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { formProjectOption } from "../../session/config.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { usage } from "../../session/usage.ts";
import { whyOption } from "../../session/why.ts";
import { withUrl } from "./describe.ts";

export function addMoveCommand(forms: Command, io: Io): void {
  forms
    .command("move")
    .argument("[form]", "slug or key of the form")
    .description("move a form to another project, with its submissions, files, targets and history")
    .option("--to <project>", "the project to move it to")
    .addOption(formProjectOption())
    .addOption(whyOption())
    .addHelpText(
      "after",
      `
The form keeps its key and its address, so pages that post to it continue to work.

Examples:
  formflag forms move contact --to shop
  formflag forms move contact -p blog --to shop
`,
    )
    .action(action(io, parse, move));
}

type Move = { form: FormName; to: string };

async function parse(input: Input, given?: string): Promise<Move> {
  const name = await input.need(given, "form");
  const { to } = input.options as { to?: string };
  if (to === undefined) throw usage("say where to move it", `formflag forms move ${name} --to <project>`);
  return { form: await input.form(name), to };
}

async function move({ client, config, report }: Session, { form: name, to }: Move): Promise<void> {
  const answer = await client.call(operations.set, { names: { form: name }, body: { project: to } });
  const form = withUrl(config, answer);
  const done = form.result === "unchanged" ? "is already in" : "moved to";
  await report(form, shown`form ${form.slug} ${done} project ${form.project}\n`);
}
