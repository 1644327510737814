import { clock } from "../../base/clock.ts";
import type { App } from "../../app.ts";
import { isShared, notInMemory } from "../../base/changes.ts";
import { type Report, showError } from "../errors.ts";
import { NO_SNIFF } from "../security.ts";

/** Header of a health answer: whether the `X-Forwarded-For` of the request is `trusted` or `ignored`. */
export const FORWARDED = "X-Formflag-Forwarded";

export type Check = (request: Request) => Promise<Response>;

/** Readiness answer before the server stops, so that a load balancer sends no more requests. */
const STOPPING = {
  body: { error: true, code: 503, message: "the server is about to stop" },
  status: 503,
  headers: NO_SNIFF,
};

/** How long a readiness answer is cached, in milliseconds: a check waits for the disk and for other writers. */
const READINESS_TTL = 1000;

/** How long an answer waits for the storage, in milliseconds: it does not decide the status. */
const STORAGE_MS = 500;

/**
 * `isHealthy` answers 200 while the database can be read, `isReady` while it takes writes and the server is not `draining`;
 * else 503. `isReady` also reports whether files can be stored, which does not decide the status: other submissions and
 * flags need no files; storage that does not answer in time counts as unavailable. With a shared database `isHealthy` does not read it: while that is down, a restart would only lose
 * the flags in memory.
 */
export function createHealth(
  app: App,
  report: Report,
  isDraining: () => boolean,
): { isHealthy: Check; isReady: Check } {
  const canRead = isShared(app.store) ? async () => {} : () => app.store.ping();
  const check = async (name: string, request: Request, work: () => Promise<unknown>) => {
    try {
      await work();
      return { body: { status: name }, status: 200, headers: NO_SNIFF };
    } catch (error) {
      const { status, message, headers } = showError(error, report, request);
      return { body: { error: true, code: status, message }, status, headers: { ...NO_SNIFF, ...headers } };
    }
  };
  /** Throws `unavailable`. */
  const canWrite = async () => {
    if (app.watch.staleFor() > 0) throw notInMemory();
    await app.store.ready();
  };
  const tryBlobs = async (request: Request) => {
    try {
      await app.blobs.ready();
      return "ready";
    } catch (error) {
      report.error(error, request);
      return "unavailable";
    }
  };
  let blobsChecked: ReturnType<typeof tryBlobs> | undefined;
  /** One check at a time, which goes on where an answer no longer waits for it. */
  const checkBlobs = async (request: Request) => {
    blobsChecked ??= tryBlobs(request).finally(() => (blobsChecked = undefined));
    const { promise: late, resolve } = Promise.withResolvers<"unavailable">();
    const timer = clock.after(STORAGE_MS, () => resolve("unavailable"));
    try {
      return await Promise.race([blobsChecked, late]);
    } finally {
      timer.close();
    }
  };
  const checkBoth = async (request: Request) => {
    const [answer, blobs] = await Promise.all([check("ready", request, canWrite), checkBlobs(request)]);
    const database = answer.status === 200 ? "ready" : "unavailable";
    return { ...answer, body: { ...answer.body, database, blobs } };
  };
  let ready: ReturnType<typeof checkBoth> | undefined;
  const checkReady = (request: Request) => {
    ready = checkBoth(request);
    void ready.then(() => clock.after(READINESS_TTL, () => (ready = undefined)).unref());
    return ready;
  };
  return {
    async isHealthy(request) {
      return respond(await check("ok", request, () => canRead()));
    },
    async isReady(request) {
      if (isDraining()) return respond(STOPPING);
      return respond(await (ready ?? checkReady(request)));
    },
  };
}

function respond({
  body,
  ...init
}: {
  body: unknown;
  status: number;
  headers: Record<string, string>;
}): Response {
  return Response.json(body, init);
}
