import { describe, expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { HAS_BALANCER, startBalancer } from "../support/peers/nginx.ts";
import { IS_POSTGRES_HERE } from "../support/postgres/postgres.ts";
import { openRig } from "../support/postgres/rig.ts";
import { type Keys, clientOf, prepareWith } from "../faults/load.ts";
import { report, sizeOf } from "./report.ts";

const CHANGES = sizeOf(20, 1000);
// Bun sends at most 256 requests at a time.
const READERS = sizeOf(30, 200);
const EVENTS = sizeOf(5, 20);

/** Milliseconds from the beginning of a change until 99 of 100 readers have its value. */
const TOLD_WITHIN = sizeOf(5000, 250);

async function open() {
  const { replicas, commands } = await openRig();
  const keys = await prepareWith(commands);
  return { replicas, commands, keys, clients: replicas.map(({ url }) => clientOf(url, keys)) };
}

const { replicas, commands, keys, clients } = IS_POSTGRES_HERE
  ? await open()
  : ({} as Awaited<ReturnType<typeof open>>);

describe.skipIf(!IS_POSTGRES_HERE)("three servers", () => {
  test(
    `answer with a change once its command has exited, ${CHANGES} times`,
    async () => {
      const stale: unknown[] = [];
      let made = 0;
      let refused = 0;
      const change = async (slug: string) => {
        while (made < CHANGES) {
          const value = (made += 1);
          const place = ["-p", "shop", "-e", "develop"];
          const payload = JSON.stringify({ value });
          const { code, stderr } = await commands.run(
            "flags",
            "set",
            slug,
            ...place,
            "--on",
            "--payload",
            payload,
          );
          // A command that the database keeps waiting promises nothing.
          if (code === 6) {
            refused += 1;
            continue;
          }
          expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
          const read = await Promise.all(
            clients.map(async (client) => {
              const answer = await client.readFlag(slug);
              return {
                status: answer.status,
                body: (await answer.json()) as { payload?: { value: number } },
              };
            }),
          );
          for (const [at, { status, body }] of read.entries())
            if (status !== 200 || body.payload?.value !== value)
              stale.push({ slug, value, at, status, body });
        }
      };
      await Promise.all(["red", "green", "blue", "white"].map(change));
      expect(stale).toEqual([]);
      expect(refused).toBeLessThanOrEqual(CHANGES / 10);
      report(
        `${CHANGES} flags set`,
        `each read on 3 replicas at its exit: 0 of ${(made - refused) * 3} stale, ${refused} commands refused`,
      );
    },
    CHANGES * 1000 + 30_000,
  );

  test.skipIf(!HAS_BALANCER)(
    `behind a balancer notify ${READERS} streams of a change that every one of them can read`,
    async () => {
      const { url } = await startBalancer(replicas.map(({ port }) => port));
      expect((await clients[0]!.setFlag("sale", { value: 0 })).status).toBe(200);
      const readers = await Promise.all(Array.from({ length: READERS }, () => openReader(url, keys)));
      const took: number[] = [];
      for (let value = 1; value <= EVENTS; value += 1) {
        for (const reader of readers) reader.expect(value);
        const began = performance.now();
        expect((await clients[value % 3]!.setFlag("sale", { value })).status).toBe(200);
        await eventually("each reader to be notified", () =>
          readers.every((reader) => reader.read.at(-1) === value),
        );
        took.push(...readers.map((reader) => reader.at - began));
      }
      for (const reader of readers) reader.close();
      // The event of a change never comes before every server knows the change.
      const wrong = readers.flatMap(({ read }) =>
        read.filter((value, index) => index > 0 && value < read[index - 1]!),
      );
      expect(wrong).toEqual([]);
      expect(readers.flatMap(({ tooEarly }) => tooEarly)).toEqual([]);
      const sorted = took.toSorted((a, b) => a - b);
      const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)]!);
      report(
        "SSE through nginx",
        `${READERS} readers, ${EVENTS} changes: every one read the new value at its event, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms after the change began`,
      );
      expect(at(0.99)).toBeLessThan(TOLD_WITHIN);
    },
    60_000,
  );
});

/** A reader that evaluates its flags again at each event, at whichever server answers. */
async function openReader(url: string, keys: Keys) {
  const headers = { "x-project-key": keys.project, "x-environment-key": keys.environment };
  const evaluate = async () => {
    const answer = await fetch(`${url}/ofrep/v1/evaluate/flags`, {
      method: "POST",
      headers,
      body: '{"context":{}}',
    });
    return (await answer.json()) as {
      flags: { key: string; value: unknown }[];
      eventStreams: [{ endpoint: { requestUri: string } }];
    };
  };
  const abort = new AbortController();
  const { eventStreams } = await evaluate();
  const stream = await fetch(new URL(eventStreams[0].endpoint.requestUri, url), { signal: abort.signal });
  expect(stream.status).toBe(200);
  const first = Promise.withResolvers<void>();
  let expected = 0;
  const reader = {
    /** The values of the flag after each event. */
    read: [] as number[],
    tooEarly: [] as unknown[],
    at: 0,
    expect: (value: number) => void (expected = value),
    close: () => abort.abort(),
  };
  const follow = async () => {
    for await (const chunk of stream.body!.pipeThrough(new TextDecoderStream())) {
      if (!chunk.includes("data:")) continue;
      const at = performance.now();
      const { flags } = await evaluate();
      const { value } = flags.find(({ key }) => key === "sale.payload")!.value as { value: number };
      if (expected > 0 && value !== expected) reader.tooEarly.push({ value, expected });
      reader.at = at;
      reader.read.push(value);
      first.resolve();
    }
  };
  follow().catch((error: unknown) => {
    if (!abort.signal.aborted) first.reject(error);
  });
  await first.promise;
  return reader;
}
