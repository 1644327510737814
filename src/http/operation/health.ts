import type { App } from "../../app.ts";
import { type Report, showError } from "../errors.ts";
import { NO_SNIFF } from "../security.ts";

/** Header of a health answer: whether the `X-Forwarded-For` of the request is `trusted` or `ignored`. */
export const FORWARDED = "X-Formflag-Forwarded";

type Check = (request: Request) => Promise<Response>;

/** How long a readiness answer is cached, in milliseconds: a check waits for the disk and for other writers. */
const READINESS_TTL = 1000;

/** `isHealthy` answers 200 while the database can be read, `isReady` while a submission would be stored; else 503. */
export function createHealth(app: App, report: Report): { isHealthy: Check; isReady: Check } {
  const check = async (name: string, request: Request, work: () => Promise<unknown>) => {
    try {
      await work();
      return { body: { status: name }, status: 200, headers: NO_SNIFF };
    } catch (error) {
      const { status, message, headers } = showError(error, report, request);
      return { body: { error: true, code: status, message }, status, headers: { ...NO_SNIFF, ...headers } };
    }
  };
  let ready: ReturnType<typeof check> | undefined;
  const checkReady = (request: Request) => {
    ready = check("ready", request, () => Promise.all([app.store.ready(), app.blobs.ready()]));
    void ready.then(() => setTimeout(() => (ready = undefined), READINESS_TTL).unref());
    return ready;
  };
  return {
    async isHealthy(request) {
      return respond(await check("ok", request, () => app.store.ping()));
    },
    isReady: async (request) => respond(await (ready ?? checkReady(request))),
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
