import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

/**
 * npm run rig [-- FILE…] [--pooler-only] [--direct-only]: kills, cuts off and deceives three servers of one database for as
 * long as it takes to be sure, then the same behind pgbouncer if that is installed. test/rig holds the trials.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { "pooler-only": { type: "boolean" }, "direct-only": { type: "boolean" } },
});
const hasPooler = Bun.which("pgbouncer", { PATH: `${process.env["PATH"]}:/usr/sbin` }) !== null;
if (!hasPooler) console.error("pgbouncer is not installed: its trials are skipped");

let failed = false;
if (!values["pooler-only"]) await run("PostgreSQL", {});
if (hasPooler && !values["direct-only"])
  await run("PostgreSQL behind pgbouncer in transaction mode", { FORMFLAG_RIG_POOLER: "1" });
process.exitCode = failed ? 1 : 0;

/** Runs the trials and prints what those that passed have measured. */
async function run(name: string, env: Record<string, string>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "formflag-rig-"));
  const file = join(directory, "report");
  const files =
    positionals.length > 0 ? positionals.map((each) => `test/rig/${each}.full.test.ts`) : ["test/rig"];
  console.log(`\n${name}\n`);
  const child = Bun.spawn([process.execPath, "test", "--timeout", "600000", ...files], {
    env: { ...process.env, ...env, FORMFLAG_RIG: "full", FORMFLAG_RIG_REPORT: file },
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
  });
  const exitCode = await child.exited;
  failed ||= exitCode !== 0;
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  rmSync(directory, { recursive: true });
  console.log();
  for (const line of lines) {
    const { trial, figures } = JSON.parse(line) as { trial: string; figures: string };
    console.log(`${trial.padEnd(36)} ${figures}`);
  }
}
