import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createPostgres, hasPostgres } from "../test/support/postgres/postgres-server.ts";
import { fastDirectory } from "../test/support/temp.ts";

/**
 * npm test [-- PATH…], npm run test:full [-- --rest] [-- PATH…]: runs test files side by side. Without `--full` it leaves
 * out `*.full.test.ts`, with `--rest` it runs only these. Each run has an order of its own, which `--seed` repeats.
 * `--update-timings` writes test/timings.json, `--report` a report in the format of JUnit.
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
// Tests of faults need a disk, but only in the full run.
const disk = mkdtempSync(join(isFull ? tmpdir() : directory, "formflag-disk-"));
// A server that a test starts as another user has its directory there too.
for (const each of [directory, disk]) chmodSync(each, 0o755);
const skips = join(directory, "skips");
const TIMINGS = join(ROOT, "test/timings.json");
// The workers share it, each with databases of its own.
const postgres = hasPostgres() ? await createPostgres() : null;

/** The part of the time that the slowest files have, which leaves short ones for the end. */
const SLOW_PART = 0.55;

/**
 * The files of each run, which go on side by side: in one of random order, all cores but one would wait for a slow file that
 * begins late.
 */
function groupsOfFiles(): string[][] {
  if (!isFull || positionals.length > 0 || values.report || values["update-timings"])
    return [[...(values.rest ? [".full.test.ts"] : []), ...positionals]];
  const { files } = JSON.parse(readFileSync(TIMINGS, "utf8")) as { files: Record<string, number> };
  const timeOf = (file: string) => files[file] ?? 0;
  const ending = values.rest ? ".full.test.ts" : ".test.ts";
  const all = [...new Bun.Glob(`test/**/*${ending}`).scanSync(ROOT)].toSorted(
    (a, b) => timeOf(b) - timeOf(a),
  );
  let left = all.reduce((sum, file) => sum + timeOf(file), 0) * SLOW_PART;
  const slow = all.filter((file) => left > 0 && ((left -= timeOf(file)), true));
  return [slow, all.slice(slow.length)].map((group) => group.map((file) => `./${file}`));
}

const groups = groupsOfFiles();
const runs = groups.map((paths, index) => {
  const report = values.report ?? join(directory, `report-${index}.xml`);
  const child = Bun.spawn(
    [
      process.execPath,
      "test",
      "--timeout=60000",
      `--parallel=${Math.ceil(Number(values.workers) / groups.length)}`,
      // As in one process, files of a worker share its modules, its browser and what its compiler has learned.
      "--no-isolate",
      `--seed=${values.seed}`,
      "--randomize",
      ...(values["update-timings"] ? [`--timings=${TIMINGS}`, "--update-timings"] : []),
      "--dots",
      "--reporter=junit",
      `--reporter-outfile=${report}`,
      ...(isFull ? [] : ["--path-ignore-patterns=**/*.full.test.ts"]),
      ...paths,
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
  return { report, child };
});
const codes = await Promise.all(runs.map(({ child }) => child.exited));
process.exitCode = codes.find((code) => code !== 0) ?? 0;
await postgres?.stop();

const xml = runs.map(({ report }) => (existsSync(report) ? readFileSync(report, "utf8") : ""));
for (const [, title, suite, file] of xml.join("").matchAll(FAILED)) {
  const names = [file, suite, title].filter(Boolean).map((name) => unescaped(name!));
  console.log(`failed: ${names.join(" > ")}`);
}
const reasons = existsSync(skips) ? readFileSync(skips, "utf8").split("\n").filter(Boolean) : [];
for (const reason of new Set(reasons)) console.log(`skipped: ${reason}`);
const counts = xml.map((each) => /tests="(\d+)" .*?failures="(\d+)" skipped="(\d+)"/.exec(each));
if (counts.some((count) => count !== null)) {
  const sumOf = (at: number) => counts.reduce((sum, count) => sum + Number(count?.[at] ?? 0), 0);
  const [tests, failed, skipped] = [sumOf(1), sumOf(2), sumOf(3)];
  console.log(`${tests - failed - skipped} passed, ${failed} failed, ${skipped} skipped`);
}
if (process.exitCode !== 0) console.log(`the same order again: add -- --seed ${values.seed}`);
for (const each of [directory, disk]) rmSync(each, { recursive: true, force: true, maxRetries: 3 });

function unescaped(text: string): string {
  const signs: Record<string, string> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
  return text.replaceAll(/&(\w+);/g, (entity, name: string) => signs[name] ?? entity);
}
