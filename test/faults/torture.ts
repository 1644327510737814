import { join } from "node:path";
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { onData } from "../support/commands.ts";
import { EXECUTABLE, errorsIn, runExecutable, startServer } from "../support/executable.ts";
import { DISK, tempDirectory } from "../support/temp.ts";
import {
  type Client,
  type Keys,
  type Sent,
  clientOf,
  compareFiles,
  expectWhole,
  jsonSubmission,
  multipartSubmission,
  prepare,
  seededRandom,
  sha256,
} from "./load.ts";

const SEED = Number(process.env["FORMFLAG_TORTURE_SEED"] || crypto.getRandomValues(new Uint32Array(1))[0]);

/** What is known of a submission: `sent` and `deleting` were never answered, and may have been done or not. */
type Known = Sent & { state: "sent" | "stored" | "deleting" | "deleted"; id?: string; isNew: boolean };

/** What was asked of the server so far, over all its lives. */
function createMemory() {
  return {
    /** By mark. */
    submissions: new Map<unknown, Known>(),
    /** Of each flag the last value that was acknowledged, and the last that was asked for. */
    flags: new Map<string, { acknowledged: number; asked: number }>(),
  };
}
type Memory = ReturnType<typeof createMemory>;

/** How many servers were started: each second one has one thread, the others have four. */
let lives = 0;

/** Repeats until the server is gone, which is when a request fails; anything else is a failure of the test. */
async function untilGone(act: () => Promise<void>, isKilled: () => boolean): Promise<void> {
  while (!isKilled()) {
    try {
      await act();
    } catch (error) {
      // Only a lost connection has a code: ECONNRESET, ConnectionRefused.
      if (!(isKilled() && error instanceof Error && "code" in error)) throw error;
    }
  }
}

async function submit(client: Client, memory: Memory, sent: Sent): Promise<void> {
  const known: Known = { ...sent, state: "sent", isNew: true };
  memory.submissions.set(sent.fields["mark"], known);
  const answer = await client.submit(sent);
  const { id } = (await answer.json()) as { id: string };
  expect({ status: answer.status, id }).toEqual({ status: 200, id: expect.any(String) });
  Object.assign(known, { state: "stored", id });
}

async function remove(client: Client, known: Known): Promise<void> {
  known.state = "deleting";
  const answer = await client.admin(`/submissions/${known.id}`, { method: "DELETE" });
  await answer.bytes();
  expect(answer.status).toBe(204);
  known.state = "deleted";
}

/** Sets a flag to one more than before, and remembers that `set` was acknowledged once it returns. */
async function count(memory: Memory, slug: string, set: (value: number) => Promise<void>): Promise<void> {
  const flag = memory.flags.get(slug) ?? { acknowledged: 0, asked: 0 };
  memory.flags.set(slug, flag);
  const value = (flag.asked += 1);
  await set(value);
  flag.acknowledged = value;
}

/** A reader sees no value older than one that was acknowledged before it asked. */
async function read(client: Client, memory: Memory, slug: string): Promise<void> {
  const least = memory.flags.get(slug)?.acknowledged ?? 0;
  if (least === 0) return Bun.sleep(1);
  const answer = await client.readFlag(slug);
  const { payload } = (await answer.json()) as { payload: { value: number } };
  expect({ status: answer.status, isOld: payload.value < least }).toEqual({ status: 200, isOld: false });
}

/** Runs mixed load against a server and kills it in the midst of it, within `longest` milliseconds. */
async function loadAndKill(
  data: string,
  keys: Keys,
  memory: Memory,
  { seed, longest }: { seed: number; longest: number },
): Promise<void> {
  const server = await startServer(["--threads", (lives += 1) % 2 === 1 ? "4" : "1"], { data });
  const client = clientOf(server.url, keys);
  const commands = onData(data, runExecutable);
  let killed = false;
  const repeat = (act: () => Promise<void>) => untilGone(act, () => killed);
  const senders = [jsonSubmission, multipartSubmission].flatMap((make, kind) =>
    [1, 2, 3].map((number) => {
      const random = seededRandom(seed + kind * 3 + number);
      return repeat(() => submit(client, memory, make(random)));
    }),
  );
  const remover = repeat(async () => {
    const stored = [...memory.submissions.values()].filter(({ state }) => state === "stored");
    const known = stored.findLast(({ files }) => files.length > 1);
    await (known ? remove(client, known) : Bun.sleep(1));
  });
  const byApi = repeat(() =>
    count(memory, "by-api", async (value) => {
      const answer = await client.setFlag("by-api", { value });
      await answer.json();
      expect(answer.status).toBe(200);
    }),
  );
  // A command writes beside the server, and outlives it.
  const byCommand = repeat(() =>
    count(memory, "by-command", async (value) => {
      const place = ["-p", "shop", "-e", "develop"];
      const payload = JSON.stringify({ value });
      const { code, stderr } = await commands.run(
        "flags",
        "set",
        "by-command",
        ...place,
        "--payload",
        payload,
      );
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    }),
  );
  const readers = ["by-api", "by-command"].map((slug) => repeat(() => read(client, memory, slug)));
  const kill = async () => {
    // No wait for something: what follows holds at whichever moment this ends.
    await Bun.sleep(20 + seededRandom(seed).below(longest));
    killed = true;
    await server.stop("SIGKILL");
  };
  await Promise.all([kill(), ...senders, remover, byApi, byCommand, ...readers]);
}

