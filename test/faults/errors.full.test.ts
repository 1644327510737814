import { join } from "node:path";
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { startServer } from "../support/executable.ts";
import { DISK, tempDirectory } from "../support/temp.ts";
import { PAGE, canInject, inject, startOnSmallDisk } from "./inject.ts";
import {
  type Client,
  type Sent,
  clientOf,
  compareFiles,
  expectWhole,
  jsonSubmission,
  multipartSubmission,
  prepare,
  seededRandom,
} from "./load.ts";
import { need } from "../support/needs.ts";

const random = seededRandom(1);

async function open() {
  const data = tempDirectory(DISK);
  const keys = await prepare(data);
  const server = await startServer([], { data });
  const client = clientOf(server.url, keys);
  await client.setFlag("sale", { value: 0 });
  await submitAll(client, [jsonSubmission(random), multipartSubmission(random)]);
  return { data, keys, server, client };
}

type Answered = { sent: Sent; status: number; id: string | undefined };

const UNAVAILABLE = { error: true, code: 503, message: expect.any(String), url: expect.any(String) };

/** Sends all at once; each is stored, or refused in the words of the contract. */
async function submitAll(client: Client, submissions: Sent[]): Promise<Answered[]> {
  return Promise.all(
    submissions.map(async (sent) => {
      const answer = await client.submit(sent);
      const body = (await answer.json()) as { id?: string };
      if (answer.status !== 200) {
        expect(body as unknown).toEqual(UNAVAILABLE);
        expect(answer.headers.get("retry-after")).toMatch(/^\d+$/);
      }
      return { sent, status: answer.status, id: body.id };
    }),
  );
}

const several = (make: (random: ReturnType<typeof seededRandom>) => Sent) =>
  Array.from({ length: 5 }, () => make(random));

async function expectFlagReads(client: Client, value: number, times: number): Promise<void> {
  for (let read = 0; read < times; read += 1) {
    const answer = await client.readFlag("sale");
    const { payload } = (await answer.json()) as { payload: unknown };
    expect({ status: answer.status, payload }).toEqual({ status: 200, payload: { value } });
  }
}

/** That of these submissions the acknowledged ones are stored whole, and of the others nothing; returns all stored. */
async function expectRows(client: Client, answered: Answered[]) {
  const stored = await client.stored();
  for (const { sent, status, id } of answered) {
    const found = stored.find((submission) => submission.data["mark"] === sent.fields["mark"]);
    expect({ status, id: found?.id }).toEqual({ status, id });
    if (found) expectWhole(found, sent);
  }
  return stored;
}

/** The same, and that the upload directory holds their files and no other. */
async function expectStored(data: string, client: Client, answered: Answered[]): Promise<void> {
  expect(await compareFiles(data, await expectRows(client, answered))).toEqual({ left: [], missing: [] });
}

const statusesOf = (answered: Answered[]) => [...new Set(answered.map(({ status }) => status))];

const SYNC = "fsync,fdatasync";
const RENAME = "rename,renameat,renameat2";
const MKDIR = "mkdir,mkdirat";

const injects = await canInject();
// Here, because what a test opens is closed after that test.
const shared = injects ? await open() : undefined;

describe.skipIf(!injects)("while the disk fails", () => {
  test.each([
    ["cannot sync", SYNC, "EIO", 503],
    ["has no space left to sync to", SYNC, "ENOSPC", 503],
    ["has no space left for the database", "pwrite64", "ENOSPC", 503],
    ["cannot write to the database", "pwrite64", "EIO", 503],
    ["has no space left for a name", RENAME, "ENOSPC", 200],
    ["cannot rename", RENAME, "EIO", 200],
    ["has no space left for a folder", MKDIR, "ENOSPC", 200],
    ["cannot make a folder", MKDIR, "EIO", 200],
    ["has no space left for a new file", "openat", "ENOSPC", 200],
    ["can open no more files", "openat", "EMFILE", 200],
  ])(
    "and %s, what is refused leaves nothing and flags are read on (%s: %s)",
    async (_, calls, error, ofJson) => {
      const { data, client, server } = shared!;
      const answered: Answered[] = [];
      {
        await using _ = await inject(server.pid, calls, error);
        const [json, multipart] = await Promise.all([
          submitAll(client, several(jsonSubmission)),
          submitAll(client, several(multipartSubmission)),
          expectFlagReads(client, 0, 50),
        ]);
        answered.push(...json, ...multipart);
        if (ofJson === 503) {
          expect((await client.setFlag("sale", { value: 1 })).status).toBe(503);
          await expectFlagReads(client, 0, 5);
        }
        expect({ json: statusesOf(json), multipart: statusesOf(multipart) }).toEqual({
          json: [ofJson],
          multipart: [503],
        });
        expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
        await expectStored(data, client, answered);
      }
      const after = await submitAll(client, [...several(jsonSubmission), ...several(multipartSubmission)]);
      expect(statusesOf(after)).toEqual([200]);
      await expectStored(data, client, [...answered, ...after]);
    },
  );

  test("and cannot remove a file, what is answered with 200 is stored, and nothing else", async () => {
    const { data, keys, server, client } = await open();
    const answered: Answered[] = [];
    {
      await using _ = await inject(server.pid, "unlink,unlinkat", "EIO");
      answered.push(...(await submitAll(client, several(jsonSubmission))));
      answered.push(...(await submitAll(client, several(multipartSubmission))));
      await expectRows(client, answered);
    }
    await server.stop();
    const again = await startServer([], { data });
    await expectStored(data, clientOf(again.url, keys), answered);
  });
});

