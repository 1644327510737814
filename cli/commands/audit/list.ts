import type { Command } from "commander";
import { DEFAULT_PAGE, MAX_PAGE } from "../../../src/base/pages.ts";
import { audit as operations } from "../../../src/operations/access/audit.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { table } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import type { Input } from "../../session/input.ts";
import { listAll } from "../../session/pages.ts";
import type { Session } from "../../session/session.ts";
import { countValue } from "../../session/values.ts";
import { filterIn, withFilters } from "./filter.ts";

export function addListCommand(audit: Command, io: Io): void {
  withFilters(
    audit.command("list").alias("ls").description("list the entries of the audit log, newest first"),
  )
    .option("--limit <n>", "how many at most (default: 50)")
    .option("--before <id>", "only entries older than this one")
    .addOption(fieldOption())
    .action(action(io, parse, run));
}

function parse(input: Input) {
  const { limit, before } = input.options as Record<string, string | undefined>;
  return {
    query: { ...filterIn(input), before: before === undefined ? undefined : countValue(before, "--before") },
    limit: limit === undefined ? DEFAULT_PAGE : countValue(limit, "--limit", 1),
  };
}

async function run({ client, print, suggest }: Session, { query, limit }: ReturnType<typeof parse>) {
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
}
