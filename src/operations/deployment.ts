import type { Outgoing } from "../delivery/outgoing.ts";
import type { CommitMinute } from "../maintenance/commit-latency.ts";

/** How a server is reached, and reaches others; a command has the same from its environment. */
export type Deployment = {
  /** Opens connections to targets and the mail server. */
  outgoing: () => Promise<Outgoing>;
  /** The address that submissions of a form are posted to, by its key. */
  formUrl: (key: string) => string;
  /** The address of a link that signs in, by its secret. */
  signInUrl: (secret: string) => string | Promise<string>;
  /** How long the commits of a server took: see `createCommitLatency`. */
  commitMinutes: () => readonly CommitMinute[];
};
