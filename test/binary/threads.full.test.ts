import { expect, test } from "bun:test";
import { onData } from "../support/commands.ts";
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
