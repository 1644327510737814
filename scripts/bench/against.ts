import { statSync } from "node:fs";
import { join } from "node:path";
import { type Side, compare } from "./compare.ts";
import { CHECKS } from "./checks.ts";
import { definition } from "./evaluate.ts";
import { type Rounds, type Show, inTurns, median, spreadOf } from "./figure.ts";
import { EXECUTABLE, copyOf, commandLine, startFormflag } from "./formflag.ts";
import type { Request } from "./load.ts";
import { idleMemory, startAndStop, timeOf } from "./start.ts";
import { signIn } from "./dashboard/session.ts";
import { multipart } from "./uploads.ts";
import { JSON_POST, URLENCODED_POST } from "./submissions.ts";

/** The release that the goals allow: nothing is slower than before. */
const GOALS = { goal: "≥ 0.98", cpuGoal: "≤ 1.02" };
const FLAGS = 100;
const SUBMISSIONS = 2000;
const OFREP = "/ofrep/v1/evaluate/flags";

/** An executable with a data directory of its own, filled over its own commands, since schemas differ among releases. */
type Filled = {
  executable: string;
  data: string;
  flags: Record<string, string>;
  rules: Record<string, string>;
  forms: Record<"plain" | "checked" | "uploads", string>;
  submission: string;
};

type Sides = readonly [Filled, Filled];
type Measure = (sides: Sides, directory: string, rounds: Rounds, show: Show) => Promise<void>;

/** The parts that measure the built executable against another one, such as that of the release before: the same requests and commands in turns. */
export function partsAgainst(other: string) {
  const part = (measure: Measure) => async () => async (directory: string, rounds: Rounds, show: Show) => {
    const one = await fill(EXECUTABLE, join(directory, "this"));
    await measure([one, await fill(copyOf(other), join(directory, "other"))], directory, rounds, show);
  };
  const requests = Object.keys(REQUESTS).map((name) => [name, part(measureRequests(name))] as const);
  return { ...Object.fromEntries(requests), commands: part(measureCommands), start: part(measureStart) };
}

async function fill(executable: string, data: string): Promise<Filled> {
  const run = <T>(...args: string[]) => commandLine<T>(executable, data, args);
  type Project = { key: string; environments: { slug: string; key: string }[] };
  const project = await run<Project>("projects", "create", "bench", "--environments", "bench,rules");
  const [flags, rules] = ["bench", "rules"].map((slug) => ({
    "x-project-key": project.key,
    "x-environment-key": project.environments.find((each) => each.slug === slug)!.key,
  }));
  const document = `${data}.json`;
  await Bun.write(document, JSON.stringify({ projects: { bench: { flags: flagsOf() } } }));
  await run("apply", "-f", document);
  const form = async (slug: string, ...settings: string[]) =>
    `/v1/s/${(await run<{ key: string }>("forms", "create", slug, ...settings)).key}?mode=rest`;
  const forms = {
    plain: await form("plain"),
    checked: await form("checked", ...CHECKS, "--duplicates", "60s"),
    uploads: await form("uploads", "--uploads", "on"),
  };
  await form("inbox");
  const lines = Array.from({ length: SUBMISSIONS }, (_, index) =>
    JSON.stringify({
      name: `Person ${index}`,
      email: `person${index}@example.com`,
      message: "Hello. ".repeat(20),
    }),
  );
  await Bun.write(`${data}.jsonl`, lines.join("\n"));
  await run("submissions", "import", "inbox", `${data}.jsonl`);
  const [newest] = await run<{ id: string }[]>("submissions", "list", "inbox", "--limit", "1");
  return { executable, data, flags: flags!, rules: rules!, forms, submission: newest!.id };
}

function flagsOf() {
  const plain = { enabled: true, payload: { color: "green", limit: 10 } };
  return Object.fromEntries(
    Array.from({ length: FLAGS }, (_, index) => [
      `flag-${String(index).padStart(5, "0")}`,
      {
        environments: {
          bench: plain,
          ...(index < FLAGS / 2 && { rules: { enabled: true, ...definition(index) } }),
        },
      },
    ]),
  );
}

/** Requests of a part, each with the connections that repeat it. */
type Load = Request & { connections: number };
type Caller = { url: string; cookie: Record<string, string>; admin: Record<string, string> };

const REQUESTS: Record<string, (filled: Filled, caller: Caller) => Promise<Record<string, Load>>> = {
  async flags({ flags, rules }, { url }) {
    const one = "/api/v1/flags/flag-00050";
    const tag = (await fetch(url + one, { headers: flags })).headers.get("etag")!;
    const context = {
      method: "POST" as const,
      headers: { ...rules, "content-type": "application/json" },
      body: JSON.stringify({ context: { targetingKey: "user-4711", email: "ann@example.com" } }),
      connections: 32,
    };
    return {
      "one flag": { path: one, headers: flags, connections: 32 },
      "one flag as 304": { path: one, headers: { ...flags, "if-none-match": tag }, connections: 32 },
      "100 flags": { path: "/api/v1/flags", headers: flags, connections: 32 },
      "one flag evaluated": { ...context, path: `${OFREP}/flag-00000` },
      "50 flags evaluated": { ...context, path: OFREP },
    };
  },
  submissions: async ({ forms }) => ({
    JSON: { ...JSON_POST, path: forms.plain, connections: 64 },
    urlencoded: { ...URLENCODED_POST, path: forms.plain, connections: 64 },
    "JSON, one after another": { ...JSON_POST, path: forms.plain, connections: 1 },
    "JSON with checks": { ...JSON_POST, path: forms.checked, connections: 64 },
  }),
  async uploads({ forms }) {
    const { body, contentType } = multipart();
    const post = { method: "POST" as const, headers: { "content-type": contentType }, body };
    return { "5 × 900 kB": { ...post, path: forms.uploads, connections: 32 } };
  },
  async api(_filled, { admin }) {
    const get = (path: string) => ({ path: `/api/admin/v1${path}`, headers: admin, connections: 16 });
    return {
      "list of submissions": get("/submissions?form=inbox"),
      "list of flags": get("/projects/bench/environments/bench/flags"),
    };
  },
  async pages({ submission }, { url, cookie }) {
    const page = (path: string) => ({ path: `/dashboard${path}`, headers: cookie, connections: 4 });
    // Its address differs among releases; each leads from the oldest one.
    const flag = await fetch(`${url}/dashboard/projects/bench/environments/bench/flags/flag-00050`, {
      headers: cookie,
    });
    return {
      overview: page(""),
      "inbox of a form": page("/inbox/bench:inbox"),
      submission: page(`/inbox/bench:inbox/${submission}`),
      flags: page("/projects/bench"),
      "a flag": page(flag.url.slice(`${url}/dashboard`.length)),
      history: page("/projects/bench/history"),
    };
  },
};

