import { AppError, ERROR_CODES } from "../../src/base/errors.ts";
import { isDeeper } from "../../src/base/json.ts";
import { ADMIN_PATH } from "../../src/http/paths.ts";
import { RemoteError } from "../exit.ts";
import type { Io } from "../output/terminal.ts";
import { type Shape, misfit, shapeOf } from "./answers.ts";
import { userName } from "./user.ts";
import { usage } from "./usage.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

type Headers = Record<string, string>;

type At<T> = { value: T; revision: number };

export type Answer = Pick<Response, "status" | "headers" | "body">;

/** The admin API, of a server or in this process. Paths begin behind `/api/admin/v1`. */
export type Client = {
  /** The JSON of the answer; undefined where it has none. Throws the error that the API answers. */
  call<T>(method: Method, path: string, body?: unknown, headers?: Headers): Promise<T>;
  /** The same, with the revision that its ETag names. */
  callAt<T>(method: Method, path: string, body?: unknown, headers?: Headers): Promise<At<T>>;
  /** The answer itself, for a download. Throws as `call` does. */
  open(path: string): Promise<Answer>;
  close(): Promise<void>;
};

/** A path of names that may hold anything that can be a name. Throws `invalid`. */
export function path(strings: TemplateStringsArray, ...names: string[]): string {
  for (const name of names) {
    // As parts of a path these mean something else.
    if (["", ".", ".."].includes(name)) throw usage(`"${name}" is no name`);
  }
  return String.raw({ raw: strings }, ...names.map(encodeURIComponent));
}

/** In this process, on a data directory: the same API, called without a network. */
export async function localClient(data: string, version: string, io: Io): Promise<Client> {
  const [{ openApp }, { applyDue }, { createAdminApp, nounOf }] = await Promise.all([
    import("../data/open.ts"),
    import("../../src/flags/schedule.ts"),
    import("../../src/http/admin/admin.ts"),
  ]);
  const app = openApp(data, "inline");
  const report = {
    error(error: unknown) {
      // The caller sees an AppError's own words; a bug is printed in full.
      if (!(error instanceof AppError)) io.err(`${Bun.inspect(error)}\n`);
    },
    refused: () => {},
  };
  const admin = (path: string) => {
    const noun = nounOf(path);
    // As a server shows it that runs with the same environment.
    const publicUrl = process.env["FORMFLAG_PUBLIC_URL"] ?? null;
    return createAdminApp(app, { version, report, publicUrl }, noun && [noun]);
  };
  let hasDeleted = false;
  return clientOn(
    null,
    async (request) => {
      const path = new URL(request.url).pathname.slice(ADMIN_PATH.length);
      // No server may have run when they were due. Forms have nothing to do with it.
      if (!/^\/(forms|submissions|tokens)\b/.test(path))
        await applyDue(app, (text) => io.note(`warning: ${text}\n`));
      hasDeleted ||= request.method === "DELETE" || path === "/apply";
      return (await admin(path)).fetch(request, {
        operator: userName,
      });
    },
    async () => {
      // No server may run that would do it in the background.
      if (hasDeleted) await (await import("../../src/forms/removal.ts")).clearDeletedForms(app);
      await app[Symbol.asyncDispose]();
    },
  );
}

/** Containers inside containers in an answer: more than the deepest rule or payload needs. */
const MAX_DEPTH = 256;

/**
 * The client of an API that `open` passes requests to; `server` is null in this process. Throws `unavailable` for what
 * formflag does not answer.
 */
