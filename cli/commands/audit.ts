import type { Command } from "commander";
import type { Io } from "../output/terminal.ts";
import { DEFAULT_PAGE, MAX_PAGE } from "../../src/base/pages.ts";
import { audit as operations } from "../../src/operations/access/audit.ts";
import { counted, table } from "../output/text.ts";
import type { Input } from "../session/input.ts";
import { listAll } from "../session/pages.ts";
import type { Session } from "../session/session.ts";
import { heard } from "../session/command-line.ts";
import { countValue, pastTimeValue } from "../session/values.ts";
import { exportFormat, saveTo, writeOut } from "../output/save.ts";
import { clock } from "../../src/base/clock.ts";
import { createChainCheck } from "../../src/access/audit/verify.ts";
import { Failed } from "../exit.ts";
import { chunksOf } from "../session/connection.ts";
import { usage } from "../session/usage.ts";
import { type Taken, verb } from "../session/verb.ts";

export function addAuditCommands(audit: Command, io: Io): void {
  heard(audit)`
[list export] --flag --feature: formflag flags history $1 lists the changes of a flag
[list export] --form: formflag forms history $1 lists the changes of a form
[list export] -e --environment: --project is as far as it goes: formflag history lists changes with their environment
`;
  audit.after(`
The audit log records who did what. A hash chains every entry to the one before it. For changes of flags and segments,
see formflag history.

Examples:
  formflag audit list --since 7d --who ann
  formflag audit list --action token -p shop
  formflag audit export -o audit.jsonl
  formflag audit verify
`);
  addListCommand(audit, io);
  addExportCommand(audit, io);
  addVerifyCommand(audit, io);
}

const FILTERS: readonly Taken[] = [
  "project",
  ["--action <action>", "only this action, such as token.create, or token for all of its actions"],
  ["--who <name>", "only actions of this user, token or operator"],
  ["--since <time>", "only from this time on: ISO 8601, or a time before now such as 7d"],
  ["--until <time>", "only before this time"],
];

const addListCommand = verb("list ls", {
  description: "list the entries of the audit log, newest first",
  options: [
    ...FILTERS,
    ["--limit <n>", "how many at most (default: 50)"],
    ["--before <id>", "only entries older than this one"],
    "field",
  ],
  parse: parseList,
  run: async ({ client, print, suggest }, { query, limit }) => {
    const page = { cursor: "before", limit, maxPage: MAX_PAGE } as const;
    const entries = await listAll(client, operations.list, { query, ...page });
    const rows = entries.map(({ id, at, who, type, action: done, project, object, details, address }) => [
      String(id),
      at,
      who ?? "",
      type,
      done,
      project ?? "",
      object ?? "",
      Object.keys(details).length === 0 ? "" : JSON.stringify(details),
      address ?? "",
    ]);
    const head = ["ID", "AT", "WHO", "TYPE", "ACTION", "PROJECT", "OBJECT", "DETAILS", "ADDRESS"];
    await print(entries, table(head, rows));
    if (entries.length === 0) suggest("No such entry is in the audit log.");
  },
});

function parseList(input: Input) {
  const { limit, before } = input.options as Record<string, string | undefined>;
  return {
    query: { ...filterIn(input), before: before === undefined ? undefined : countValue(before, "--before") },
    limit: limit === undefined ? DEFAULT_PAGE : countValue(limit, "--limit", 1),
  };
}

const addExportCommand = verb("export", {
  description: "write the audit log as JSON lines, oldest first",
  options: [...FILTERS, ["-o, --output <file>", "output file, or - for standard output", "-"]],
  help: "\nExample:\n  formflag audit export -o audit.jsonl\n",
  parse: parseExport,
  run: async ({ client, io }, { query, output }) => {
    const answer = await client.open(operations.export, { query });
    if (output === "-") await writeOut(io, answer);
    else await saveTo(output, answer);
  },
});

function parseExport(input: Input) {
  const output = String(input.options["output"]);
  exportFormat(output, ["jsonl"]);
  return { query: filterIn(input), output };
}

function filterIn({ options }: Pick<Input, "options">) {
  const { project, action, who, since, until } = options as Record<string, string | undefined>;
  const timeOf = (text: string | undefined, option: string) =>
    text === undefined ? undefined : pastTimeValue(text, option, clock.now());
  return { project, action, who, since: timeOf(since, "--since"), until: timeOf(until, "--until") };
}

const addVerifyCommand = verb("verify", {
  argument: ["[file]", "export of the whole log, or a file of serve --audit-file (default: the data)"],
  description: "check that every entry is chained to the one before it",
  options: [["--head <id:hash>", "entry that must be in the chain, as an earlier verify printed it"]],
  help: `
Someone who can write to the database can also compute a new chain. So keep the head, which verify prints, or a copy of
the log in another place. If verify --head succeeds, nothing up to that entry was changed or removed.

Exit code: 0 if the chain is complete, 1 if it is broken.

Examples:
  formflag audit verify
  formflag audit verify --head 1842:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
  formflag audit verify audit.jsonl
`,
  parse: ({ options }, file) => {
    const { head } = options as { head?: string };
    if (head === undefined) return { file, head: null };
    const [, id, hash] = /^(\d{1,15}):([0-9a-f]{64})$/i.exec(head.trim()) ?? [];
    if (hash === undefined) throw usage(`--head ${head} is not an entry`, "it looks like 1842:9f86d08…");
    return { file, head: { id: Number(id), hash: hash.toLowerCase() } };
  },
  run: verify,
});

type Values = { file: string | undefined; head: { id: number; hash: string } | null };

async function verify(session: Session, { file, head }: Values): Promise<void> {
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
    if (!isFound) fault = `entry ${head.id} differs from the kept head: its hash is ${newest.hash}`;
    if (fault !== null) break;
  }
  if (fault === null && !isFound) fault = `entry ${head?.id} is not in the log any more`;
  const [first, newest, entries] = [check.first(), check.newest(), check.count()];
  const found =
    newest === null
      ? "The audit log is empty.\n"
      : `${counted(entries, "entry", "entries")}, ${first} to ${newest.id}\nhead ${newest.id}:${newest.hash}\n`;
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
