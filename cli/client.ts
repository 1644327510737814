import { AppError, ERROR_CODES } from "../src/errors.ts";
import { ADMIN_PATH } from "../src/http/paths.ts";
import { userName } from "./user.ts";
import { usage } from "./values.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

type Headers = Record<string, string>;

type At<T> = { value: T; revision: number };

/** The admin API, wherever it is. Paths begin behind `/api/admin/v1`. */
export type Client = {
  /** The JSON of the answer; undefined where it has none. Throws the error that the API answers. */
  call<T>(method: Method, path: string, body?: unknown, headers?: Headers): Promise<T>;
  /** The same, with the revision that its ETag names. */
  callAt<T>(method: Method, path: string, body?: unknown, headers?: Headers): Promise<At<T>>;
  /** The answer itself, for what is large. Throws as `call` does. */
  open(path: string): Promise<Response>;
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

/** Over HTTP, with a token. Throws `unavailable` where the server cannot be reached. */
export function remoteClient(server: string, token: string): Client {
  const send = async (request: Request) => {
    request.headers.set("Authorization", `Bearer ${token}`);
    try {
      return await fetch(request, { redirect: "manual" });
    } catch (error) {
      throw new AppError("unavailable", `the server ${server} cannot be reached`, {
        hint: "is it running, and is the address right?",
        cause: error,
      });
    }
  };
  return clientOn(server, send, async () => {});
}

/** In this process, on a data directory: the same API, called without a network. */
export async function localClient(data: string, version: string): Promise<Client> {
  const [{ openApp }, { applyDue }, { createAdminApp, nounOf }] = await Promise.all([
    import("./open.ts"),
    import("../src/schedule.ts"),
    import("../src/http/admin.ts"),
  ]);
  const app = openApp(data, "inline");
  const report = {
    error(error: unknown) {
      // The caller sees an AppError's own words; a bug has to be seen whole.
      if (!(error instanceof AppError)) process.stderr.write(`${Bun.inspect(error)}\n`);
    },
    refused: () => {},
  };
  const admin = (path: string) => {
    const noun = nounOf(path);
    return createAdminApp(app, { version, report }, noun && [noun]);
  };
  return clientOn(
    "http://localhost",
    async (request) => {
      const path = new URL(request.url).pathname.slice(ADMIN_PATH.length);
      // No server may have run when they were due. Forms have nothing to do with it.
      if (!/^\/(forms|submissions|tokens)\b/.test(path))
        await applyDue(app, (text) => void process.stderr.write(`warning: ${text}\n`));
      return (await admin(path)).fetch(request, {
        operator: userName,
      });
    },
    async () => app[Symbol.asyncDispose](),
  );
}

function clientOn(
  base: string,
  send: (request: Request) => Promise<Response>,
  close: () => Promise<void>,
): Client {
  const request = async (method: string, path: string, body?: unknown, headers: Headers = {}) => {
    const init =
      body === undefined
        ? { headers }
        : { body: JSON.stringify(body), headers: { ...headers, "Content-Type": "application/json" } };
    const answer = await send(new Request(`${base}${ADMIN_PATH}${path}`, { method, ...init }));
    if (!answer.ok) throw await errorOf(answer, base);
    return answer;
  };
  const callAt = async <T>(...args: Parameters<typeof request>): Promise<At<T>> => {
    const answer = await request(...args);
    const revision = Number(answer.headers.get("etag")?.slice(1, -1));
    if (answer.status === 204) return { value: undefined as T, revision };
    try {
      return { value: (await answer.json()) as T, revision };
    } catch (error) {
      throw notFormflag(answer, base, error);
    }
  };
  return {
    call: async <T>(...args: Parameters<typeof request>): Promise<T> => (await callAt<T>(...args)).value,
    callAt,
    open: (path) => request("GET", path),
    close,
  };
}

type ErrorBody = { error?: { code?: string; message?: string; hint?: string | null } };

function notFormflag({ status }: Response, base: string, cause?: unknown): AppError {
  const hint = "is this the address of its admin API?";
  return new AppError("unavailable", `${base} answered ${status}, but not as formflag does`, { hint, cause });
}

async function errorOf(answer: Response, base: string): Promise<Error> {
  const text = await answer.text();
  let body: ErrorBody | undefined;
  try {
    body = JSON.parse(text);
  } catch {
    // Another server's page, told below.
  }
  const { code, message, hint } = body?.error ?? {};
  if (code === "internal") return new Error(`internal error on ${base}`);
  const known = ERROR_CODES.find((each) => each === code);
  if (known === undefined || message === undefined) return notFormflag(answer, base);
  return new AppError(known, message, { hint: hint ?? undefined });
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
 * A client whose changes of locked environments are confirmed: all of them with `yes`, else those that `ask` agrees
 * to; without `ask` they are refused as the API does.
 */
export function confirmingClient(
  client: Client,
  yes: boolean,
  ask: ((locked: string) => Promise<void>) | null,
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
      if (!(error instanceof AppError && error.code === "unconfirmed" && ask && !agreed)) throw error;
      await ask(error.message);
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
