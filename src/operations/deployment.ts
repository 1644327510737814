import type { Outgoing } from "../delivery/outgoing.ts";
import type { CommitMinute } from "../maintenance/commit-latency.ts";
import type { Finding } from "../maintenance/finding.ts";
import type { ServerFacts } from "../maintenance/status.ts";

/** How a server is reached, and reaches others; a command has the same from its environment. */
export type Deployment = {
  /** Opens connections to targets and the mail server. */
  outgoing: () => Promise<Outgoing>;
  /** Whether deliveries are sent through a mail server; null for a command where no server runs and its environment names none. */
  sendsMail: () => Promise<boolean | null>;
  /** Whether the server knows its public URL, which links in mail to senders begin with. */
  knowsUrl: () => Promise<boolean>;
  /** The address that submissions of a form are posted to, by its key. */
  formUrl: (key: string) => string;
  /** The address of a feed, by the token and the format in it. */
  feedUrl: (token: string, format: string) => string | Promise<string>;
  /** The address of a link that signs in, by its secret. */
  signInUrl: (secret: string) => string | Promise<string>;
  /** The address of a page of the dashboard, by its path behind that of the dashboard; a path if the address is not known. */
  pageUrl: (path: string) => string | Promise<string>;
  /** How long the commits of a server took: see `createCommitLatency`. */
  commitMinutes: () => readonly CommitMinute[];
  status: () => ServerFacts | Promise<ServerFacts>;
  /** Checks a server and its machine as the doctor does; with `connects` also what it connects to. Nothing in a command. */
  findings: (connects: boolean) => Promise<readonly Finding[]>;
  /** Begins a backup that is downloaded; undefined in a command. Throws `unavailable` while another one is made. */
  backup?: (() => Promise<Download>) | undefined;
};

/** A file that an operation answers. */
export type Download = {
  name: string;
  /** Its media type. */
  type: string;
  /** Its bytes; null if that is not known. */
  size: number | null;
  /** How many rows it has; null if that is not known. */
  rows: number | null;
  content: ReadableStream<Uint8Array<ArrayBuffer>> | AsyncGenerator<string | Uint8Array>;
};
