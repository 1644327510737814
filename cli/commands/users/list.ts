import type { Command } from "commander";
import type { User } from "../../../src/access/user.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { table } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { listAll } from "../../session/pages.ts";
import type { Session } from "../../session/session.ts";

export function addListCommand(users: Command, io: Io): void {
  users
    .command("list")
    .alias("ls")
    .description("list users by name")
    .addOption(fieldOption())
    .action(action(io, () => {}, run));
}

async function run({ client, print, suggest }: Session): Promise<void> {
  const all = await listAll<User>(client, "/users", "users");
  const rows = all.map(({ name, role, hasPassword, createdAt }) => [
    name,
    role,
    hasPassword ? "set" : "not set",
    createdAt,
  ]);
  await print(all, table(["USER", "ROLE", "PASSWORD", "CREATED"], rows));
  if (all.length === 0) suggest("No users yet. Next: formflag users link");
}
