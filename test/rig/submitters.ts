import { expect } from "bun:test";
import type { Rig } from "../support/postgres/rig.ts";
import {
  type Keys,
  type Sent,
  type Stored,
  clientOf,
  compareSums,
  expectWhole,
  jsonSubmission,
  multipartSubmission,
  seededRandom,
  sha256,
} from "../faults/load.ts";

/** What was answered to a submission; null if the connection was lost. */
type Answered = {
  url: string;
  sent: Sent;
  at: number;
  took: number;
  status: number | null;
  id?: string;
  retryAfter?: string | null;
};

export type Submitters = {
  answered: Answered[];
  /** Ends the load once what is under way has been answered. */
  stop: () => Promise<void>;
};

type Load = { plain?: number; files?: number; seed?: number; headers?: Record<string, string> };

/** Sends JSON and multipart submissions to each of the addresses, one after another at so many places of each kind. */
export function submitTo(
  urls: string[],
  keys: Keys,
  { plain = 2, files = 1, seed = 1, headers = {} }: Load = {},
): Submitters {
  const answered: Answered[] = [];
  const over = new AbortController();
  const send = async (url: string, sent: Sent) => {
    const began = performance.now();
    const done = (rest: Pick<Answered, "status" | "id" | "retryAfter">) => {
      const at = performance.now();
      answered.push({ url, sent, at, took: at - began, ...rest });
    };
    try {
      const answer = await clientOf(url, keys).submit(sent, headers);
      const { id } = (await answer.json()) as { id?: string };
      done({ status: answer.status, retryAfter: answer.headers.get("retry-after"), ...(id && { id }) });
    } catch (error) {
      // Only a lost connection has a code: ECONNRESET, ConnectionRefused.
      if (!(error instanceof Error && "code" in error)) throw error;
      done({ status: null });
      await Bun.sleep(5);
    }
  };
  const loops = urls.flatMap((url, at) =>
    Array.from({ length: plain + files }, async (_, number) => {
      const random = seededRandom(seed * 1000 + at * 100 + number);
      const make = number < plain ? jsonSubmission : multipartSubmission;
      while (!over.signal.aborted) await send(url, make(random));
    }),
  );
  return {
    answered,
    async stop() {
      over.abort();
      await Promise.all(loops);
    },
  };
}

/** How many answers had each status; `lost` for connections that ended. */
export function countStatuses(answered: Answered[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of answered) counts[status ?? "lost"] = (counts[status ?? "lost"] ?? 0) + 1;
  return counts;
}

/** That each submission answered with 200 is stored once, whole and with its files, and that nothing is stored that was not sent. */
export function expectStored(stored: Stored[], answered: Answered[]): void {
  const sent = new Map(answered.map((each) => [each.sent.fields["mark"], each]));
  const ids = new Map(stored.map(({ id, data }) => [data["mark"], id]));
  expect(ids.size).toBe(stored.length);
  for (const submission of stored) expectWhole(submission, sent.get(submission.data["mark"])?.sent);
  const lost = answered.filter(
    ({ sent, status, id }) => status === 200 && (id === undefined || ids.get(sent.fields["mark"]) !== id),
  );
  expect(lost).toEqual([]);
}

/** The objects of no submission, and the files of submissions without an object. */
export function compareObjects({ s3 }: Rig, stored: Stored[]) {
  const present = [...s3.objects].map(([path, { bytes }]) => ({ path, sha256: sha256(bytes) }));
  return compareSums(present, stored);
}
