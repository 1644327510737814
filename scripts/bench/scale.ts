import { join } from "node:path";
import { compare } from "./compare.ts";
import { type Rounds, type Show, inTurns, median, spreadOf } from "./figure.ts";
import {
  type Formflag,
  adminHeaders,
  fillForm,
  flagName,
  createFlags,
  createForm,
  createProject,
  startFormflag,
  timeToAnswer,
} from "./formflag.ts";
import type { Request } from "./load.ts";

const MANY = 1_000_000;
/** Submissions of the small server: enough for whole pages. */
const FEW = 1000;
const FLAGS = 10_000;
const ENVIRONMENTS = 1000;

const POST = {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ name: "Ann Example", message: "Hello there. ".repeat(20) }),
} as const;

/** Measures what should not grow with the data. */
export async function measureScale(directory: string, rounds: Rounds, show: Show): Promise<void> {
  await measureSubmissions(directory, rounds, show);
  await measureFlags(directory, rounds, show);
}

async function measureSubmissions(directory: string, rounds: Rounds, show: Show): Promise<void> {
  const open = async (name: string, count: number) => {
    const data = join(directory, name);
    const path = await createForm(data, "bench");
    const middle = await fillForm(data, "bench", count);
    const headers = await adminHeaders(data);
    return { data, path, middle, headers };
  };
  const many = await open("many", MANY);
  const few = await open("few", FEW);

  const starts = await inTurns(
    rounds.rounds,
    () => timeToAnswer(few.data),
    () => timeToAnswer(many.data),
  );
  show({
    part: "scale",
    name: "start with 1,000,000 submissions: 1,000 to it",
    goal: "≥ 0.90",
    value: median(starts.ratios),
    spread: spreadOf(starts.ratios),
    detail: `${starts.a.toFixed(1)} to ${starts.b.toFixed(1)} ms`,
  });

  const server = { many: await startFormflag(many.data), few: await startFormflag(few.data) };
  const against = async (what: string, connections: number, request: (side: typeof many) => Request) =>
    await compare(
      { server: server.many, request: request(many) },
      { server: server.few, request: request(few) },
      { part: "scale", name: `${what}: 1,000,000 to 1,000`, goal: "≥ 0.90", connections, directory },
      rounds,
      show,
    );
  const list = "/api/admin/v1/forms/bench/submissions?limit=50";
  await against("first page of 50 submissions", 4, ({ headers }) => ({ path: list, headers }));
  await against("page of 50 in the middle", 4, ({ headers, middle }) => ({
    path: `${list}&before=${middle}`,
    headers,
  }));
  await against("JSON submissions, 64 connections", 64, ({ path }) => ({ ...POST, path }));
  await Promise.all([server.many.stop(), server.few.stop()]);
}

async function measureFlags(directory: string, rounds: Rounds, show: Show): Promise<void> {
  const open = async (name: string, environments: number, flags: number) => {
    const data = join(directory, name);
    const slugs = Array.from({ length: environments }, (_, index) => `e${index}`).join(",");
    const all = await createProject(data, "bench", slugs);
    await createFlags(data, "bench", "e0", flags);
    return { server: await startFormflag(data), all };
  };
  const read = (server: Formflag, headers: Record<string, string>) => ({
    server,
    request: { path: "/api/v1/flags/flag-00005", headers },
  });
  const few = await open("few-flags", 1, 10);
  const against = async (name: string, side: ReturnType<typeof read>) =>
    await compare(
      side,
      read(few.server, few.all[0]!),
      { part: "scale", name, goal: "≥ 0.90", connections: 32, directory },
      rounds,
      show,
    );

  const environments = await open("environments", ENVIRONMENTS, 10);
  for (const headers of environments.all) await readAll(environments.server, headers);
  await against(
    "one flag, 1,000 environments to one",
    read(environments.server, environments.all[ENVIRONMENTS / 2]!),
  );

  const flags = await open("many-flags", 2, FLAGS);
  const before = flags.server.memory().now;
  for (const headers of flags.all) await readAll(flags.server, headers);
  await Promise.all(Array.from({ length: FLAGS }, (_, index) => readOne(flags.server, flags.all[0]!, index)));
  // Gives the runtime time to release temporary memory.
  await Bun.sleep(3000);
  const each = (flags.server.memory().now - before) / (2 * FLAGS) / 1000;
  show({
    part: "scale",
    name: "memory of a flag in an environment, read once",
    goal: "≤ 2",
    value: each,
    spread: [each, each],
    unit: " KB",
  });
  await against("one flag, 10,000 flags to 10", read(flags.server, flags.all[0]!));

  // Reads right after a change to the first environment, from it and from the other.
  const patch = await adminHeaders(join(directory, "many-flags"));
  let on = false;
  const change = async () => {
    on = !on;
    await fetch(`${flags.server.url}/api/admin/v1/projects/bench/environments/e0/flags/flag-00007`, {
      method: "PATCH",
      headers: { ...patch, "content-type": "application/json" },
      body: JSON.stringify({ enabled: on }),
    });
  };
  const timed = async (environment: number) => {
    const start = performance.now();
    await readOne(flags.server, flags.all[environment]!, 5);
    return performance.now() - start;
  };
  const afterChange = await inTurns(
    rounds.rounds * 5,
    async () => {
      await change();
      return timed(1);
    },
    () => timed(1),
  );
  const own = await inTurns(
    rounds.rounds,
    async () => {
      await change();
      return timed(0);
    },
    () => timed(0),
  );
  show({
    part: "scale",
    name: "next read of another environment after a change among 10,000 flags, to any other",
    goal: "≤ 2",
    value: median(afterChange.ratios),
    spread: spreadOf(afterChange.ratios),
    detail: `${afterChange.a.toFixed(2)} to ${afterChange.b.toFixed(2)} ms; of its own: ${own.a.toFixed(1)} ms`,
  });
  await Promise.all([few, environments, flags].map(({ server }) => server.stop()));
}

async function readAll({ url }: Formflag, headers: Record<string, string>): Promise<void> {
  await (await fetch(`${url}/api/v1/flags`, { headers })).arrayBuffer();
}

async function readOne({ url }: Formflag, headers: Record<string, string>, index: number): Promise<void> {
  await (await fetch(`${url}/api/v1/flags/${flagName(index)}`, { headers })).arrayBuffer();
}