/** Starts a server and kills it somewhere on its way up. */
async function killAtStart(data: string, ms: number): Promise<void> {
  const args = [EXECUTABLE, "serve", "--data", data, "--listen", "127.0.0.1:0"];
  const child = Bun.spawn(args, { stdin: "ignore", stdout: "ignore", stderr: "ignore" });
  await Bun.sleep(ms);
  child.kill("SIGKILL");
  await child.exited;
}

/** Compares what a server shows with what is known, and learns what became of what was never answered. */
async function expectAllThere(data: string, client: Client, memory: Memory): Promise<void> {
  const stored = await client.stored();
  const byMark = new Map(stored.map((submission) => [submission.data["mark"], submission]));
  expect(byMark.size).toBe(stored.length);
  for (const submission of stored) {
    const known = memory.submissions.get(submission.data["mark"]);
    expectWhole(submission, known);
    expect(known!.state).not.toBe("deleted");
    if (!known!.isNew) continue;
    for (const [index, file] of submission.files.entries()) {
      expect(sha256(await client.download(submission.id, index + 1))).toBe(file.sha256);
    }
  }
  for (const [mark, known] of memory.submissions) {
    const id = byMark.get(mark)?.id;
    if (known.state === "stored" || (id && known.id)) expect({ mark, id }).toEqual({ mark, id: known.id! });
    if (id) Object.assign(known, { state: "stored", id, isNew: false });
    else memory.submissions.delete(mark);
  }
  expect(await compareFiles(data, stored)).toEqual({ left: [], missing: [] });

  for (const [slug, flag] of memory.flags) {
    const answer = await client.readFlag(slug);
    const { payload } = (await answer.json()) as { payload?: { value: number } };
    const value = payload?.value ?? 0;
    expect([flag.acknowledged, flag.asked]).toContain(value);
    Object.assign(flag, { acknowledged: value, asked: value });
  }
}

function expectSound(data: string): void {
  using db = new Database(join(data, "formflag.db"), { readonly: true });
  expect(db.query("PRAGMA integrity_check").values()).toEqual([["ok"]]);
  expect(db.query("PRAGMA foreign_key_check").values()).toEqual([]);
}

/** Kills a server under load that many times. */
export function testKills(rounds: number): void {
  const title = `a server killed under load ${rounds} times loses and breaks nothing that was acknowledged`;
  const timeout = 60_000 + rounds * 5000;
  test(title, () => expectNothingLost(rounds), timeout);
}

async function expectNothingLost(rounds: number): Promise<void> {
  const data = tempDirectory(DISK);
  const keys = await prepare(data);
  const memory = createMemory();
  // A slow machine gets further and longer rounds: where the load did not reach the server, nothing was proved.
  const hasProved = () => {
    const kept = [...memory.submissions.values()];
    return (
      kept.some(({ files }) => files.length === 0) &&
      kept.some(({ files }) => files.length > 0) &&
      (memory.flags.get("by-api")?.acknowledged ?? 0) > 0
    );
  };
  for (let round = 1; round <= rounds || (!hasProved() && round <= rounds + 20); round += 1) {
    const seed = SEED + round * 1000;
    try {
      await loadAndKill(data, keys, memory, { seed, longest: 280 * Math.max(1, round - rounds) });
      const random = seededRandom(seed);
      if (random.below(2) === 0) await killAtStart(data, random.below(60));
      const server = await startServer([], { data });
      await expectAllThere(data, clientOf(server.url, keys), memory);
      expect(errorsIn(server.stderr())).toEqual([]);
      expect(await server.stop()).toBe(0);
      expectSound(data);
    } catch (cause) {
      throw new Error(`round ${round} failed; again with FORMFLAG_TORTURE_SEED=${SEED}`, {
        cause,
      });
    }
  }
  expect(hasProved()).toBe(true);
}
