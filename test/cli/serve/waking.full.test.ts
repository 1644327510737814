import { describe, expect, test } from "bun:test";
import { eventually } from "../../support/eventually.ts";
import { runExecutable, startServer } from "../../support/executable.ts";
import { openGate } from "../../support/postgres/gate.ts";
import {
  IS_POSTGRES_HERE,
  databaseOf,
  execute,
  freshDatabase,
  sharedPostgres,
} from "../../support/postgres/postgres.ts";
import { tempDirectory } from "../../support/temp.ts";

type Results = { metrics: { variants: { variant: string; visitors: number; conversions: number }[] }[] };

// Before the first test, whose time it would take.
if (IS_POSTGRES_HERE) await freshDatabase();

/** Servers of one project on a database of its own, whose flag `hero` an experiment counts. */
async function open(database: "SQLite" | "PostgreSQL", threads: number) {
  const data = database === "SQLite" ? tempDirectory() : null;
  const where: Record<string, string> =
    data === null ? { FORMFLAG_DATABASE_URL: await freshDatabase() } : { FORMFLAG_DATA: data };
  const env = { ...where, FORMFLAG_DRAIN: "0s", FORMFLAG_TARGET_NETWORK: "127.0.0.0/8" };
  const json = async <T>(...words: string[]): Promise<T> => {
    const { code, stdout, stderr } = await runExecutable([...words, "--json"], { env });
    if (code !== 0) throw new Error(`formflag ${words.join(" ")} exited ${code}: ${stderr}`);
    return JSON.parse(stdout) as T;
  };
  await json("projects", "create", "shop", "--environments", "live");
  await json("flags", "set", "hero", "-p", "shop", "-e", "live", "--off");
  const place = ["-p", "shop", "-e", "live"];
  const experiment = ["hero", ...place, "--flag", "hero", "--metric", "event:signup", "--start"];
  await json("experiments", "create", ...experiment, "--guard", "event:error rises 0%");
  const named = ["events", "--scope", "flags:evaluate", ...place];
  const { token } = await json<{ token: string }>("tokens", "create", ...named);
  const server = await startServer(["--threads", String(threads), "--retry-delays", "none"], { data, env });
  /** Sends JSON on a connection of its own, so that any thread may get it. */
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${server.url}${path}`, {
      method: "POST",
      headers: { "X-API-Key": token, "Content-Type": "application/json", Connection: "close" },
      body: JSON.stringify(body),
      keepalive: false,
    });
    if (answer.status !== 200) throw new Error(await answer.text());
    return (await answer.json()) as { variant: string };
  };
  return {
    server,
    json,
    place,
    evaluate: (targetingKey: string) => post("/ofrep/v1/evaluate/flags/hero", { context: { targetingKey } }),
    track: (event: string, targetingKey: string) => post("/v1/events", { events: [{ event, targetingKey }] }),
    /** Visitors and conversions of the first metric. */
    totals: async () => {
      const { metrics } = await json<Results>("experiments", "results", "hero", ...place);
      const { variants } = metrics[0]!;
      const sum = (name: "visitors" | "conversions") => variants.reduce((all, each) => all + each[name], 0);
      return [sum("visitors"), sum("conversions")];
    },
  };
}

/** A webhook of this machine, and the types of the events that it got. */
function openHook() {
  const got: string[] = [];
  const state = { status: 200 };
  const hook = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      got.push(((await request.json()) as { type: string }).type);
      return new Response("", state);
    },
  });
  return { url: `http://127.0.0.1:${hook.port}/`, got, state, stop: () => hook.stop(true) };
}

/** Well below the minute in which an idle process looks by itself. */
const SOON_MS = 20_000;

