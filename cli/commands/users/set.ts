import type { Command } from "commander";
import type { Role } from "../../../src/access/role.ts";
import type { User } from "../../../src/access/user.ts";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { path } from "../../session/client.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { readRole, roleOption } from "./role-option.ts";

export function addSetCommand(users: Command, io: Io): void {
  users
    .command("set")
    .argument("[name]", "name of the user")
    .description("change the role of a user, at once")
    .addOption(roleOption())
    .addHelpText("after", "\nExamples:\n  formflag users set ann --role releaser\n")
    .action(action(io, parse, run));
}

type Values = { name: string; role: Role };

async function parse(input: Input, given?: string): Promise<Values> {
  return { name: await input.need(given, "name"), role: await readRole(input) };
}

async function run({ client, report }: Session, { name, role }: Values): Promise<void> {
  const user = await client.call<User & { result: string }>("PATCH", path`/users/${name}`, { role });
  const text = user.result === "unchanged" ? "unchanged" : "updated";
  await report(user, shown`${text} user ${name}: the role is ${user.role}\n`);
}
