import { AppError, ERROR_CODES } from "../src/errors.ts";
import { ADMIN_PATH } from "../src/http/paths.ts";
import { usage } from "./values.ts";

/** The admin API, wherever it is. Paths begin behind `/api/admin/v1`. */
export type Client = {
  /** The JSON of the answer; undefined where it has none. Throws the error that the API answers. */
  call<T>(
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<T>;
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
  const [{ openApp }, { createAdminApp, nounOf }] = await Promise.all([
    import("./open.ts"),
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
      return (await admin(path)).fetch(request, {
        operator: () => process.getBuiltinModule("node:os").userInfo().username,
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
  const request = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) => {
    const init =
      body === undefined
        ? { headers }
        : { body: JSON.stringify(body), headers: { "Content-Type": "application/json", ...headers } };
    const answer = await send(new Request(`${base}${ADMIN_PATH}${path}`, { method, ...init }));
    if (!answer.ok) throw await errorOf(answer, base);
    return answer;
  };
  return {
    async call<T>(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
      const answer = await request(method, path, body, headers);
      if (answer.status === 204) return undefined as T;
      try {
        return (await answer.json()) as T;
      } catch (error) {
        throw notFormflag(answer, base, error);
      }
    },
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
    open: async (path) => (await client()).open(path),
    close: async () => (await opened)?.close(),
  };
}
