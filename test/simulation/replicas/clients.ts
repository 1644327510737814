import type { Call } from "../history/history.ts";
import { type Client, type Keys, type Random, clientOf } from "../../faults/load.ts";

export const FLAGS = ["red", "green", "blue"];

/** A read of a value; `replica` is null for one of the database, over the admin API. */
type Read = {
  flag: string;
  value: number;
  begin: number;
  end: number;
  replica: number | null;
  isStale: boolean;
};
type Write = { call: Call & { kind: "write" }; value: number };

/** What clients of three servers have seen, in milliseconds of the clock of this process. */
export type Seen = { reads: Read[]; writes: Write[]; refusals: Call[]; newest: Map<string, number> };

type Context = { urls: readonly string[]; keys: Keys; random: Random; seen: Seen; isOver: () => boolean };

/** A value is written once. */
let values = 0;

const STALE = "x-formflag-stale";
const now = () => performance.now();
const deadline = () => AbortSignal.timeout(8000);

export function createSeen(newest = new Map<string, number>()): Seen {
  return { reads: [], writes: [], refusals: [], newest };
}

/** Runs work until it is over; a server that is down or stopped is no error. */
async function repeat(context: Context, work: () => Promise<void>): Promise<void> {
  while (!context.isOver()) {
    await work().catch((error: unknown) => {
      if (!isOutage(error)) throw error;
    });
    await Bun.sleep(context.random.below(8));
  }
}

/** An error of the connection, not of this program. */
function isOutage(error: unknown): boolean {
  const { name, code } = error as { name?: string; code?: string };
  return name === "TimeoutError" || name === "AbortError" || code !== undefined;
}

/** Sets flags, half of the time with the revision that it expects, and reads some of them right behind the answer. */
export function writer(context: Context): Promise<void> {
  const { urls, keys, random } = context;
  const clients = urls.map((url) => clientOf(url, keys));
  return repeat(context, async () => {
    const flag = FLAGS[random.below(FLAGS.length)]!;
    const isAnswered = await write(context, clients[random.below(3)]!, flag, random.below(2) === 0);
    if (isAnswered)
      await Promise.all(clients.map((client, replica) => readFlag(context, client, replica, flag)));
  });
}

/** Sets a flag to a value of its own; false if it was not answered that this was done. */
export async function write(
  { seen }: Pick<Context, "seen">,
  client: Client,
  flag: string,
  isExpecting: boolean,
): Promise<boolean> {
  const expected = isExpecting ? (seen.newest.get(flag) ?? null) : null;
  const value = (values += 1);
  const begin = now();
  const call = { kind: "write", flag, begin, end: Infinity, revision: null, expected } as const;
  const answer = await client
    .admin(`/projects/shop/environments/develop/flags/${flag}`, {
      method: "PATCH",
      headers: expected === null ? {} : { "If-Match": `"${expected}"` },
      body: JSON.stringify({ enabled: true, payload: { value } }),
      signal: deadline(),
      // On a connection of its own: the runtime repeats no request then.
      keepalive: false,
    })
    .then(async (each) => ({ status: each.status, body: (await each.json()) as { revision: number } }))
    .catch(() => ({ status: 0, body: { revision: 0 } }));
  const end = now();
  if (answer.status === 200) {
    const { revision } = answer.body;
    if (revision > (seen.newest.get(flag) ?? 0)) seen.newest.set(flag, revision);
    seen.writes.push({ call: { ...call, end, revision }, value });
    return true;
  }
  if (answer.status === 409 && expected !== null)
    seen.refusals.push({ ...call, kind: "conflict", end, expected });
  else if (answer.status === 0 || answer.status >= 500) seen.writes.push({ call, value });
  else throw new Error(`a write was answered ${JSON.stringify(answer)}`);
  return false;
}

/** Reads flags one at a time, all of them by OFREP, and now and then one in the database. */
export function reader(context: Context): Promise<void> {
  const { urls, keys, random } = context;
  const clients = urls.map((url) => clientOf(url, keys));
  return repeat(context, async () => {
    const replica = random.below(3);
    const flag = FLAGS[random.below(FLAGS.length)]!;
    const kind = random.below(10);
    if (kind < 6) await readFlag(context, clients[replica]!, replica, flag);
    else if (kind < 9) await readAll(context, replica);
    else await readStored(context, clients[replica]!, flag);
  });
}

/** Reads all flags at any server at each event of a stream. */
export function listener(context: Context): Promise<void> {
  const { urls, random } = context;
  return repeat(context, async () => {
    const replica = random.below(3);
    const found = await readAll(context, replica);
    const path = found?.eventStreams[0].endpoint.requestUri;
    if (path === undefined) return;
    const stream = await fetch(new URL(path, urls[replica]), { signal: deadline() });
    if (stream.status !== 200) return;
    for await (const chunk of stream.body!.pipeThrough(new TextDecoderStream())) {
      if (chunk.includes("data:")) await readAll(context, random.below(3));
      if (context.isOver()) return;
    }
  });
}

async function readFlag({ seen }: Context, client: Client, replica: number, flag: string): Promise<void> {
  const begin = now();
  const answer = await client.readFlag(flag).catch(() => null);
  if (answer?.status !== 200) return;
  const { payload } = (await answer.json()) as { payload: { value: number } };
  note(seen, answer, replica, begin, [[flag, payload.value]]);
}

async function readAll({ seen, urls, keys }: Context, replica: number) {
  const begin = now();
  const answer = await fetch(`${urls[replica]}/ofrep/v1/evaluate/flags`, {
    method: "POST",
    headers: { "x-project-key": keys.project, "x-environment-key": keys.environment },
    body: '{"context":{}}',
    signal: deadline(),
  });
  if (answer.status !== 200) return null;
  const body = (await answer.json()) as {
    flags: { key: string; value: { value: number } }[];
    eventStreams: [{ endpoint: { requestUri: string } }];
  };
  const payloads = new Map(body.flags.map(({ key, value }) => [key, value]));
  note(
    seen,
    answer,
    replica,
    begin,
    FLAGS.map((flag) => [flag, payloads.get(`${flag}.payload`)!.value]),
  );
  return body;
}

async function readStored({ seen }: Context, client: Client, flag: string): Promise<void> {
  const begin = now();
  const answer = await client.admin(`/projects/shop/environments/develop/flags/${flag}`, {
    signal: deadline(),
  });
  if (answer.status !== 200) return;
  const { payload } = (await answer.json()) as { payload: { value: number } };
  note(seen, answer, null, begin, [[flag, payload.value]]);
}

/** An answer of a server without its database was right when that last answered: so long ago its read began. */
function note(
  { reads }: Seen,
  answer: Response,
  replica: number | null,
  began: number,
  found: [string, number][],
): void {
  const end = now();
  const stale = answer.headers.get(STALE);
  const begin = stale === null ? began : began - Number(stale) * 1000 - 1;
  for (const [flag, value] of found)
    reads.push({ flag, value, begin, end, replica, isStale: stale !== null });
}
