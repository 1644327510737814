import { operatorCaller } from "../../../src/access/caller.ts";
import { AppError } from "../../../src/base/errors.ts";
import { ADMIN_PATH } from "../../../src/operations/operation.ts";
import { MANIFEST_PATH } from "../../../src/http/paths.ts";
import type { Server, World } from "./world.ts";

/** What came of a call: a value, the code of an error, or nothing that is known. */
export type Outcome<T> = { code: "ok"; value: T } | { code: string; value?: undefined };

export const OPERATOR = operatorCaller(
  () => "operator",
  () => true,
);

/** Asks a server. Unavailable is what nobody knows; what is no error of the product is a bug. */
export async function ask<T>(
  world: World,
  server: Server | undefined,
  work: (server: Server) => Promise<T>,
): Promise<Outcome<T>> {
  if (!server || server.process.isDead) return { code: "down" };
  const asked = world.scheduler
    .as(server.process, () => work(server))
    .then(
      (value): Outcome<T> => ({ code: "ok", value }),
      (error: unknown): Outcome<T> => {
        if (error instanceof AppError) return { code: error.code === "unavailable" ? "unknown" : error.code };
        world.violated(`a bug: ${error instanceof Error ? error.stack : String(error)}`);
        return { code: "bug" };
      },
    );
  return Promise.race([asked, server.killed.then((): Outcome<T> => ({ code: "unknown" }))]);
}

/** A request of the admin API, by a secret or by the operator of the machine. */
export type Asked = {
  method: string;
  /** Behind the address of the admin API, or that of the manifest. */
  path: string;
  /** An object is sent as JSON, a text as JSON lines. */
  body?: unknown;
  secret?: string | undefined;
  headers?: Record<string, string>;
};

/** What a client sends from: addresses of one network, which has a limit of its own. */
const CLIENT = { client: { address: "203.0.113.7", isLocal: false } };

/** Asks the admin API of a server. Returns the JSON of the answer. */
export function request(
  world: World,
  server: Server | undefined,
  { method, path, body, secret, headers = {} }: Asked,
): Promise<Outcome<Record<string, unknown>>> {
  return ask(world, server, async ({ services }) => {
    const admin = await services().admin();
    const type = typeof body === "string" ? "application/jsonl" : "application/json";
    const init = {
      method,
      headers: {
        ...(body !== undefined && { "content-type": type }),
        ...(secret !== undefined && { authorization: `Bearer ${secret}` }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    };
    const caller = secret === undefined ? { operator: () => "operator" } : CLIENT;
    const isManifest = path.startsWith(MANIFEST_PATH);
    const answer = await admin.request(isManifest ? path : `${ADMIN_PATH}${path}`, init, caller);
    const text = await answer.text();
    const isJson = /^application\/json(;|$)/.test(answer.headers.get("content-type") ?? "");
    const told = (isJson ? JSON.parse(text) : { text }) as Record<string, unknown>;
    if (answer.ok) return told;
    const { code = String(answer.status), message } = told["error"] as { code?: string; message: string };
    if (answer.status === 500) throw new Error(`${method} ${path}: ${message}`);
    throw new AppError(code as "invalid", message);
  });
}
