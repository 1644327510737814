import { join } from "node:path";
import { compare } from "./compare.ts";
import type { Figure, Rounds, Show } from "./figure.ts";
import { createForm, startFormflag, startLimit } from "./formflag.ts";
import { type Request, closedLoop } from "./load.ts";

const FIELDS = {
  name: "Ann Example",
  email: "ann@example.com",
  message: "Hello there, this is a message. ".repeat(8),
};

const JSON_POST = {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(FIELDS),
} as const;
const URLENCODED_POST = {
  method: "POST",
  headers: { "content-type": "application/x-www-form-urlencoded" },
  body: new URLSearchParams(FIELDS).toString(),
} as const;

/** Submissions, answered once they are on the disk, against a bare handler that is as durable and one that stores nothing. */
export async function measureSubmissions(directory: string, rounds: Rounds, show: Show): Promise<void> {
  const data = join(directory, "submissions");
  const server = await startFormflag(data);
  const path = await createForm(data, "bench");
  const durable = await startLimit("durable", [join(directory, "durable.db")]);
  const parse = await startLimit("parse");

  const measure = async (
    name: string,
    post: Omit<Request, "path">,
    connections: number,
    goals: [string, string | null],
  ) => {
    const common = { part: "submissions", connections, directory };
    const ours = { server, request: { ...post, path } };
    const bare = { path: "/", ...post };
    show(
      await compare(
        ours,
        { server: durable, request: bare },
        { ...common, name: `${name}, to the bare durable handler`, goal: goals[0] },
        rounds,
      ),
    );
    if (goals[1] === null) return;
    show(
      await compare(
        ours,
        { server: parse, request: bare },
        { ...common, name: `${name}, to one that stores nothing`, goal: goals[1] },
        rounds,
      ),
    );
  };
  await measure("JSON, 64 connections", JSON_POST, 64, ["≥ 0.90", "≥ 0.50"]);
  await measure("urlencoded, 64 connections", URLENCODED_POST, 64, ["≥ 0.80", "≥ 0.50"]);
  await measure("JSON, one after another", JSON_POST, 1, ["≥ 0.80", null]);
  await Promise.all([server.stop(), durable.stop(), parse.stop()]);
  if (Bun.which("strace")) show(await countFsyncs(directory, rounds));
}

/** As strace counts them, in a server of its own: tracing slows it. */
async function countFsyncs(directory: string, { seconds }: Rounds): Promise<Figure> {
  const data = join(directory, "fsyncs");
  const trace = join(directory, "fsyncs.trace");
  const server = await startFormflag(data, [
    "strace",
    "-D",
    "-f",
    "--seccomp-bpf",
    "-o",
    trace,
    "-e",
    "trace=fsync,fdatasync",
  ]);
  const path = await createForm(data, "bench");
  const before = (await Bun.file(trace).text()).split("sync(").length;
  const load = { connections: 64, seconds, directory };
  const { perSecond } = await closedLoop(server, { ...JSON_POST, path }, load);
  await server.stop();
  const fsyncs = (await Bun.file(trace).text()).split("sync(").length - before;
  const value = (fsyncs * 1000) / (perSecond * seconds);
  return {
    part: "submissions",
    name: "fsyncs for 1,000 submissions, 64 connections",
    goal: "≤ 60",
    value,
    spread: [value, value],
    detail: `${fsyncs} fsyncs for ${Math.round(perSecond * seconds).toLocaleString("en")} submissions`,
  };
}
