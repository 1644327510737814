import type { Command } from "commander";
import type { User } from "../../../src/access/user.ts";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { path } from "../../session/client.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";

export function addDeleteCommand(users: Command, io: Io): void {
  users
    .command("delete")
    .argument("[name]", "name of the user")
    .description("delete a user, who is signed out everywhere at once")
    .action(action(io, parse, run));
}

async function parse(input: Input, given?: string): Promise<string> {
  return input.need(given, "name");
}

async function run({ client, confirmDelete, report }: Session, given: string): Promise<void> {
  const { name } = await client.call<User>("GET", path`/users/${given}`);
  await confirmDelete("user", name);
  await client.call("DELETE", path`/users/${name}`);
  await report({ name, result: "deleted" }, shown`deleted user ${name}\n`);
}
