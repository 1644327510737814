import type { App } from "../app.ts";
import { showError, type Report } from "./errors.ts";
import { NO_SNIFF } from "./security.ts";

type Check = (request: Request) => Promise<Response>;

/** `isHealthy` answers 200 while the database can be read, `isReady` while a submission would be stored; else 503. */
export function createHealth(app: App, report: Report): { isHealthy: Check; isReady: Check } {
  const answer =
    (status: string, check: () => Promise<unknown>): Check =>
    async (request) => {
      try {
        await check();
        return Response.json({ status }, { headers: NO_SNIFF });
      } catch (error) {
        const { status, message, headers } = showError(error, report, request);
        const body = { error: true, code: status, message };
        return Response.json(body, { status, headers: { ...NO_SNIFF, ...headers } });
      }
    };
  return {
    isHealthy: answer("ok", () => app.store.ping()),
    isReady: answer("ready", () => Promise.all([app.store.ready(), app.blobs.ready()])),
  };
}
