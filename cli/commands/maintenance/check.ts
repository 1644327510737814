import type { Command } from "commander";
import { formatBytes } from "../../../src/base/bytes.ts";
import { type CheckResult, checkData, removeOrphans } from "../../../src/maintenance/check.ts";
import { lockData, needDatabase, openApp } from "../../data/open.ts";
import { progressBar } from "../../output/save.ts";
import { Failed, type Io } from "../../output/terminal.ts";
import { table } from "../../output/text.ts";
import { readLocalConfig } from "../../session/config.ts";

export function addCheckCommand(check: Command, io: Io): void {
  check
    .option("--repair", "remove orphans: uploaded files that no submission refers to")
    .addHelpText(
      "after",
      `
Reads the whole database and every uploaded file, and compares each with the size and SHA-256 it was stored with.
It may run beside a server; with --repair the server has to be stopped. Nothing but orphans is ever removed.

Exit code: 0 when all is well, 1 when there are problems.

Examples:
  formflag check
  formflag check --repair
`,
    )
    .action(async function (this: Command) {
      const { data, json, quiet } = readLocalConfig(this);
      needDatabase(data);
      const repair = this.opts<{ repair?: true }>().repair === true;
      // Before it is locked, which opening does too where the database has an older schema.
      await using app = openApp(data, "inline");
      const unlock = repair ? lockData(data) : undefined;
      const isShown = !json && !quiet && io.errIsTerminal;
      const result = await checkData(app, (done, total) => {
        if (isShown) io.redraw(`${progressBar(done / Math.max(1, total))}  ${formatBytes(done)} of files`);
      });
      if (isShown && result.files > 0) io.err("\n");
      const removed = repair ? await removeOrphans(app, result.problems) : 0;
      unlock?.();
      await (json
        ? io.out(`${JSON.stringify({ ...result, removed }, null, 2)}\n`)
        : io.show(describe(result, removed)));
      if (result.problems.length > removed) throw new Failed();
    });
}

function describe({ files, bytes, problems }: CheckResult, removed: number): string {
  const looked = `checked the database and ${files} ${files === 1 ? "file" : "files"} (${formatBytes(bytes)})`;
  if (problems.length === 0) return `${looked}: all is well\n`;
  const rows = problems.map(({ kind, what, message }) => [kind, what, message]);
  const orphans = problems.filter(({ kind }) => kind === "orphan").length;
  const next = [
    removed > 0 ? `removed ${removed} ${removed === 1 ? "orphan" : "orphans"}\n` : "",
    orphans > removed ? "remove orphans with: formflag check --repair\n" : "",
  ];
  const found = `${problems.length} ${problems.length === 1 ? "problem" : "problems"}`;
  return `${table(["PROBLEM", "WHAT", "DETAIL"], rows)}\n${looked}: ${found}\n${next.join("")}`;
}
