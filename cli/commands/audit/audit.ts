import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { loadVerbs } from "../load-verbs.ts";

const VERBS: Parameters<typeof loadVerbs>[3] = [
  ["list", async () => (await import("./list.ts")).addListCommand],
  ["export", async () => (await import("./export.ts")).addExportCommand],
  ["verify", async () => (await import("./verify.ts")).addVerifyCommand],
];

export async function addAuditCommands(audit: Command, io: Io, args: readonly string[]): Promise<void> {
  audit.addHelpText(
    "after",
    `
The audit log records who did what. A hash chains every entry to the one before it. For changes of flags and segments,
see formflag history.

Examples:
  formflag audit list --since 7d --who ann
  formflag audit list --action token -p shop
  formflag audit export -o audit.jsonl
  formflag audit verify
`,
  );
  await loadVerbs(audit, io, args, VERBS);
}
