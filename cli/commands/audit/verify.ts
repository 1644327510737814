import type { Command } from "commander";
import { createChainCheck } from "../../../src/access/audit/verify.ts";
import { audit as operations } from "../../../src/operations/access/audit.ts";
import { Failed } from "../../exit.ts";
import type { Io } from "../../output/terminal.ts";
import { action } from "../../session/action.ts";
import { chunksOf } from "../../session/connection.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { usage } from "../../session/usage.ts";

export function addVerifyCommand(audit: Command, io: Io): void {
  audit
    .command("verify")
    .argument("[file]", "export of the whole log, or a file of serve --audit-file (default: the data)")
    .description("check that every entry is chained to the one before it")
    .option("--head <id:hash>", "entry that must be in the chain, as an earlier verify printed it")
    .addHelpText(
      "after",
      `
Someone who can write to the database can also compute a new chain. So keep the head, which verify prints, or a copy of
the log in another place. If verify --head succeeds, nothing up to that entry was changed or removed.

Exit code: 0 if the chain is complete, 1 if it is broken.

Examples:
  formflag audit verify
  formflag audit verify --head 1842:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
  formflag audit verify audit.jsonl
`,
    )
    .action(action(io, parse, run));
}

type Values = { file: string | undefined; head: { id: number; hash: string } | null };

function parse({ options }: Input, file?: string): Values {
  const { head } = options as { head?: string };
  if (head === undefined) return { file, head: null };
  const [, id, hash] = /^(\d{1,15}):([0-9a-f]{64})$/i.exec(head.trim()) ?? [];
  if (hash === undefined) throw usage(`--head ${head} is not an entry`, "it looks like 1842:9f86d08…");
  return { file, head: { id: Number(id), hash: hash.toLowerCase() } };
}

async function run(session: Session, { file, head }: Values): Promise<void> {
  const body =
    file === undefined
      ? (await session.client.open(operations.export, { query: { whole: "true" } })).body
      : Bun.file(file).stream();
  const check = createChainCheck();
  let isFound = head === null;
  let fault: string | null = null;
  for await (const line of linesOf(body)) {
    fault = check.add(line);
    if (fault !== null) break;
    const newest = check.newest()!;
    if (head === null || newest.id !== head.id) continue;
    isFound = newest.hash === head.hash;
    if (!isFound) fault = `entry ${head.id} is not the one that was kept: its hash is ${newest.hash}`;
    if (fault !== null) break;
  }
  if (fault === null && !isFound) fault = `entry ${head?.id} is not in the log any more`;
  const [first, newest, entries] = [check.first(), check.newest(), check.count()];
  const found =
    newest === null
      ? "The audit log is empty.\n"
      : `${entries} ${entries === 1 ? "entry" : "entries"}, ${first} to ${newest.id}\nhead ${newest.id}:${newest.hash}\n`;
  const whole =
    "The chain is whole. Keep the head elsewhere: it proves later that nothing up to it was changed.\n";
  const text =
    fault === null ? found + (newest === null ? "" : whole) : `${found}The chain breaks: ${fault}.\n`;
  await session.print({ whole: fault === null, entries, first, head: newest, fault }, text);
  if (fault !== null) throw new Failed();
}

/** The lines of a body, without empty ones. */
async function* linesOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunksOf(body)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop()!;
    for (const line of lines) if (line !== "") yield line;
  }
  if (rest !== "") yield rest;
}
