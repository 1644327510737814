import type { Command } from "commander";
import type { Token } from "../../../src/access/token.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { table } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { listAll } from "../../session/pages.ts";
import type { Session } from "../../session/session.ts";

export function addListCommand(tokens: Command, io: Io): void {
  tokens
    .command("list")
    .alias("ls")
    .description("list tokens by name, without their secrets")
    .addOption(fieldOption())
    .action(action(io, () => {}, run));
}

async function run({ client, print }: Session): Promise<void> {
  const all = await listAll<Token>(client, "/tokens", "tokens");
  const rows = all.map(({ name, scopes, project, environment, createdAt, expiresAt }) => [
    name,
    [scopes.join(", "), [project, environment].filter(Boolean).join("/")].join(" ").trimEnd(),
    createdAt,
    expiresAt ?? "never",
  ]);
  await print(all, table(["TOKEN", "SCOPES", "CREATED", "EXPIRES"], rows));
}
