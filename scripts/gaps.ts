/**
 * Starts the built executable, sends it the inputs that cost most, one after another, and reports for each how long the
 * serving thread answered no request: `bun scripts/gaps.ts [--postgres] [pattern]`. Busy machines stretch times, so that what counts is the
 * processor time of that thread between two answers to /healthz, of which one is always asked for.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Scenario } from "./gaps-client.ts";
import { parseArgs } from "node:util";
import { createPostgres } from "../test/support/postgres/postgres-server.ts";
import { scenarios } from "./gaps-inputs.ts";

const EXECUTABLE = join(import.meta.dir, "../dist/formflag");
const data = mkdtempSync(join(tmpdir(), "formflag-gaps-"));
const { values, positionals } = parseArgs({
  options: { postgres: { type: "boolean" } },
  allowPositionals: true,
});
const only = new RegExp(positionals[0] ?? "");
const postgres = values.postgres ? await createPostgres() : null;
const env = { ...process.env, ...(postgres && { FORMFLAG_DATABASE_URL: postgres.url("postgres") }) };
const place = postgres ? [] : ["--data", data];

function run(...args: string[]): string {
  const { stdout, stderr, exitCode } = Bun.spawnSync([EXECUTABLE, ...args, ...place], { env });
  if (exitCode !== 0) throw new Error(stderr.toString());
  return stdout.toString().trim();
}

async function start() {
  const child = Bun.spawn([EXECUTABLE, "serve", "--listen", "127.0.0.1:0", "--data", data], {
    env,
    stdout: "ignore",
    stderr: "pipe",
  });
  let text = "";
  for await (const chunk of child.stderr) {
    text += Buffer.from(chunk).toString();
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0];
    if (url !== undefined) return { child, url };
  }
  throw new Error(`the server did not start: ${text}`);
}

/** Milliseconds that the main thread of a process has run. */
function cpuOf(pid: number): number {
  if (server.child.exitCode !== null) return 0;
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
}

let server = await start();

/** Runs a scenario, and returns the most processor time and the longest time between two answers meanwhile. */
async function measure(work: Promise<unknown>): Promise<{ cpu: number; wall: number; outcome: unknown }> {
  let isOver = false;
  const outcome = work.finally(() => (isOver = true)).catch((error: unknown) => String(error));
  const worst = { cpu: 0, wall: 0 };
  for (;;) {
    const { pid } = server.child;
    const before = { cpu: cpuOf(pid), wall: performance.now() };
    const isAnswered = await fetch(`${server.url}/healthz`).then(
      () => pid === server.child.pid,
      () => Bun.sleep(5).then(() => false),
    );
    if (isAnswered) {
      worst.cpu = Math.max(worst.cpu, cpuOf(pid) - before.cpu);
      worst.wall = Math.max(worst.wall, performance.now() - before.wall);
    }
    if (isOver) return { ...worst, outcome: await outcome };
  }
}

async function report(scenario: Scenario): Promise<void> {
  const context = { url: () => server.url, token, run, restart };
  const { cpu, wall, outcome } = await measure(scenario.work(context));
  console.log(
    `${cpu.toFixed(0).padStart(6)} ms ${wall.toFixed(0).padStart(6)} ms  ${scenario.name}  ${String(outcome)}`,
  );
}

async function restart(): Promise<void> {
  server.child.kill("SIGTERM");
  await server.child.exited;
  server = await start();
}

const token = run("tokens", "create", "gaps");
try {
  console.log("   cpu      wall    scenario, statuses");
  for (const scenario of scenarios) {
    if (scenario.isSetup !== true && !only.test(scenario.name)) continue;
    await report(scenario);
  }
} finally {
  server.child.kill("SIGKILL");
  await server.child.exited;
  rmSync(data, { recursive: true, force: true });
  await postgres?.stop();
}
