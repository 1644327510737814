import { solveChallenge } from "altcha-lib";
import { deriveKey } from "altcha-lib/algorithms/pbkdf2";
import type { Challenge } from "altcha-lib/types";
import { afterAll, describe, expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { HAS_BALANCER, startBalancer } from "../support/peers/nginx.ts";
import { IS_POSTGRES_HERE } from "../support/postgres/postgres.ts";
import { type Rig, openRig } from "../support/postgres/rig.ts";
import { type Client, clientOf, prepareWith } from "../faults/load.ts";
import { report, sizeOf } from "./report.ts";
import { countStatuses, expectStored, submitTo } from "./submitters.ts";

const STARTS = sizeOf(1, 10);
const FLAGS = sizeOf(30, 200);
const SCHEDULED = sizeOf(3, 20);
const DRAINS = sizeOf(2, 10);

/** A sender that is not this machine, whom no limit concerns. */
const SENDER = { "x-forwarded-for": "203.0.113.5" };

async function open() {
  const rig = await openRig({ args: ["--drain", "1s", "--trusted-proxy", "127.0.0.1/32"] });
  const keys = await prepareWith(rig.commands);
  const { code } = await rig.commands.run("flags", "set", "sale", "-p", "shop", "-e", "develop", "--on");
  expect(code).toBe(0);
  return { rig, keys, clients: rig.replicas.map(({ url }) => clientOf(url, keys)) };
}

const { rig, keys, clients } = IS_POSTGRES_HERE ? await open() : ({} as Awaited<ReturnType<typeof open>>);

function expectNoErrors({ replicas }: Rig): void {
  const errors = replicas.flatMap(({ log }) => log().match(/^.*"level":"(?:error|warn)".*$/gm) ?? []);
  // A server that drains is not ready.
  expect(errors.filter((line) => !line.includes("/readyz"))).toEqual([]);
}

describe.skipIf(!IS_POSTGRES_HERE)("three servers", () => {
  afterAll(async () => {
    expect(await Promise.all(rig.replicas.map((each) => each.stop("SIGINT")))).toEqual([0, 0, 0]);
    expectNoErrors(rig);
  });

  test("that start at once on an empty database migrate it once", async () => {
    const rig = await openRig({ isStarted: false });
    const { replicas, query } = rig;
    for (let start = 0; start < STARTS; start += 1) {
      if (start > 0) {
        await Promise.all(replicas.map((each) => each.stop()));
        await query("DROP SCHEMA public CASCADE");
        await query("CREATE SCHEMA public");
      }
      await Promise.all(replicas.map((each) => each.start()));
      const ready = await Promise.all(replicas.map(({ url }) => fetch(`${url}/readyz`)));
      expect(ready.map(({ status }) => status)).toEqual([200, 200, 200]);
    }
    expectNoErrors(rig);
    report("start ×3 on an empty database", `${STARTS} times, one migration, no error`);
  }, 60_000);

  test("make each scheduled change once", async () => {
    const slugs = Array.from({ length: SCHEDULED }, (_, index) => `scheduled-${index}`);
    await apply(clients[0]!, slugs);
    const at = new Date(Date.now() + sizeOf(2000, 5000)).toISOString();
    await Promise.all(
      slugs.map(async (slug, index) => {
        const path = `/projects/shop/environments/develop/flags/${slug}/scheduled`;
        const body = JSON.stringify({ at, patch: { enabled: true } });
        expect((await clients[index % 3]!.admin(path, { method: "POST", body })).status).toBe(201);
      }),
    );
    await eventually(
      "the changes",
      async () => (await rig.query("SELECT 1 FROM scheduled_changes")).length === 0,
    );
    const made = await Promise.all(
      slugs.map(async (slug) => {
        const answer = await clients[1]!.admin(`/projects/shop/flags/${slug}/history`);
        const { changes } = (await answer.json()) as { changes: { at: string }[] };
        return changes.filter((change) => change.at >= at).length;
      }),
    );
    expect(made).toEqual(slugs.map(() => 1));
    report("schedule ×3", `${SCHEDULED} changes with one entry of history each`);
  });

  test("count the limits of a form together", async () => {
    const form = await rig.commands.json<{ key: string }>("forms", "create", "limited");
    const set = (...settings: string[]) => rig.commands.run("forms", "set", "limited", ...settings);
    const post = (index: number, fields: Record<string, string>, headers: Record<string, string> = {}) =>
      fetch(`${rig.replicas[index % 3]!.url}/v1/s/${form.key}?mode=rest`, {
        method: "POST",
        body: new URLSearchParams(fields),
        headers: { ...SENDER, ...headers },
      });
    const all = (count: number, send: (index: number) => Promise<Response>) =>
      Promise.all(Array.from({ length: count }, (_, index) => send(index)));
    const count = async (state = 0) =>
      Number(
        (await rig.query(`SELECT count(*) AS count FROM submissions WHERE state = ${state}`))[0]!["count"],
      );
    const before = await count();

    // One key, whichever server it is sent to.
    const repeated = await all(9, () =>
      post(Math.trunc(Math.random() * 3), { a: "once" }, { "idempotency-key": "k1" }),
    );
    const ids = await Promise.all(repeated.map(async (each) => ((await each.json()) as { id: string }).id));
    expect(new Set(ids).size).toBe(1);
    expect(await count()).toBe(before + 1);

    await set("--max-submissions", "6");
    const limited = await all(15, (index) => post(index, { a: `max-${index}` }));
    expect(limited.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(await count()).toBe(before + 6);
    await set("--max-submissions", "none", "--duplicates", "1h");

    const spam = await count(1);
    await all(6, (index) => post(index, { a: "the same" }));
    expect([await count(), await count(1)]).toEqual([before + 7, spam + 5]);
    await set("--duplicates", "off", "--challenge", "on");

    const challenge = (await (
      await fetch(`${rig.replicas[0].url}/v1/s/${form.key}/challenge`)
    ).json()) as Challenge;
    const solution = await solveChallenge({ challenge, deriveKey });
    const altcha = Buffer.from(JSON.stringify({ challenge, solution })).toString("base64");
    await all(6, (index) => post(index, { a: `solved-${index}`, altcha }));
    expect([await count(), await count(1)]).toEqual([before + 8, spam + 10]);
    await set("--challenge", "off", "--rate-limit", "5/h");

    const rated = await all(15, (index) => post(index, { a: `rate-${index}` }));
    expect(rated.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(rated.filter(({ status }) => status === 429)).toHaveLength(10);
    report(
      "limits of a form across replicas",
      "1 of 9 with one idempotency key, 5 of 15 within a maximum, 1 of 6 duplicates, 1 of 6 with one challenge, 5 of 15 within a rate",
    );
  });

  test("know a session, a ticket of events and an ETag of each other", async () => {
    expect((await rig.commands.run("users", "create", "ann", "--role", "admin")).code).toBe(0);
    const { url } = await rig.commands.json<{ url: string }>("users", "link", "ann");
    const path = new URL(url, "http://any.invalid").pathname;
    const [one, two, three] = rig.replicas;
    const signIn = await fetch(one.url + path, {
      method: "POST",
      body: new URLSearchParams(),
      headers: { origin: one.url },
      redirect: "manual",
    });
    const cookie = signIn.headers
      .getSetCookie()
      .map((each) => each.split(";")[0])
      .join("; ");
    const pages = await Promise.all(
      rig.replicas.map(({ url }) => fetch(`${url}/dashboard`, { headers: { cookie }, redirect: "manual" })),
    );
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 200]);

    expect((await clients[0]!.setFlag("sale", { value: 1 })).status).toBe(200);
    const etags = await Promise.all(
      clients.map(async (each) => (await each.readFlag("sale")).headers.get("etag")!),
    );
    expect(etags).toEqual([etags[0]!, etags[0]!, etags[0]!]);
    const unchanged = await Promise.all(
      clients.map((each) => each.readFlag("sale", { "if-none-match": etags[0]! })),
    );
    expect(unchanged.map(({ status }) => status)).toEqual([304, 304, 304]);

    const bulk = await fetch(`${two.url}/ofrep/v1/evaluate/flags`, {
      method: "POST",
      headers: { "x-project-key": keys.project, "x-environment-key": keys.environment },
      body: '{"context":{}}',
    });
    const { eventStreams } = (await bulk.json()) as { eventStreams: [{ endpoint: { requestUri: string } }] };
    for (const { url } of [one, three]) {
      const abort = new AbortController();
      const stream = await fetch(new URL(eventStreams[0].endpoint.requestUri, url), { signal: abort.signal });
      expect(stream.status).toBe(200);
      abort.abort();
    }
    report("sessions, tickets, ETags", "valid on each of 3 replicas");
  });

  test.skipIf(!HAS_BALANCER)(
    `of which one is told to stop ${DRAINS} times fail no request behind a balancer that asks for readiness`,
    async () => {
      const { rig, keys, clients } = await open();
      const { replicas } = rig;
      const ports = replicas.map(({ port }) => port);
      const balancer = await startBalancer(ports);
      // The balancer that is configured anew ends idle connections of its clients, which fails what they are sending.
      const headers = { connection: "close" };
      const load = submitTo([balancer.url], keys, { plain: 6, files: 2, headers });
      let reads = 0;
      const over = new AbortController();
      const failed: unknown[] = [];
      const reader = clientOf(balancer.url, keys);
      const read = async () => {
        while (!over.signal.aborted) {
          const answer = await reader.readFlag("sale", headers).catch((error: unknown) => error);
          reads += 1;
          if (!(answer instanceof Response)) failed.push(answer);
          else if (answer.status !== 200) failed.push(answer.status);
          else await answer.bytes();
        }
      };
      const reading = Promise.all([read(), read()]);
      for (let drain = 0; drain < DRAINS; drain += 1) {
        const replica = replicas[drain % 3]!;
        const ended = replica.stop();
        await eventually(
          "it not to be ready",
          async () => (await fetch(`${replica.url}/readyz`)).status === 503,
        );
        balancer.route(ports.filter((port) => port !== replica.port));
        expect(await ended).toBe(0);
        await replica.start();
        balancer.route(ports);
      }
      const sent = load.answered.length;
      await eventually("more answers", () => load.answered.length > sent + 20);
      over.abort();
      await Promise.all([load.stop(), reading]);
      expect(failed).toEqual([]);
      const counts = countStatuses(load.answered);
      expect(Object.keys(counts)).toEqual(["200"]);
      const stored = await clients[0]!.stored();
      expectStored(stored, load.answered);

      // All at once record what was read there, each in another order.
      const slugs = Array.from({ length: FLAGS }, (_, index) => `read-${index}`);
      await apply(clients[0]!, slugs);
      const orders = [slugs, slugs.toReversed(), slugs.toSorted()];
      await Promise.all(
        clients.map(async (client, index) => {
          for (const slug of orders[index]!) expect((await client.readFlag(slug)).status).toBe(200);
        }),
      );
      expect(await Promise.all(replicas.map((each) => each.stop("SIGINT")))).toEqual([0, 0, 0]);
      const marked = await rig.query(
        "SELECT slug FROM flag_reads JOIN flags ON flags.id = flag_id WHERE slug LIKE 'read-%'",
      );
      expect(marked).toHaveLength(FLAGS);
      expectNoErrors(rig);
      report(
        "SIGTERM drains behind nginx",
        `${DRAINS} stops, ${counts["200"]} submissions and ${reads} reads answered 200, 0 failed`,
      );
      report("markRead at once ×3", `${FLAGS} flags read at all 3 replicas, no deadlock`);
    },
    30_000 + DRAINS * 5000,
  );
});

/** Creates flags with one change. */
async function apply(client: Client, slugs: string[]): Promise<void> {
  const flags = Object.fromEntries(slugs.map((slug) => [slug, {}]));
  const answer = await client.admin("/apply", {
    method: "POST",
    body: JSON.stringify({
      document: { projects: { shop: { environments: { develop: {}, staging: {}, production: {} }, flags } } },
    }),
  });
  expect([answer.status, answer.status === 200 ? "" : await answer.text()]).toEqual([200, ""]);
}
