import type { App } from "../../src/app.ts";
import { urlHost } from "./address.ts";
import type { ServeConfig } from "./config.ts";
import type { Tls } from "./listen.ts";
import type { Log } from "./log.ts";
import type { Renewal } from "./renewal.ts";

/** The gRPC service for flagd, or nothing. */
export type Sync = { listeners: { origin: string }[]; renewals: Renewal[]; close: () => void };

export const NO_SYNC: Sync = { listeners: [], renewals: [], close() {} };

/** Serves flags over gRPC at `--flagd-listen`; loaded only then. Throws `unavailable`. */
export async function openFlagdSync(
  app: App,
  { flagdListen }: Pick<ServeConfig, "flagdListen">,
  tls: Tls | null,
  log: Log,
): Promise<Sync> {
  if (flagdListen === null) return NO_SYNC;
  const [{ createFlagdSync }, { serveGrpc }] = await Promise.all([
    import("../../src/http/flags/flagd/sync.ts"),
    import("./grpc.ts"),
  ]);
  const { methods, endStreams } = createFlagdSync(app, log.error);
  const server = await serveGrpc(flagdListen, tls, methods);
  const origin = `${tls ? "grpcs" : "grpc"}://${urlHost(flagdListen.hostname)}:${server.port}`;
  return {
    listeners: [{ origin }],
    renewals: [{ renew: async (renewed) => server.renew(renewed), stop() {} }],
    close() {
      endStreams();
      server.close();
    },
  };
}
