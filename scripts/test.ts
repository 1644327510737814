import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createPostgres, hasPostgres } from "../test/support/postgres/postgres-server.ts";
import { fastDirectory } from "../test/support/temp.ts";

/**
 * npm test [-- PATH…], npm run test:full [-- --rest] [-- PATH…]: runs test files side by side, the slowest first. Without
 * `--full` it leaves out `*.full.test.ts`, with `--rest` it runs only these. Each run has an order of its own, which
 * `--seed` repeats. `--update-timings` writes test/timings.json, `--report` a report in the format of JUnit.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    full: { type: "boolean", default: false },
    rest: { type: "boolean", default: false },
    seed: { type: "string", default: String(crypto.getRandomValues(new Uint32Array(1))[0]! % 100_000) },
    workers: { type: "string", default: String(availableParallelism() + 1) },
    "update-timings": { type: "boolean", default: false },
    report: { type: "string" },
  },
});

/** A case of the report that failed. */
const FAILED = /<testcase name="([^"]*)" classname="([^"]*)"[^>]* file="([^"]*)"[^>]*>\s*<failure/g;

const ROOT = join(import.meta.dir, "..");
const isFull = values.full || values.rest;
const directory = mkdtempSync(join(fastDirectory(), "formflag-tests-"));
const temporary = join(directory, "tmp");
mkdirSync(temporary);
// Only the full run has a disk for what is about one.
const disk = mkdtempSync(join(isFull ? tmpdir() : directory, "formflag-disk-"));
// A server that a test starts as another user has its directory there too.
for (const each of [directory, disk]) chmodSync(each, 0o755);
const skips = join(directory, "skips");
const report = values.report ?? join(directory, "report.xml");
// The workers share it, each with databases of its own.
const postgres = hasPostgres() ? await createPostgres() : null;

const child = Bun.spawn(
  [
    process.execPath,
    "test",
    "--timeout=60000",
    `--parallel=${values.workers}`,
    // As in one process, files of a worker share its modules, its browser and what its compiler has learned.
    "--no-isolate",
    `--seed=${values.seed}`,
    "--randomize",
    `--timings=${join(ROOT, "test/timings.json")}`,
    ...(values["update-timings"] ? ["--update-timings"] : []),
    "--dots",
    "--reporter=junit",
    `--reporter-outfile=${report}`,
    ...(isFull ? [] : ["--path-ignore-patterns=**/*.full.test.ts"]),
    ...(values.rest ? [".full.test.ts"] : []),
    ...positionals,
  ],
  {
    cwd: ROOT,
    env: {
      ...process.env,
      TMPDIR: temporary,
      FORMFLAG_TEST_DISK: disk,
      FORMFLAG_TEST_SKIPS: skips,
      ...(postgres && { FORMFLAG_TEST_POSTGRES: String(postgres.port) }),
    },
    stdio: ["ignore", "inherit", "inherit"],
  },
);
process.exitCode = await child.exited;
await postgres?.stop();

const xml = existsSync(report) ? readFileSync(report, "utf8") : "";
for (const [, title, suite, file] of xml.matchAll(FAILED)) {
  const names = [file, suite, title].filter(Boolean).map((name) => unescaped(name!));
  console.log(`failed: ${names.join(" > ")}`);
}
const reasons = existsSync(skips) ? readFileSync(skips, "utf8").split("\n").filter(Boolean) : [];
for (const reason of new Set(reasons)) console.log(`skipped: ${reason}`);
const counts = /tests="(\d+)" .*?failures="(\d+)" skipped="(\d+)"/.exec(xml);
if (counts) {
  const [tests = 0, failed = 0, skipped = 0] = counts.slice(1).map(Number);
  console.log(`${tests - failed - skipped} passed, ${failed} failed, ${skipped} skipped`);
}
if (process.exitCode !== 0) console.log(`the same order again: add -- --seed ${values.seed}`);
for (const each of [directory, disk]) rmSync(each, { recursive: true, force: true, maxRetries: 3 });

function unescaped(text: string): string {
  const signs: Record<string, string> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
  return text.replaceAll(/&(\w+);/g, (entity, name: string) => signs[name] ?? entity);
}