describe.skipIf(!injects)("after a crash while the database could not be synced", () => {
  const crash = async () => {
    const { data, keys, server, client } = await open();
    const before = await submitAll(client, [...several(jsonSubmission), ...several(multipartSubmission)]);
    await using _ = await inject(server.pid, SYNC, "EIO", join(data, "formflag.db-wal"));
    const refused = await submitAll(client, [...several(jsonSubmission), ...several(multipartSubmission)]);
    expect(statusesOf(refused)).toEqual([503]);
    expect((await client.setFlag("sale", { value: 1 })).status).toBe(503);
    // The last that was tried is what the log of the database ends with.
    refused.push(...(await submitAll(client, [multipartSubmission(random)])));
    await server.stop("SIGKILL");
    const again = await startServer([], { data });
    return { data, before, refused, client: clientOf(again.url, keys) };
  };

  test("all that was acknowledged before is there", async () => {
    const { client, before, data } = await crash();
    const stored = await expectRows(client, before);
    const acknowledged = stored.filter(({ id }) => before.some((each) => each.id === id));
    expect(acknowledged).toHaveLength(before.length);
    expect((await compareFiles(data, acknowledged)).missing).toEqual([]);
  });

  test("no submission that was refused is there", async () => {
    const { client, refused } = await crash();
    await expectRows(client, refused);
  });

  test("every submission that is there has its files", async () => {
    const { client, data } = await crash();
    expect((await compareFiles(data, await client.stored())).missing).toEqual([]);
  });

  test("a flag is as it was before a change that was refused", async () => {
    const { data, keys, server, client } = await open();
    await using _ = await inject(server.pid, SYNC, "EIO", join(data, "formflag.db-wal"));
    expect((await client.setFlag("sale", { value: 1 })).status).toBe(503);
    await expectFlagReads(client, 0, 1);
    await server.stop("SIGKILL");
    const again = await startServer([], { data });
    await expectFlagReads(clientOf(again.url, keys), 0, 1);
  });
});

const prepared = tempDirectory(DISK);
const keys = await prepare(prepared);
const small = await startOnSmallDisk(prepared);

describe.skipIf(!need(small !== undefined, "a full disk: this machine allows no mounts"))(
  "a disk that is full",
  () => {
    test("refuses submissions before the first one too", async () => {
      const client = clientOf(small!.url, keys);
      small!.fill(0);
      const answered = await submitAll(client, [jsonSubmission(random), multipartSubmission(random)]);
      expect(statusesOf(answered)).toEqual([503]);
      await expectStored(small!.data, client, answered);
      expect((await client.readFlag("sale")).status).toBe(404);
    });

    // More and more of it is free, so that each step is the first to fail once.
    test("at any step of storing a submission refuses it and keeps nothing, or stores it whole", async () => {
      const own = (await startOnSmallDisk(prepared))!;
      const { data } = own;
      const client = clientOf(own.url, keys);
      await client.setFlag("sale", { value: 0 });
      const answered: Answered[] = [];
      for (let free = 0; free <= 24; free += 1) {
        for (const sent of [jsonSubmission(random), multipartSubmission(random, 5 * PAGE)]) {
          own.fill(free);
          answered.push(...(await submitAll(client, [sent])));
          await expectFlagReads(client, 0, 2);
          await expectStored(data, client, answered);
        }
      }
      expect(new Set(statusesOf(answered))).toEqual(new Set([200, 503]));
      own.empty();
      const after = await submitAll(client, [...several(jsonSubmission), ...several(multipartSubmission)]);
      expect(statusesOf(after)).toEqual([200]);
      await expectStored(data, client, [...answered, ...after]);
    });
  },
);

describe("while another process holds the database", () => {
  const lock = (data: string) => {
    const db = new Database(join(data, "formflag.db"));
    // The server may be writing of its own accord.
    db.run("PRAGMA busy_timeout = 5000");
    db.run("BEGIN EXCLUSIVE");
    return () => db.close();
  };

  test("submissions wait, flags are read on, and what waited is stored once the lock is gone", async () => {
    const { data, client } = await open();
    const unlock = lock(data);
    const waiting = submitAll(client, [...several(jsonSubmission), ...several(multipartSubmission)]);
    await expectFlagReads(client, 0, 300);
    unlock();
    const answered = await waiting;
    expect(statusesOf(answered)).toEqual([200]);
    await expectStored(data, client, answered);
  });

  test("for longer than a writer waits, a submission is refused, flags are read on, and the next are taken", async () => {
    const { data, client } = await open();
    const unlock = lock(data);
    const state = { isRefused: false };
    const refusing = submitAll(client, [multipartSubmission(random)]).finally(() => (state.isRefused = true));
    while (!state.isRefused) await expectFlagReads(client, 0, 20);
    const refused = await refusing;
    expect(statusesOf(refused)).toEqual([503]);
    await expectStored(data, client, refused);
    const waiting = submitAll(client, [...several(jsonSubmission), ...several(multipartSubmission)]);
    await expectFlagReads(client, 0, 20);
    unlock();
    const taken = await waiting;
    expect(statusesOf(taken)).toEqual([200]);
    await expectStored(data, client, [...refused, ...taken]);
  }, 60_000);
});