/** Throughput, CPU of an answer, and the peak of memory. */
function measureRequests(part: string): Measure {
  return async (sides, directory, rounds, show) => {
    const [one, other] = await Promise.all(sides.map((side) => serve(side, part)));
    for (const [name, { connections, ...request }] of Object.entries(one!.requests)) {
      const a: Side = { server: one!.server, request };
      const b: Side = { server: other!.server, request: other!.requests[name]! };
      // A round of the slowest machine has to fit in.
      const seconds = part === "uploads" ? Math.max(rounds.seconds, 4) : rounds.seconds;
      await compare(a, b, { part, name, connections, directory, ...GOALS }, { ...rounds, seconds }, show);
    }
    const peak = one!.server.memory().peak / other!.server.memory().peak;
    show({ part, name: `peak memory of ${part}`, goal: "≤ 1.02", value: peak, spread: [peak, peak] });
    await Promise.all([one!.server.stop(), other!.server.stop()]);
  };
}

async function serve(filled: Filled, part: string) {
  const { executable, data } = filled;
  const server = await startFormflag(data, { executable });
  const { cookie } = await signIn(server, data, executable);
  const { token } = await commandLine<{ token: string }>(executable, data, ["tokens", "create", "bench"]);
  const admin = { authorization: `Bearer ${token}` };
  return { server, requests: await REQUESTS[part]!(filled, { url: server.url, cookie: { cookie }, admin }) };
}

/** Wall time of commands, from start to end of the process. */
async function measureCommands(
  [one, other]: Sides,
  _directory: string,
  { rounds }: Rounds,
  show: Show,
): Promise<void> {
  const flag = ["flag-00050", "-p", "bench", "-e", "bench"];
  const commands = [
    ["--version"],
    ["--help"],
    ["flags", "get", ...flag],
    ["flags", "list", "-p", "bench", "-e", "bench"],
    ["flags", "set", ...flag, "--on"],
    ["forms", "list"],
    ["submissions", "get", one.submission],
    ["projects", "get", "bench"],
  ];
  for (const command of commands) {
    const run = (side: Filled) =>
      timeOf(
        side.executable,
        ...command.map((word) => (word === one.submission ? side.submission : word)),
        "--data",
        side.data,
      );
    const name = command.filter((word) => word !== one.submission && !flag.includes(word)).join(" ");
    await against(
      "commands",
      name,
      "ms",
      rounds * 3,
      () => run(one),
      () => run(other),
      show,
    );
  }
}

/** Start-up, its CPU, stopping and idle memory. */
async function measureStart(sides: Sides, _directory: string, { rounds }: Rounds, show: Show): Promise<void> {
  const [one, other] = sides;
  const serving =
    ({ executable, data }: Filled) =>
    (port: number) => [executable, "serve", "--data", data, "--listen", `127.0.0.1:${port}`];
  const runs: Awaited<ReturnType<typeof startAndStop>>[][] = [[], []];
  for (let round = 0; round < rounds; round += 1)
    for (const [at, side] of sides.entries()) runs[at]!.push(await startAndStop(serving(side)));
  for (const [name, figure] of [
    ["serve to its first answer", "answer"],
    ["CPU of serve until then", "cpu"],
    ["SIGTERM to the end of serve", "stop"],
  ] as const) {
    const [a, b] = runs.map((side) => side.map((run) => run[figure]));
    showTurns("start", name, "ms", a!, b!, show);
  }
  await against(
    "start",
    "idle memory after 3 s",
    "MB",
    3,
    async () => (await idleMemory(serving(one))) / 1e6,
    async () => (await idleMemory(serving(other))) / 1e6,
    show,
  );
  const size = statSync(one.executable).size / statSync(other.executable).size;
  show({ part: "start", name: "executable", goal: "≤ 1.01", value: size, spread: [size, size] });
}

async function against(
  part: string,
  name: string,
  unit: string,
  rounds: number,
  a: () => Promise<number>,
  b: () => Promise<number>,
  show: Show,
): Promise<void> {
  const result = await inTurns(rounds, a, b);
  showTurns(part, name, unit, result.as, result.bs, show);
}

/** Less is better. The ratio is that of the medians: a single start varies by more than what is allowed. */
function showTurns(part: string, name: string, unit: string, as: number[], bs: number[], show: Show): void {
  const [a, b] = [median(as), median(bs)];
  const ratios = as.map((value, round) => value / bs[round]!);
  const detail = `${a.toFixed(1)} to ${b.toFixed(1)} ${unit}`;
  show({ part, name, goal: "≤ 1.02", value: a / b, spread: spreadOf(ratios), detail });
}
