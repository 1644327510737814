import type { Command } from "commander";
import type { TargetView } from "../../../src/delivery/target.ts";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { path } from "../../session/client.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";

export function addDeleteCommand(targets: Command, io: Io): void {
  targets
    .command("delete")
    .argument("[id]", "id of the target")
    .description("delete a target; what waits for it is cancelled")
    .action(action(io, parse, run));
}

async function parse(input: Input, given?: string): Promise<string> {
  return input.need(given, "id");
}

async function run({ client, confirmDelete, report }: Session, id: string): Promise<void> {
  const url = path`/targets/${id}`;
  const { form, target } = await client.call<TargetView>("GET", url);
  await confirmDelete("target", id, ` of form ${form} (${target})`);
  await client.call("DELETE", url);
  await report({ id, result: "deleted" }, shown`deleted target ${id}\n`);
}
