import { describe, expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { errorsIn, runExecutable, startServer } from "../support/executable.ts";
import { openGate } from "../support/postgres/gate.ts";
import {
  IS_POSTGRES_HERE,
  databaseOf,
  execute,
  freshDatabase,
  sharedPostgres,
} from "../support/postgres/postgres.ts";
import { POOL_SIZES } from "../../src/store/postgres/connection.ts";

type Keys = { key: string; environments: { slug: string; key: string }[] };

/** A server with four threads on a database, behind a gate, with a form and a flag. */
async function open(...args: string[]) {
  const url = await freshDatabase();
  const gate = await openGate((await sharedPostgres()).port);
  const direct = { FORMFLAG_DATABASE_URL: url };
  const run = async <T>(...words: string[]) => {
    const { code, stdout, stderr } = await runExecutable([...words, "--json"], { env: direct });
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as T;
  };
  const { key: form } = await run<{ key: string }>("forms", "create", "contact");
  const project = await run<Keys>("projects", "create", "shop", "--environments", "live");
  await run("flags", "set", "search", "-p", "shop", "-e", "live", "--off");
  const gated = new URL(url);
  gated.port = String(gate.port);
  const env = { FORMFLAG_DATABASE_URL: String(gated), FORMFLAG_DRAIN: "0s" };
  const server = await startServer(["--threads", "4", "--trusted-proxy", "127.0.0.1", ...args], {
    data: null,
    env,
  });
  const ask = (path: string, client = "198.51.100.1", init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    headers.set("Connection", "close");
    headers.set("X-Forwarded-For", client);
    return fetch(`${server.url}${path}`, { ...init, headers, keepalive: false });
  };
  const submit = (client: string, body: unknown = { a: 1 }, headers: Record<string, string> = {}) =>
    ask(`/v1/s/${form}?mode=rest`, client, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  const reader = { "x-project-key": project.key, "x-environment-key": project.environments[0]!.key };
  const read = () => ask("/api/v1/flags/search", undefined, { headers: reader });
  return { url, gate, run, server, ask, submit, read, reader };
}

// Before the first test, whose time it would take.
if (IS_POSTGRES_HERE) await freshDatabase();

const together = <T>(count: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));
const isEnabled = async (answer: Response) => ((await answer.json()) as { enabled: boolean }).enabled;
const idOf = async (answer: Response) => ((await answer.json()) as { id: string }).id;

describe.skipIf(!IS_POSTGRES_HERE)("four threads on one PostgreSQL database", () => {
  test("keep every promise of one, over the connections of one", async () => {
    const { url, run, server, submit, read } = await open();
    expect(server.stderr()).toContain("4 threads serve");

    await run("forms", "set", "contact", "--rate-limit", "20/m");
    const limited = await together(60, () => submit("198.51.100.1"));
    expect(limited.filter(({ status }) => status === 200)).toHaveLength(20);
    await run("forms", "set", "contact", "--rate-limit", "off");

    const once = await together(20, () => submit("198.51.100.2", { b: 1 }, { "Idempotency-Key": "once" }));
    expect(new Set(await Promise.all(once.map(idOf))).size).toBe(1);

    const ids: string[] = [];
    for (let turn = 0; turn < 20; turn += 1) ids.push(await idOf(await submit("198.51.100.3")));
    expect(ids).toEqual([...new Set(ids)].toSorted());
    await together(200, () => submit("198.51.100.4"));
    expect(await run<object[]>("submissions", "list", "contact", "--limit", "500")).toHaveLength(241);

    for (let turn = 0; turn < 6; turn += 1) {
      const isOn = turn % 2 === 0;
      await run("flags", "set", "search", "-p", "shop", "-e", "live", isOn ? "--on" : "--off");
      expect(await Promise.all((await together(12, read)).map(isEnabled))).toEqual(Array(12).fill(isOn));
    }

    const [{ count }] = (await execute(
      `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = '${databaseOf(url)}'
       AND application_name = 'formflag'`,
    )) as [{ count: number }];
    expect(count).toBeLessThanOrEqual(Object.values(POOL_SIZES).reduce<number>((sum, size) => sum + size, 0));
    expect(await server.stop()).toBe(0);
    expect(errorsIn(server.stderr())).toEqual([]);
  }, 60_000);

  test("tell readers with open streams on each of them of a change", async () => {
    const { run, server, ask, reader } = await open();
    const answer = await ask("/ofrep/v1/evaluate/flags", undefined, {
      method: "POST",
      headers: { ...reader, "Content-Type": "application/json" },
      body: JSON.stringify({ context: {} }),
    });
    const { eventStreams } = (await answer.json()) as {
      eventStreams: { endpoint: { requestUri: string } }[];
    };
    const seen = await together(12, async () => {
      const stream = await ask(eventStreams[0]!.endpoint.requestUri);
      const state = { text: "" };
      const readAll = async () => {
        for await (const text of stream.body!.pipeThrough(new TextDecoderStream())) state.text += text;
      };
      readAll().catch(() => {});
      return state;
    });
    const events = () => seen.map(({ text }) => text.match(/^event: message$/gm)?.length ?? 0);
    await eventually("the first events", () => events().every((count) => count === 1));
    await run("flags", "set", "search", "-p", "shop", "-e", "live", "--on");
    await eventually("the events of the change", () => events().every((count) => count === 2));
    expect(await server.stop()).toBe(0);
  }, 60_000);

  test("answer flags from memory on each of them while the database is away, and say so once", async () => {
    const { gate, run, server, read, submit } = await open("--max-stale", "1h");
    await together(40, read);
    await gate.set("cut");
    await eventually("the outage", () => server.stderr().includes("database unreachable"));
    const during = await together(20, read);
    expect(during.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect((await submit("198.51.100.5")).status).toBe(503);
    await gate.set("open");
    await eventually("the end of it", () => server.stderr().includes("answers again"));
    await run("flags", "set", "search", "-p", "shop", "-e", "live", "--on");
    expect(await Promise.all((await together(12, read)).map(isEnabled))).toEqual(Array(12).fill(true));
    expect((await submit("198.51.100.6")).status).toBe(200);
    expect(server.stderr().split("database unreachable")).toHaveLength(2);
    await server.stop();
  }, 60_000);
});
