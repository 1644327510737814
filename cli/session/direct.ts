import type { App } from "../../src/app.ts";
import { type Caller, confirmationIn, operatorCaller } from "../../src/access/caller.ts";
import { type FlagPlace, noSuchFlag, viewDetail } from "../../src/flags/flag.ts";
import { setFlag } from "../../src/flags/flags.ts";
import type { Client } from "./client.ts";
import { userName } from "./user.ts";

const FLAG = /^\/projects\/([^/]+)\/environments\/([^/]+)\/flags\/([^/]+)$/;

/**
 * Reads a flag, or turns one on or off, by the operation itself: loading the admin API and its schemas would take a third
 * of such a command (`npm run bench -- start`). Returns undefined for any other call.
 */
export function directCall([method, path, body, headers = {}]: Parameters<Client["callAt"]>):
  | ((app: App) => Promise<{ value: unknown; revision: number }>)
  | undefined {
  const names = FLAG.exec(path)?.slice(1).map(decodeURIComponent);
  if (!names) return undefined;
  const [project, environment, flag] = names as [string, string, string];
  const place = { project, environment, flag };
  if (method === "GET") return (app) => readFlag(app, place);
  const enabled = enabledIn(body);
  if (method !== "PATCH" || enabled === undefined || "If-Match" in headers) return undefined;
  return (app) => switchFlag(app, place, enabled, callerOf(headers));
}

async function readFlag(app: App, place: FlagPlace) {
  const record = await app.store.flags.find(place);
  if (!record) throw noSuchFlag(place.flag);
  return { value: viewDetail(record, app.now()), revision: record.revision };
}

/** The person who runs this command, with what the headers of the call confirm and give as a reason. */
function callerOf({ "X-Confirm": confirmed, "X-Why": why }: Record<string, string>): Caller {
  const reason = why === undefined ? undefined : decodeURIComponent(why);
  return operatorCaller(userName, confirmationIn(confirmed), reason);
}

async function switchFlag(app: App, place: FlagPlace, enabled: boolean, caller: Caller) {
  const { record, result } = await setFlag(app, caller, place, { enabled }, null);
  return { value: { ...viewDetail(record, app.now()), result }, revision: record.revision };
}

/** The value of `enabled` in a patch that holds nothing else. */
function enabledIn(body: unknown): boolean | undefined {
  if (typeof body !== "object" || body === null || Object.keys(body).join() !== "enabled") return undefined;
  const { enabled } = body as { enabled?: unknown };
  return typeof enabled === "boolean" ? enabled : undefined;
}
