import type { Client } from "./address.ts";

export type ServiceName = "forms" | "flags" | "admin" | "operation";

/** One answered request. Holds no path, query or header as sent, for they may carry keys. */
export type RequestRecord = {
  service: ServiceName;
  method: string;
  /** The pattern that matched, behind the base path; `/*` where none did. */
  route: string;
  status: number;
  /** Milliseconds until the answer began. */
  ms: number;
  id: string;
  client: () => Client;
};
