import type { Command } from "commander";
import type { TargetView } from "../../../src/delivery/target.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { shown, table } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { path } from "../../session/client.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { stateOf } from "./describe.ts";

export function addListCommand(targets: Command, io: Io): void {
  targets
    .command("list")
    .alias("ls")
    .argument("[form]", "slug or key of the form")
    .description("list the targets of a form, oldest first")
    .addOption(fieldOption())
    .addHelpText(
      "after",
      `
Of a URL only the host is shown, since the rest usually contains a secret.

Examples:
  formflag targets list contact
  formflag targets list contact --field id
`,
    )
    .action(action(io, parse, run));
}

async function parse(input: Input, given?: string): Promise<string> {
  return input.need(given, "form");
}

async function run({ client, print, suggest }: Session, form: string): Promise<void> {
  const url = path`/forms/${form}/targets`;
  const { targets } = await client.call<{ targets: TargetView[] }>("GET", url);
  const rows = targets.map((each) => [each.id, each.target, stateOf(each), each.createdAt]);
  await print(targets, table(["TARGET", "SENDS TO", "STATE", "CREATED"], rows));
  if (targets.length === 0) suggest(shown`No targets yet. Next: formflag targets add ${form} <target>`);
}
