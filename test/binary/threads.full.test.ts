import { connect } from "node:net";
import { expect, test } from "bun:test";
import { MAX_STREAMS_OF_CLIENT } from "../../src/http/limits.ts";
import { formflag, onData } from "../support/commands.ts";
import { eventually } from "../support/eventually.ts";
import { startServer } from "../support/executable.ts";
import { tempDirectory } from "../support/temp.ts";

const CHANGES = 1000;

type Keys = { key: string; environments: { slug: string; key: string }[] };

test("no reader on any of four threads gets what was before a command that has exited", async () => {
  const data = tempDirectory();
  const cli = onData(data);
  const project = await cli.json<Keys>("projects", "create", "shop", "--environments", "live");
  const set = (value: number) =>
    cli.json("flags", "set", "search", "-p", "shop", "-e", "live", "--on", "--payload", String(value));
  await set(0);
  const server = await startServer(["--threads", "4"], { data });
  const headers = { "x-project-key": project.key, "x-environment-key": project.environments[0]!.key };
  const read = async (connection: string) => {
    const answer = await fetch(`${server.url}/api/v1/flags/search`, {
      headers: { ...headers, Connection: connection },
    });
    return ((await answer.json()) as { payload: number }).payload;
  };
  let [current, reads] = [0, 0];
  const load = { isOver: false };
  const stale: string[] = [];
  const reader = async () => {
    while (!load.isOver) {
      const least = current;
      const payload = await read("keep-alive");
      if (payload < least) stale.push(`${payload} after ${least}`);
      reads += 1;
    }
  };
  // As many connections that stay open that each thread has some.
  const readers = Array.from({ length: 24 }, reader);
  for (let change = 1; change <= CHANGES; change += 1) {
    await set(change);
    current = change;
  }
  load.isOver = true;
  await Promise.all(readers);
  expect(stale).toEqual([]);
  expect(reads).toBeGreaterThan(CHANGES);
  expect(await server.stop()).toBe(0);
}, 120_000);

test("one client has as many open streams as on one thread, and a place is free once one has ended", async () => {
  const data = tempDirectory();
  const project = await onData(data).json<Keys>("projects", "create", "shop", "--environments", "live");
  const server = await startServer(["--threads", "4", "--trusted-proxy", "127.0.0.1"], { data });
  const { port } = new URL(server.url);
  const headers = { "x-project-key": project.key, "x-environment-key": project.environments[0]!.key };
  const evaluated = await fetch(`${server.url}/ofrep/v1/evaluate/flags`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify({ context: {} }),
  });
  const { eventStreams } = (await evaluated.json()) as {
    eventStreams: { endpoint: { requestUri: string } }[];
  };
  // Without fetch, which sends at most 256 requests at a time.
  const open = (client: string) => {
    const socket = connect(Number(port), "127.0.0.1");
    const path = eventStreams[0]!.endpoint.requestUri;
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${client}\r\n\r\n`);
    const status = new Promise<number>((resolve) => {
      socket.once("data", (bytes) => resolve(Number(String(bytes).split(" ")[1])));
    });
    return { socket, status };
  };
  const streams = Array.from({ length: MAX_STREAMS_OF_CLIENT + 50 }, () => open("198.51.100.1"));
  const statuses = await Promise.all(streams.map(({ status }) => status));
  expect(statuses.filter((status) => status === 200)).toHaveLength(MAX_STREAMS_OF_CLIENT);
  expect(statuses.filter((status) => status === 429)).toHaveLength(50);
  expect(await open("198.51.100.2").status).toBe(200);
  streams[statuses.indexOf(200)]!.socket.destroy();
  await eventually("a free place", async () => (await open("198.51.100.1").status) === 200);
  expect(await server.stop()).toBe(0);
}, 60_000);

test("what any thread takes in is delivered at once", async () => {
  const received: string[] = [];
  const receiver = Bun.serve({
    port: 0,
    async fetch(request) {
      received.push(((await request.json()) as { data: { id: string } }).data.id);
      return new Response();
    },
  });
  const data = tempDirectory();
  const env = { FORMFLAG_TARGET_NETWORK: "127.0.0.0/8" };
  const cli = onData(data, (args) => formflag(args, { env }));
  const { key } = await cli.json<{ key: string }>("forms", "create", "contact");
  await cli.json("targets", "add", "contact", `http://127.0.0.1:${receiver.port}/`);
  const server = await startServer(["--threads", "4"], { data, env });
  const ids = await Promise.all(
    Array.from({ length: 40 }, async (_, index) => {
      const answer = await fetch(`${server.url}/v1/s/${key}?mode=rest`, {
        method: "POST",
        headers: { "Content-Type": "application/json", Connection: "close" },
        body: JSON.stringify({ index }),
      });
      return ((await answer.json()) as { id: string }).id;
    }),
  );
  await eventually("the deliveries", () => received.length === 40);
  expect(received.toSorted()).toEqual(ids.toSorted());
  expect(await server.stop()).toBe(0);
  await receiver.stop(true);
}, 60_000);
