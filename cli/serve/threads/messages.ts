import type { User } from "../../../src/experiments/measuring.ts";
import type { ThreadValues } from "../../../src/http/operation/metrics.ts";
import type { Storage } from "../../../src/storage.ts";
import type { ThreadLink } from "../../data/parts.ts";
import type { Listen } from "../address.ts";
import type { ServeConfig } from "../config.ts";
import type { Sockets, Tls } from "../listen.ts";
import type { ServerMemory } from "./memory.ts";

/** Everything that a serving thread needs to start. */
export type ThreadStart = {
  config: ServeConfig;
  storage: Storage;
  memory: ServerMemory;
  ids: SharedArrayBuffer;
  link: ThreadLink;
  linkSecret: string;
  errIsTerminal: boolean;
  tls: Tls | null;
  /** The addresses that the main thread listens at, in the order of its places; null for an address that it serves alone. */
  addresses: (Listen | null)[];
};

/** Messages to a serving thread. */
export type ToThread =
  | { kind: "start"; start: ThreadStart }
  /** The time of the main thread. */
  | { kind: "clock"; at: number }
  | { kind: "values" }
  /** Answers `count`: one for each, in their order. */
  | { kind: "counted" }
  /** Does one of {@link Sockets} at a place, and answers `done`. */
  | { kind: "sockets"; place: number; act: Exclude<keyof Sockets, "add"> }
  | { kind: "sockets"; place: number; act: "add"; tls: Tls }
  /** Makes each further answer the last one of its connection, and ends streams. */
  | { kind: "retire" }
  /** Takes no more connections, and answers `stopped` once the requests under way are answered. */
  | { kind: "stop" }
  /** Ends at once, and answers `ended`. */
  | { kind: "end" }
  | { kind: "forwarded"; part: AnswerPart };

/** Messages of a serving thread. */
export type FromThread =
  | { kind: "clock" }
  | { kind: "listening" }
  | { kind: "failed"; error: unknown }
  | { kind: "log"; text: string; isNote: boolean }
  /** Deliveries were queued. */
  | { kind: "queued" }
  /** A user got a variant that a measurement counts. */
  | { kind: "noted"; measurement: number; user: User }
  /** Asks for all users to be counted who were noted before. */
  | { kind: "count" }
  | { kind: "values"; values: ThreadValues }
  /** A command for sockets was done, or failed with that message. */
  | { kind: "done"; failure: string | null }
  | { kind: "stopped" }
  | { kind: "ended" }
  | { kind: "forwarded"; part: RequestPart };

/** A part of a request that a serving thread passes on to the main thread. */
export type RequestPart =
  | { kind: "request"; id: number; request: ForwardedRequest }
  /** The next bytes of its body; null at the end. */
  | { kind: "requestBody"; id: number; bytes: Uint8Array | null }
  /** The sender has disconnected. */
  | { kind: "abort"; id: number }
  /** The sender has taken the bytes of the answer so far. */
  | { kind: "more"; id: number };

/** A part of its answer. */
export type AnswerPart =
  | { kind: "moreBody"; id: number }
  | { kind: "answer"; id: number; status: number; headers: [string, string][]; body: Uint8Array | null }
  /** As `answer`, with a file of this machine as its body. */
  | { kind: "answerFile"; id: number; status: number; headers: [string, string][]; path: string }
  /** As `answer`, and its body follows. */
  | { kind: "answerBegins"; id: number; status: number; headers: [string, string][]; body: Uint8Array }
  | { kind: "answerBody"; id: number; bytes: Uint8Array | null }
  | { kind: "answerFails"; id: number };

export type ForwardedRequest = {
  /** Index of the address that it came to. */
  place: number;
  method: string;
  url: string;
  headers: [string, string][];
  peer: string;
  hasBody: boolean;
};
