import type { Command } from "commander";
import type { Role } from "../../../src/access/role.ts";
import type { User } from "../../../src/access/user.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { BEGINS, action } from "../../session/action.ts";
import { path } from "../../session/client.ts";
import { create, ifNotExistsOption } from "../../session/create.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { describeUser } from "./describe.ts";
import { readRole, roleOption } from "./role-option.ts";

export function addCreateCommand(users: Command, io: Io): void {
  users
    .command("create")
    .argument("[name]", "name of the new user")
    .description("create a user of the dashboard")
    .addOption(roleOption())
    .addOption(ifNotExistsOption("the user"))
    .addOption(fieldOption())
    .addHelpText(
      "after",
      `
A new user has no password, and signs in by a link: see users link. Users and tokens share their names.

Examples:
  formflag users create ann --role editor
`,
    )
    .action(action(io, parse, run, BEGINS));
}

type Values = { user: { name: string; role: Role }; ifNotExists: boolean };

async function parse(input: Input, given?: string): Promise<Values> {
  const name = await input.need(given, "name");
  return { user: { name, role: await readRole(input) }, ifNotExists: input.options["ifNotExists"] === true };
}

async function run({ client, report, suggest }: Session, { user, ifNotExists }: Values): Promise<void> {
  const find = () => client.call<User>("GET", path`/users/${user.name}`);
  const created = await create(client, "/users", user, ifNotExists ? find : null);
  await report(created, describeUser(created));
  suggest(shown`\nNext: formflag users link ${user.name}`);
}
