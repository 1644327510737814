import type { Command } from "commander";
import type { TargetView } from "../../../src/delivery/target.ts";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { path } from "../../session/client.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { describeTarget } from "./describe.ts";

export function addEnableCommand(targets: Command, io: Io): void {
  targets
    .command("enable")
    .argument("[id]", "id of the target")
    .description("send new submissions to a target again")
    .action(action(io, parse, (session, id) => run(session, id, true)));
}

export function addDisableCommand(targets: Command, io: Io): void {
  targets
    .command("disable")
    .argument("[id]", "id of the target")
    .description("send nothing more to a target; what waits for it is cancelled")
    .action(action(io, parse, (session, id) => run(session, id, false)));
}

async function parse(input: Input, given?: string): Promise<string> {
  return input.need(given, "id");
}

async function run({ client, report }: Session, id: string, enabled: boolean): Promise<void> {
  const target = await client.call<TargetView & { result: string }>("PATCH", path`/targets/${id}`, {
    enabled,
  });
  await report(target, shown`${target.result} target ${id}\n` + describeTarget(target));
}
