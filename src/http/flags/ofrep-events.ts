import type { FoundToken } from "../../access/store.ts";
import type { App } from "../../app.ts";
import type { Find } from "../../base/changes.ts";
import { isoTime } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import type { Client } from "../address.ts";
import type { Report } from "../errors.ts";
import { EVENTS_PATH } from "../paths.ts";
import type { ThreadCounts } from "../rate-limit.ts";
import { createEventStreams } from "./event-streams.ts";
import type { FlagSet, createFlagSets } from "./ofrep-flags.ts";
import { type Reader, createTickets } from "./ofrep-tickets.ts";

/** Server-sent events that make readers evaluate again after flags changed. */
export type FlagEvents = {
  /** The `eventStreams` of an answer to a reader: where the events of its environment are. */
  streamsOf: (reader: Reader) => unknown[];
  /** Opens a stream of events. Throws `unauthenticated` for an unknown ticket, `rate_limited`, `unavailable`. */
  open: (ticket: string, client: Client) => Promise<ReadableStream<Uint8Array>>;
  /** How many streams are open. */
  count: () => number;
  /** Ends every stream, so that the server can stop. */
  close: () => void;
};

/** How long a page in the background keeps its stream, in seconds. */
const INACTIVITY = 120;

/** A ticket's reader; `flags` and `sentAt` are those of the last event sent. */
type Listening = { reader: Reader; flags: FlagSet; sentAt: number };

export function createFlagEvents(
  app: App,
  findFlags: ReturnType<typeof createFlagSets>,
  findToken: Find<FoundToken>,
  { basePath, report, threads }: { basePath: string; report: Report; threads: ThreadCounts },
): FlagEvents {
  const tickets = createTickets(app, findToken);
  /** The `eventStreams` for readers with keys, by environment key; keys that select no environment are not added. */
  const byKey = new Map<string, unknown[]>();
  const flagsOf = ({ keys }: Reader) => findFlags(keys.projectKey, keys.environmentKey);

  /** An event if the flags of a reader changed, or one expired, since the last event. */
  const next = async (state: Listening, now: number) => {
    const flags = (await tickets.isValid(state.reader)) && (await flagsOf(state.reader));
    if (!flags) return null;
    const hasExpired = flags.expiries.some((at) => at > state.sentAt && at <= now);
    // Not by the revision: a database that went back to an earlier state may have it again for other flags.
    if (flags === state.flags && !hasExpired) return undefined;
    Object.assign(state, { flags, sentAt: now });
    return refetch(flags, now);
  };
  const streams = createEventStreams<Listening>(app, { report, threads }, next);

  return {
    ...streams,
    async open(ticket, client) {
      const reader = await tickets.find(ticket);
      const flags = reader && (await flagsOf(reader));
      if (!flags)
        throw new AppError(
          "unauthenticated",
          "there are no events at this address: evaluate flags to get a new one",
        );
      const now = app.now();
      return streams.open(ticket, { reader, flags, sentAt: now }, refetch(flags, now), client);
    },
    streamsOf(reader) {
      const { environmentKey } = reader.keys;
      const known = reader.tokenHash === null ? byKey.get(environmentKey) : undefined;
      if (known) return known;
      const requestUri = `${basePath}${EVENTS_PATH}?ticket=${tickets.of(reader)}`;
      const streams = [{ type: "sse", endpoint: { requestUri }, inactivityDelaySec: INACTIVITY }];
      if (reader.tokenHash === null) byKey.set(environmentKey, streams);
      return streams;
    },
  };
}

function refetch({ revision }: FlagSet, now: number): Uint8Array {
  const data = { type: "refetchEvaluation", etag: `"${revision}"`, lastModified: isoTime(now) };
  // The time makes the id unique: an expiry is an event of the same revision.
  return Buffer.from(`event: message\nid: ${revision}-${now}\ndata: ${JSON.stringify(data)}\n\n`);
}
