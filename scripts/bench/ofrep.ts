import { join } from "node:path";
import { compare } from "./compare.ts";
import type { Figure, Rounds, Show } from "./figure.ts";
import type { Server } from "./process.ts";
import { createProject, fillSegment, startFormflag } from "./formflag.ts";
import { applyPatch } from "../../src/flags/flag.ts";
import { putFlag } from "../../src/flags/plan.ts";

const STREAMS = 10_000;
const ALL = "/ofrep/v1/evaluate/flags";

/** Flags for the members of a segment that a form fills, and streams of changes. */
export async function measureOfrep(directory: string, rounds: Rounds, show: Show): Promise<void> {
  const data = join(directory, "ofrep");
  const server = await startFormflag(data);
  const [keys = {}] = await createProject(data, "bench");
  const headers = { ...keys, "content-type": "application/json" };
  await measureMembers(server, data, { headers, directory }, rounds, show);
  show(await memoryOfStreams(server, headers, JSON.stringify({ context: { targetingKey: "user-4711" } })));
  await server.stop();
}

const MEMBERS = 100_000;

/** A flag for the members of a segment that a form fills, in turns with one for a single address. */
async function measureMembers(
  server: Server,
  data: string,
  { headers, directory }: { headers: Record<string, string>; directory: string },
  rounds: Rounds,
  show: Show,
): Promise<void> {
  const place = { project: "bench", environment: "bench" };
  await fillSegment(data, { ...place, segment: "beta" }, MEMBERS);
  const { openSqliteStore } = await import("../../src/store/sqlite/store.ts");
  const store = openSqliteStore(join(data, "formflag.db"), "thread");
  const now = Date.now();
  const variants = { on: true, off: false };
  const rules = { member: { $ref: "beta" }, equal: { "==": [{ var: "email" }, "user-4711@example.com"] } };
  const changes = Object.entries(rules).map(([flag, rule]) => {
    const patch = { enabled: true, variants, defaultVariant: "off", targeting: { if: [rule, "on"] } };
    return putFlag({ ...place, flag }, undefined, applyPatch(flag, undefined, patch, now).record);
  });
  await store.apply(changes, (await store.readVersion()).version, { who: "bench", at: now });
  await store.close();
  const body = JSON.stringify({ context: { targetingKey: "user-4711", email: "user-4711@example.com" } });
  const request = (flag: string) => ({ path: `${ALL}/${flag}`, method: "POST" as const, headers, body });
  const sides = [request("member"), request("equal")].map((each) => ({ server, request: each }));
  // The members are read for the first evaluation.
  await fetch(`${server.url}${ALL}/member`, { method: "POST", headers, body });
  const name = `one flag for the members of a segment of ${MEMBERS.toLocaleString("en")}, to one ==`;
  const about = { part: "ofrep", connections: 32, directory, name, goal: "≥ 0.77" };
  await compare(sides[0]!, sides[1]!, about, rounds, show);
}

/** Streams of change events that wait, each on a connection of its own. */
export async function memoryOfStreams(
  server: Server,
  headers: Record<string, string>,
  body: string,
  about: Pick<Figure, "part" | "goal"> = { part: "ofrep", goal: null },
): Promise<Figure> {
  const answer = await fetch(server.url + ALL, { method: "POST", headers, body });
  const { eventStreams } = (await answer.json()) as { eventStreams: { endpoint: { requestUri: string } }[] };
  const { port } = new URL(server.url);
  const request = `GET ${eventStreams[0]!.endpoint.requestUri} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n`;
  const before = server.memory().now;
  const sockets: Bun.Socket[] = [];
  // In groups, because the queue of connections that wait is short.
  for (let opened = 0; opened < STREAMS; opened += 100)
    sockets.push(
      ...(await Promise.all(Array.from({ length: 100 }, () => openStream(Number(port), request)))),
    );
  await Bun.sleep(3000);
  const value = (server.memory().now - before) / STREAMS / 1000;
  for (const socket of sockets) socket.end();
  return {
    ...about,
    name: `memory of an idle stream of change events, ${STREAMS.toLocaleString("en")} open`,
    value,
    spread: [value, value],
    unit: " KB",
  };
}

/** Fulfils once the answer begins. */
function openStream(port: number, request: string): Promise<Bun.Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Bun.Socket>();
  const data = (socket: Bun.Socket, bytes: Buffer) =>
    bytes.toString().startsWith("HTTP/1.1 200") ? resolve(socket) : reject(new Error(bytes.toString()));
  Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: { open: (socket) => void socket.write(request), data, error: (_, error) => reject(error) },
  }).catch(reject);
  return promise;
}
