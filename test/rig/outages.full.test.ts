import { beforeEach, describe, expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import type { Gate } from "../support/postgres/gate.ts";
import { IS_POSTGRES_HERE, execute } from "../support/postgres/postgres.ts";
import { type Rig, openRig } from "../support/postgres/rig.ts";
import { s3Error } from "../support/s3/s3.ts";
import {
  type Client,
  type Sent,
  clientOf,
  jsonSubmission,
  multipartSubmission,
  prepareWith,
  seededRandom,
} from "../faults/load.ts";
import { report, sizeOf } from "./report.ts";

const random = seededRandom(1);
const STALE = "x-formflag-stale";

/** Milliseconds in which a submission is refused, and after which a server that was cut off answers as the others do: a check
 * of the database that began in the outage ends after a second. */
const REFUSED_WITHIN = sizeOf(10_000, 5000);
const HEALED_WITHIN = sizeOf(5000, 1200);

async function setFlag(client: Client, value: number): Promise<void> {
  expect((await client.setFlag("sale", { value })).status).toBe(200);
}

async function readFlag(client: Client) {
  const answer = await client.readFlag("sale");
  const { payload } = (await answer.json()) as { payload?: { value: number } };
  return { status: answer.status, value: payload?.value, isStale: answer.headers.has(STALE) };
}

async function submit(client: Client, sent: Sent) {
  const began = performance.now();
  const answer = await client.submit(sent);
  await answer.bytes();
  return {
    status: answer.status,
    retryAfter: answer.headers.get("retry-after"),
    took: performance.now() - began,
  };
}

async function ready(url: string) {
  const answer = await fetch(`${url}/readyz`);
  return { ...((await answer.json()) as { database?: string; blobs?: string }), status: answer.status };
}

async function countRows({ query }: Rig): Promise<number> {
  return Number((await query("SELECT count(*) AS count FROM submissions"))[0]!["count"]);
}

async function open() {
  const rig = await openRig({ hasGates: true });
  const keys = await prepareWith(rig.commands);
  const clients = rig.replicas.map(({ url }) => clientOf(url, keys)) as [Client, Client, Client];
  return { rig, clients };
}

const { rig, clients } = IS_POSTGRES_HERE ? await open() : ({} as Awaited<ReturnType<typeof open>>);

describe.skipIf(!IS_POSTGRES_HERE)("three servers", () => {
  beforeEach(async () => {
    await setFlag(clients[0], 1);
    // What is in memory is answered without the database.
    for (const client of clients)
      expect(await readFlag(client)).toEqual({ status: 200, value: 1, isStale: false });
  });

  test("without their bucket refuse files and nothing else", async () => {
    const { s3, replicas } = rig;
    await Promise.all(clients.map((client) => submit(client, jsonSubmission(random))));
    const before = await countRows(rig);
    s3.fault = () => s3Error(503, "ServiceUnavailable");
    const withFiles = Promise.all(clients.map((client) => submit(client, multipartSubmission(random))));
    const others = await Promise.all(clients.map((client) => submit(client, jsonSubmission(random))));
    expect(others.map(({ status }) => status)).toEqual([200, 200, 200]);
    for (const client of clients)
      expect(await readFlag(client)).toEqual({ status: 200, value: 1, isStale: false });
    await setFlag(clients[1], 2);
    for (const client of clients)
      expect(await readFlag(client)).toEqual({ status: 200, value: 2, isStale: false });
    const refused = await withFiles;
    expect(refused.map(({ status }) => status)).toEqual([503, 503, 503]);
    expect(refused.filter(({ retryAfter }) => !/^\d+$/.test(retryAfter ?? ""))).toEqual([]);
    expect(await countRows(rig)).toBe(before + 3);
    await eventually(
      "readiness to name the bucket",
      async () => (await ready(replicas[2].url)).blobs === "unavailable",
    );
    expect(await ready(replicas[2].url)).toMatchObject({ status: 200, database: "ready" });

    s3.fault = () => undefined;
    expect((await submit(clients[0], multipartSubmission(random))).status).toBe(200);
    const slowest = Math.max(...refused.map(({ took }) => took));
    report("S3 down", `files 503 within ${Math.round(slowest)} ms and no row, others 200, flags current`);
  });

  test("of which one is cut off from the database answer flags, that one stale ones, until it is not", async () => {
    const [cutOff, others] = [clients[0], clients.slice(1)];
    const { url } = rig.replicas[0];
    const gate = rig.gates[0] as Gate;
    const figures: string[] = [];
    for (const [round, mode] of (["stall", "cut"] as const).entries()) {
      const value = round + 1;
      await gate.set(mode);
      await eventually("the first stale answer", async () => {
        const { status, isStale } = await readFlag(cutOff);
        expect(status).toBe(200);
        return isStale;
      });
      await setFlag(clients[1], value + 1);
      expect(await readFlag(cutOff)).toEqual({ status: 200, value, isStale: true });
      for (const client of others)
        expect(await readFlag(client)).toEqual({ status: 200, value: value + 1, isStale: false });
      const refused = await submit(cutOff, jsonSubmission(random));
      expect([refused.status, refused.retryAfter]).toEqual([503, "1"]);
      expect(refused.took).toBeLessThan(REFUSED_WITHIN);
      expect((await submit(clients[1], jsonSubmission(random))).status).toBe(200);
      await eventually("not to be ready", async () => (await ready(url)).status === 503);
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      expect((await cutOff.readFlag("unknown")).status).toBe(503);

      await gate.set("open");
      const healed = performance.now();
      await eventually("the replica to know the change", async () => {
        const { status, isStale } = await readFlag(cutOff);
        expect(status).toBe(200);
        return !isStale;
      });
      expect(await readFlag(cutOff)).toEqual({ status: 200, value: value + 1, isStale: false });
      const took = performance.now() - healed;
      expect(took).toBeLessThan(HEALED_WITHIN);
      await eventually(
        "submissions",
        async () => (await submit(cutOff, jsonSubmission(random))).status === 200,
      );
      figures.push(
        `${mode}: submissions 503 within ${Math.round(refused.took)} ms, healed after ${Math.round(took)} ms`,
      );
    }
    report("partition one replica", figures.join("; "));
  }, 60_000);

  test("whose database is replaced by an older copy serve nothing that the copy lacks", async () => {
    const { database, gates } = rig;
    const cutAll = async () => {
      await Promise.all(gates.map((gate) => gate.set("cut")));
      await execute(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}' AND pid <> pg_backend_pid()`,
      );
    };
    const openAll = () => Promise.all(gates.map((gate) => gate.set("open")));
    await cutAll();
    await execute(`CREATE DATABASE ${database}_copy TEMPLATE ${database}`);
    await openAll();
    const fresh = (client: Client, value: number) =>
      eventually(`the value ${value}`, async () => {
        const read = await readFlag(client);
        expect(read.status).toBe(200);
        return read.value === value && !read.isStale;
      });
    await Promise.all(clients.map((client) => fresh(client, 1)));
    await setFlag(clients[0], 2);
    await setFlag(clients[0], 3);
    for (const client of clients) expect(await readFlag(client)).toMatchObject({ value: 3 });

    await cutAll();
    await execute(`ALTER DATABASE ${database} RENAME TO ${database}_lost`);
    await execute(`ALTER DATABASE ${database}_copy RENAME TO ${database}`);
    await openAll();
    const began = performance.now();
    await Promise.all(clients.map((client) => fresh(client, 1)));
    const took = performance.now() - began;
    // At the version that the lost changes had.
    await setFlag(clients[1], 4);
    for (const client of clients) expect(await readFlag(client)).toMatchObject({ value: 4 });
    await setFlag(clients[2], 5);
    for (const client of clients) expect(await readFlag(client)).toMatchObject({ value: 5 });
    for (const { log } of rig.replicas) expect(log()).toContain("the database has lost changes");
    report(
      "primary swapped for an older copy",
      `caches dropped after ${Math.round(took)} ms, later changes current`,
    );
  });
});
