import type { Telemetry } from "../../src/delivery/trace.ts";
import type { Outgoing } from "../../src/delivery/outgoing.ts";
import type { NoteRead } from "../../src/flags/reads/reads.ts";
import type { Peer } from "../../src/http/hot.ts";
import type { Metrics, ThreadValues } from "../../src/http/operation/metrics.ts";
import type { ThreadCounts } from "../../src/http/rate-limit.ts";
import type { CommitMinute } from "../../src/maintenance/commit-latency.ts";
import type { ServerFacts } from "../../src/maintenance/status.ts";
import type { Download } from "../../src/operations/deployment.ts";
import type { OidcClient } from "../../src/send/oidc.ts";
import type { Storage } from "../../src/storage.ts";
import type { Log } from "./log.ts";

/** Shared by the services of one server. */
export type Wiring = {
  outgoing: () => Promise<Outgoing>;
  /** The client that this server is at its OpenID provider; null for none. */
  oidcClient: OidcClient | null;
  log: Log;
  metrics: Metrics;
  noteRead: NoteRead;
  /** Null without a collector. */
  telemetry: Telemetry | null;
  commitMinutes: () => readonly CommitMinute[];
  isDraining: () => boolean;
  linkSecret: string;
  storage: Storage;
  facts: () => ServerFacts;
  backup: () => Promise<Download>;
  /** Counts of all threads of the server; null if there is only one. */
  threads: ThreadCounts;
  /** Values of the other threads, for the main thread. */
  others: () => Promise<ThreadValues[]>;
  /** Answers at the main thread what comes to a place of another thread; null in the main thread. */
  elsewhere: ((place: number, request: Request, peer: Peer) => Promise<Response>) | null;
};
