import type { Command } from "commander";
import type { TargetView } from "../../../src/delivery/target.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { action } from "../../session/action.ts";
import { path } from "../../session/client.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { describeTarget } from "./describe.ts";

export function addGetCommand(targets: Command, io: Io): void {
  targets
    .command("get")
    .argument("[id]", "id of the target")
    .description("show a target, without its secret")
    .addOption(fieldOption())
    .action(action(io, parse, run));
}

async function parse(input: Input, given?: string): Promise<string> {
  return input.need(given, "id");
}

async function run({ client, print }: Session, id: string): Promise<void> {
  const target = await client.call<TargetView>("GET", path`/targets/${id}`);
  await print(target, describeTarget(target));
}
