import { type Command, Option } from "commander";
import { durationInWords } from "../../../src/base/units.ts";
import type { TargetView } from "../../../src/delivery/target.ts";
import { projectTargets as ofProject } from "../../../src/operations/changes/project-targets.ts";
import { targets as operations } from "../../../src/operations/targets.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { shown, table } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { formProjectOption } from "../../session/config.ts";
import type { Input } from "../../session/input.ts";
import { listAll } from "../../session/pages.ts";
import type { Session } from "../../session/session.ts";

/** `--on changes`: targets of a project, in place of those of a form. */
export function onOption(): Option {
  return new Option("--on <what>", "send something other than submissions, for the project of -p").choices([
    "changes",
  ]);
}

export function addListCommand(targets: Command, io: Io): void {
  type Listed = { project: string; on: "changes" | "notices" } | { form: string };
  const parse = async (input: Input, form?: string): Promise<Listed> => {
    if (input.options["on"] !== undefined) return { project: await input.project(), on: "changes" };
    const project = input.givenProject();
    return form === undefined && project !== undefined
      ? { project, on: "notices" }
      : { form: await input.need(form, "form") };
  };
  targets
    .command("list")
    .alias("ls")
    .argument("[form]", "slug or key of the form")
    .description("list the targets of a form or a project, oldest first")
    .addOption(formProjectOption())
    .addOption(onOption())
    .addOption(fieldOption())
    .addHelpText("after", LIST_HELP)
    .action(
      action(io, parse, async ({ client, print, suggest }: Session, place) => {
        if ("project" in place) {
          const { project, on } = place;
          const listed = await listAll(client, ofProject.list, { names: { project } });
          if (on === "changes") {
            const all = listed.filter((each) => "on" in each);
            const rows = all.map((each) => [each.id, each.target, each.createdAt]);
            return print(all, table(["TARGET", "SENDS CHANGES TO", "CREATED"], rows));
          }
          const all = listed.filter((each): each is TargetView => !("on" in each));
          const rows = all.map((each) => [
            each.id,
            each.target,
            noticesOf(each),
            stateOf(each),
            each.createdAt,
          ]);
          await print(all, table(["TARGET", "SENDS TO", "NOTICES", "STATE", "CREATED"], rows));
          if (all.length === 0)
            suggest(shown`No targets yet. Next: formflag targets add <target> -p ${project}`);
          return;
        }
        const all = await listAll(client, operations.list, { names: place });
        const rows = all.map((each) => [each.id, each.target, stateOf(each), each.createdAt]);
        await print(all, table(["TARGET", "SENDS TO", "STATE", "CREATED"], rows));
        if (all.length === 0)
          suggest(shown`No targets yet. Next: formflag targets add ${place.form} <target>`);
      }),
    );
}

const LIST_HELP = `
Only the host of a URL is shown, because the rest often contains a secret.

Examples:
  formflag targets list contact
  formflag targets list contact --field id
  formflag targets list -p shop
  formflag targets list -p shop --on changes
`;

/** `flag.*, segment.changed in production, every hour`. */
function noticesOf({ environment, events, digest }: TargetView): string {
  const place = environment === null ? "" : ` in ${environment}`;
  return `${events?.join(", ") ?? "all"}${place}${digest === null ? "" : `, every ${durationInWords(digest).replace(/^1 /, "")}`}`;
}

export function stateOf({ enabled }: TargetView): string {
  return enabled ? "enabled" : "disabled";
}
