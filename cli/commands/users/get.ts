import type { Command } from "commander";
import type { User } from "../../../src/access/user.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { action } from "../../session/action.ts";
import { path } from "../../session/client.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { describeUser } from "./describe.ts";

export function addGetCommand(users: Command, io: Io): void {
  users
    .command("get")
    .argument("[name]", "name of the user")
    .description("show a user")
    .addOption(fieldOption())
    .action(action(io, parse, run));
}

async function parse(input: Input, given?: string): Promise<string> {
  return input.need(given, "name");
}

async function run({ client, print }: Session, name: string): Promise<void> {
  const user = await client.call<User>("GET", path`/users/${name}`);
  await print(user, describeUser(user));
}
