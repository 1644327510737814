import type { Client } from "./address.ts";

export type ServiceName = "forms" | "flags" | "admin" | "operation";

/** One answered request, without its path, query and headers, which may carry keys. */
export type RequestRecord = {
  service: ServiceName;
  method: string;
  /** The pattern that matched, behind the base path; `/*` where none did. */
  route: string;
  status: number;
  /** Milliseconds until the answer began. */
  ms: number;
  /** Null for a read that has no id. */
  id: string | null;
  /** A read of flags that succeeded: there may be thousands a second. */
  isRead: boolean;
  client: () => Client;
};