describe.each<["SQLite" | "PostgreSQL", number]>([
  ["SQLite", 1],
  ["SQLite", 3],
  ["PostgreSQL", 1],
  ["PostgreSQL", 3],
])("on %s with %i threads", (database, threads) => {
  const isMissing = database === "PostgreSQL" && !IS_POSTGRES_HERE;

  test.skipIf(isMissing)(
    "a conversion counts that follows the answer of its exposure, on whichever thread",
    async () => {
      const { evaluate, track, totals, server } = await open(database, threads);
      const users = Array.from({ length: 60 }, (_, index) => `user-${index}`);
      await Promise.all(
        users.map(async (user) => {
          await evaluate(user);
          await track("signup", user);
        }),
      );
      expect(await totals()).toEqual([60, 60]);
      await Promise.all(users.map((user) => evaluate(`later-${user}`)));
      await eventually("the visitors who do nothing", async () => (await totals())[0] === 120, SOON_MS);
      expect(await server.stop()).toBe(0);
      expect(await totals()).toEqual([120, 60]);
    },
    60_000,
  );

  test.skipIf(isMissing)(
    "a guard fires soon after what it forbids",
    async () => {
      const { evaluate, track, json, place, server } = await open(database, threads);
      const users = Array.from({ length: 800 }, (_, index) => `user-${index}`);
      for (let from = 0; from < users.length; from += 40)
        await Promise.all(
          users.slice(from, from + 40).map(async (user) => {
            const { variant } = await evaluate(user);
            if (variant === "on" && from % 80 === 0) await track("error", user);
          }),
        );
      const status = async () =>
        (await json<{ status: string }>("experiments", "get", "hero", ...place)).status;
      await eventually("the guard", async () => (await status()) === "paused", SOON_MS);
      await server.stop();
    },
    60_000,
  );
});

describe.each(["SQLite", "PostgreSQL"] as const)("an idle server on %s", (database) => {
  const isMissing = database === "PostgreSQL" && !IS_POSTGRES_HERE;

  test.skipIf(isMissing)(
    "does soon what a command leaves for it",
    async () => {
      const { json, place, server } = await open(database, 1);
      const hook = openHook();
      await json("targets", "add", hook.url, "-p", "shop");
      await json("flags", "set", "search", ...place, "--on");
      await eventually("the notice of the change", () => hook.got.includes("flag.changed"), SOON_MS);

      // The experiment of a flag that a command has changed pauses, and a target hears of it.
      await json("flags", "disable", "hero", ...place);
      await eventually("the notice of the pause", () => hook.got.includes("experiment.paused"), SOON_MS);

      hook.state.status = 500;
      await json("flags", "set", "search", ...place, "--off");
      const failed = () =>
        json<{ id: string }[]>("deliveries", "list", "--project", "shop", "--status", "failed");
      const [{ id }] = await eventually("the failure", async () => {
        const found = await failed();
        return found.length > 0 ? (found as [{ id: string }]) : null;
      });
      hook.state.status = 200;
      await json("deliveries", "retry", id);
      const isDelivered = async () => (await failed()).length === 0;
      await eventually("the delivery that was queued again", isDelivered, SOON_MS);

      await hook.stop();
      expect(await server.stop()).toBe(0);
    },
    60_000,
  );
});

test.skipIf(!IS_POSTGRES_HERE)(
  "a server that listens for commands survives that its connection is lost, and says nothing",
  async () => {
    const url = await freshDatabase();
    const gate = await openGate((await sharedPostgres()).port);
    const gated = new URL(url);
    gated.port = String(gate.port);
    const server = await startServer([], {
      data: null,
      env: { FORMFLAG_DATABASE_URL: String(gated), FORMFLAG_DRAIN: "0s" },
    });
    const listening = async () =>
      (
        await execute(
          `SELECT pid FROM pg_stat_activity WHERE datname = '${databaseOf(url)}' AND query ILIKE 'listen%'`,
        )
      ).map(({ pid }) => Number(pid));
    const [pid] = await eventually("the first connection", async () => {
      const pids = await listening();
      return pids.length === 1 ? pids : null;
    });
    await execute(`SELECT pg_terminate_backend(${pid})`);
    await eventually("another connection", async () => {
      const pids = await listening();
      return pids.length === 1 && pids[0] !== pid;
    });
    await gate.set("cut");
    await eventually("the end of the connection", async () => (await listening()).length === 0);
    await gate.set("open");
    await eventually("another connection", async () => (await listening()).length === 1);
    expect(await server.stop()).toBe(0);
    expect(server.stderr()).not.toContain("LISTEN");
  },
  60_000,
);