export function clientOn(
  server: string | null,
  open: (request: Request, isDownload: boolean) => Promise<Answer>,
  close: () => Promise<void>,
): Client {
  const base = server ?? "http://localhost";
  const request = async (
    method: string,
    path: string,
    { body, headers = {}, isDownload = false }: { body?: unknown; headers?: Headers; isDownload?: boolean },
  ) => {
    const init =
      body === undefined
        ? { headers }
        : { body: JSON.stringify(body), headers: { ...headers, "Content-Type": "application/json" } };
    const answer = await open(new Request(`${base}${ADMIN_PATH}${path}`, { method, ...init }), isDownload);
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw await errorOf(answer, base, server === null);
  };
  const callAt = async <T>(
    method: Method,
    path: string,
    body?: unknown,
    headers?: Headers,
  ): Promise<At<T>> => {
    const answer = await request(method, path, { body, ...(headers ? { headers } : {}) });
    const revision = Number(/"(\d+)"/.exec(answer.headers.get("etag") ?? "")?.[1]);
    if (answer.status === 204) return { value: undefined as T, revision };
    return { value: (await jsonOf(answer, shapeOf(method, path), base)) as T, revision };
  };
  return {
    call: async <T>(...args: Parameters<typeof callAt>): Promise<T> => (await callAt<T>(...args)).value,
    callAt,
    async open(path) {
      const answer = await request("GET", path, { isDownload: true });
      if (/^attachment\b/.test(answer.headers.get("content-disposition") ?? "")) return answer;
      await answer.body?.cancel();
      throw notFormflag(answer, base, "sent something else than a download");
    },
    close,
  };
}

const ERROR = {
  error: { code: "string", message: "string", "hint?": "string", "reason?": "string" },
} as const;

type ErrorBody = {
  error: { code: string; message: string; hint?: string | null; reason?: string | null };
};

async function jsonOf(answer: Answer, shape: Shape, base: string): Promise<unknown> {
  const bytes = await new Response(answer.body).bytes();
  let value: unknown;
  try {
    value = isDeeper(bytes, MAX_DEPTH) ? undefined : JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    throw notFormflag(answer, base, "sent no JSON", error);
  }
  const wrong = misfit(value, shape);
  if (wrong === null) return value;
  throw notFormflag(answer, base, wrong === "" ? "sent other JSON" : `sent no usable ${wrong}`);
}

function notFormflag({ status }: Answer, base: string, what: string, cause?: unknown): AppError {
  const hint = "is this the address of its admin API?";
  const message = `${base} did not answer as a formflag server: it answered ${status} and ${what}`;
  return new AppError("unavailable", message, { hint, cause });
}

async function errorOf(answer: Answer, base: string, isOurs: boolean): Promise<Error> {
  const location = answer.headers.get("location");
  if (location !== null) return notFormflag(answer, base, `pointed to ${location}`);
  const { error } = (await jsonOf(answer, ERROR, base)) as ErrorBody;
  if (error.code === "internal")
    return isOurs ? new Error(error.message) : new RemoteError(`internal error on ${base}`);
  const known = ERROR_CODES.find((each) => each === error.code);
  if (known === undefined) return notFormflag(answer, base, `named an error unknown here, ${error.code}`);
  return new AppError(known, error.message, {
    reason: error.reason ?? undefined,
    hint: error.hint ?? undefined,
  });
}

/** Opens a client with its first call: a command that goes wrong before leaves no trace. */
export function lazyClient(open: () => Promise<Client>): Client {
  let opened: Promise<Client> | undefined;
  const client = () => (opened ??= open());
  return {
    call: async (...args) => (await client()).call(...args),
    callAt: async (...args) => (await client()).callAt(...args),
    open: async (path) => (await client()).open(path),
    close: async () => (await opened)?.close(),
  };
}

/**
 * A client whose changes of locked environments are confirmed: all of them with `yes`, else each for which `confirm`
 * returns; without `confirm` the API refuses them.
 */
export function confirmingClient(
  client: Client,
  yes: boolean,
  confirm: ((locked: string) => Promise<void>) | null,
): Client {
  let agreed = yes;
  const callAt = async <T>(
    method: Method,
    path: string,
    body?: unknown,
    headers: Headers = {},
  ): Promise<At<T>> => {
    const send = () =>
      client.callAt<T>(method, path, body, agreed ? { ...headers, "X-Confirm": "*" } : headers);
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof AppError && error.code === "unconfirmed" && confirm && !agreed)) throw error;
      await confirm(error.message);
      agreed = true;
      return send();
    }
  };
  return {
    ...client,
    callAt,
    call: async <T>(...args: Parameters<typeof callAt>): Promise<T> => (await callAt<T>(...args)).value,
  };
}
