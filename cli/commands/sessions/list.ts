import type { Command } from "commander";
import type { viewSession } from "../../../src/access/session.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { shorten, table } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import type { Input } from "../../session/input.ts";
import { listAll } from "../../session/pages.ts";
import type { Session } from "../../session/session.ts";

export function addListCommand(sessions: Command, io: Io): void {
  sessions
    .command("list")
    .alias("ls")
    .description("list the browsers that are signed in, the one used last first")
    .option("--user <user>", "only those of a user")
    .addOption(fieldOption())
    .action(action(io, parse, run));
}

function parse(input: Input): Record<string, string> {
  const { user } = input.options as { user?: string };
  return user === undefined ? {} : { user };
}

type Shown = ReturnType<typeof viewSession>;

async function run({ client, print, suggest }: Session, query: Record<string, string>): Promise<void> {
  const all = await listAll<Shown>(client, "/sessions", "sessions", { query });
  const rows = all.map(({ id, user, method, seenAt, createdAt, address, agent }) => [
    id,
    user,
    method,
    seenAt,
    createdAt,
    address,
    shorten(agent, 60),
  ]);
  await print(all, table(["ID", "USER", "SIGNED IN BY", "LAST USED", "SINCE", "ADDRESS", "BROWSER"], rows));
  if (all.length === 0) suggest("Nobody is signed in.");
}
