import { statSync } from "node:fs";
import { join } from "node:path";
import { compare } from "./compare.ts";
import type { Figure, Rounds, Show } from "./figure.ts";
import { createForm, fillForm, startFormflag, startLimit } from "./formflag.ts";
import { type Request, closedLoop } from "./load.ts";
import { POCKETBASE_RECORDS, startPocketbase } from "./pocketbase.ts";

const FIELDS = {
  name: "Ann Example",
  email: "ann@example.com",
  message: "Hello there, this is a message. ".repeat(8),
};

export const JSON_POST = {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(FIELDS),
} as const;
export const URLENCODED_POST = {
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
    goals: { durable: string; cpu?: string; parse?: string },
  ) => {
    const common = { part: "submissions", connections, directory };
    const cpu = goals.cpu === undefined ? {} : { cpuGoal: goals.cpu };
    const ours = { server, request: { ...post, path } };
    const bare = { path: "/", ...post };
    await compare(
      ours,
      { server: durable, request: bare },
      { ...common, name: `${name}, to the bare durable handler`, goal: goals.durable, ...cpu },
      rounds,
      show,
    );
    if (goals.parse === undefined) return;
    await compare(
      ours,
      { server: parse, request: bare },
      { ...common, name: `${name}, to one that stores nothing`, goal: goals.parse },
      rounds,
      show,
    );
  };
  await measure("JSON, 64 connections", JSON_POST, 64, { durable: "≥ 0.70", cpu: "≤ 1.50", parse: "≥ 0.45" });
  await measure("urlencoded, 64 connections", URLENCODED_POST, 64, { durable: "≥ 0.70", cpu: "≤ 1.50" });
  await measure("JSON, one after another", JSON_POST, 1, { durable: "≥ 0.85" });
  await Promise.all([server.stop(), durable.stop(), parse.stop()]);
  show(await bytesOnDisk(join(directory, "bytes"), rounds));
  await besidePocketbase(directory, rounds, show);
  if (Bun.which("strace")) show(await countFsyncs(directory, rounds));
}

/** Size of a submission in the database, in bytes, after a checkpoint. */
async function bytesOnDisk(data: string, { rounds }: Rounds): Promise<Figure> {
  const count = 1000 * rounds;
  await createForm(data, "bench");
  const size = () => statSync(join(data, "formflag.db")).size;
  const empty = size();
  const text = JSON.stringify(FIELDS);
  await fillForm(data, "bench", count, text);
  const value = (size() - empty) / count;
  return {
    part: "submissions",
    name: `on disk, a submission of ${text.length} bytes`,
    goal: `≤ ${text.length + 124}`,
    value,
    spread: [value, value],
    unit: " bytes",
    detail: `${count.toLocaleString("en")} submissions`,
  };
}

/** PocketBase with a collection of the same fields, if it is installed: records created over its API. */
async function besidePocketbase(directory: string, rounds: Rounds, show: Show): Promise<void> {
  const pocketbase = await startPocketbase(join(directory, "pocketbase"));
  if (!pocketbase) return;
  const data = join(directory, "beside-pocketbase");
  const server = await startFormflag(data);
  const path = await createForm(data, "bench");
  await compare(
    { server, request: { ...JSON_POST, path } },
    { server: pocketbase, request: { ...JSON_POST, path: POCKETBASE_RECORDS } },
    {
      part: "submissions",
      name: "JSON, 64 connections, beside PocketBase creating records",
      goal: null,
      connections: 64,
      directory,
    },
    rounds,
    show,
  );
  await Promise.all([server.stop(), pocketbase.stop()]);
}

/** As strace counts them, in a server of its own: tracing slows it. */
async function countFsyncs(directory: string, { seconds }: Rounds): Promise<Figure> {
  const data = join(directory, "fsyncs");
  const trace = join(directory, "fsyncs.trace");
  const prefix = ["strace", "-D", "-f", "--seccomp-bpf", "-o", trace, "-e", "trace=fsync,fdatasync"];
  const server = await startFormflag(data, { prefix });
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
