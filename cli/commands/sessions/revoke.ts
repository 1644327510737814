import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { path } from "../../session/client.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";

export function addRevokeCommand(sessions: Command, io: Io): void {
  sessions
    .command("revoke")
    .argument("[id]", "id of the session, as sessions list shows it")
    .description("sign a browser out at once")
    .action(action(io, parse, run));
}

async function parse(input: Input, given?: string): Promise<string> {
  return input.need(given, "id");
}

async function run({ client, report }: Session, id: string): Promise<void> {
  await client.call("DELETE", path`/sessions/${id}`);
  await report({ id, result: "revoked" }, shown`revoked session ${id}\n`);
}
