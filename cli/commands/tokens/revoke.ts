import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { path } from "../../session/client.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";

export function addRevokeCommand(tokens: Command, io: Io): void {
  tokens
    .command("revoke")
    .argument("[name]", "name of the token")
    .description("revoke a token at once")
    .action(action(io, parse, run));
}

async function parse(input: Input, given?: string): Promise<string> {
  return input.need(given, "name");
}

async function run({ client, report }: Session, name: string): Promise<void> {
  await client.call("DELETE", path`/tokens/${name}`);
  await report({ name, result: "revoked" }, shown`revoked token ${name}\n`);
}
