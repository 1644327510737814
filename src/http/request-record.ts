import type { Client } from "./address.ts";

export type ServiceName = "forms" | "flags" | "admin" | "dashboard" | "operation";

/** One answered request, without its path, query and headers, which may carry keys. */
export type RequestRecord = {
  method: string;
  /** The pattern that matched, behind the base path; `/*` if none did. */
  route: string;
  status: number;
  /** Milliseconds until the answer began. */
  ms: number;
  id: string;
  /** A flag read that succeeded, of which there may be thousands a second. */
  isRead: boolean;
  /** An answer of 500 or more, except from a server that is not ready because it is about to stop. */
  isFailure: boolean;
  client: () => Client;
};
