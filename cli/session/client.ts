import { AppError, ERROR_CODES } from "../../src/base/errors.ts";
import { isDeeper } from "../../src/base/json.ts";
import { ADMIN_PATH } from "../../src/operations/operation.ts";
import { RemoteError } from "../exit.ts";
import { shown } from "../output/text.ts";
import type { Shape } from "./shape.ts";
import { usage } from "./usage.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

type Headers = Record<string, string>;

export type At<T> = { value: T; revision: number };

export type Answer = Pick<Response, "status" | "headers" | "body">;

/** The admin API, of a server or in this process. Paths begin behind `/api/admin/v1`. */
export type Client = {
  /**
   * The JSON of the answer; undefined where the operation promises none. A body is sent as JSON, or as it is where it is a Blob. Throws the
   * error that the API answers.
   */
  call<T>(method: Method, path: string, body?: unknown, headers?: Headers): Promise<T>;
  /** The same, with the revision that its ETag names. */
  callAt<T>(method: Method, path: string, body?: unknown, headers?: Headers): Promise<At<T>>;
  /** The answer itself, for a download. Throws as `call` does. */
  open(path: string): Promise<Answer>;
  close(): Promise<void>;
};

/** A template tag that encodes each name as one part of a path. Throws `invalid` for an empty name, `.` and `..`. */
export function path(strings: TemplateStringsArray, ...names: string[]): string {
  for (const name of names) {
    // These have a meaning of their own in a path.
    if (["", ".", ".."].includes(name)) throw usage(`"${name}" is not a name`);
  }
  return String.raw({ raw: strings }, ...names.map(encodeURIComponent));
}

/** A client whose calls go through `callAt`. */
export function withCallAt(client: Pick<Client, "open" | "close">, callAt: Client["callAt"]): Client {
  return {
    ...client,
    callAt,
    call: async <T>(...args: Parameters<typeof callAt>): Promise<T> => (await callAt<T>(...args)).value,
  };
}

/** The statuses of answers with JSON, and of those without a body. */
const WITH_JSON = [200, 201];
const NO_CONTENT = [204];

/** Maximum levels of JSON in an answer: more than the deepest rule or payload has. */
const MAX_DEPTH = 256;

/**
 * A client that sends its requests through `open`; `server` is null in this process. Calls throw `unavailable` for an
 * answer that is not formflag's.
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
    const init = { method, headers, ...(body !== undefined && bodyOf(body, headers)) };
    const answer = await open(new Request(`${base}${ADMIN_PATH}${path}`, init), isDownload);
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
    // Loaded with the first answer: a command that calls its operation directly has none.
    const { shapeOf } = await import("./answers.ts");
    const shape = shapeOf(method, path);
    const promised = shape === null ? NO_CONTENT : WITH_JSON;
    if (!promised.includes(answer.status)) throw notFormflag(answer, base, `not ${promised.join(" or ")}`);
    const value = shape === null ? undefined : await jsonOf(answer, shape, base);
    return { value: value as T, revision };
  };
  const own: Pick<Client, "open" | "close"> = {
    async open(path) {
      const answer = await request("GET", path, { isDownload: true });
      const isAttachment = /^attachment\b/.test(answer.headers.get("content-disposition") ?? "");
      if (answer.status === 200 && isAttachment) return answer;
      await answer.body?.cancel();
      throw notFormflag(answer, base, "sent something other than a download");
    },
    close,
  };
  return withCallAt(own, callAt);
}

function bodyOf(body: unknown, headers: Headers): { body: string | Blob; headers: Headers } {
  const [sent, type] = body instanceof Blob ? [body, body.type] : [JSON.stringify(body), "application/json"];
  return { body: sent, headers: { ...headers, "Content-Type": type } };
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
  const { misfit } = await import("./shape.ts");
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

/** Opens a client on its first call, so that a command that fails before leaves no trace. */
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

/** What a command confirms, and how it asks. */
export type Confirmations = {
  /** Locked environments that may be changed. */
  locked: string[];
  /** Whether deletions are confirmed. */
  yes: boolean;
  /** Returns once the person confirms; null without a terminal. */
  confirm: ((question: string) => Promise<void>) | null;
  note: (text: string) => void;
};

/**
 * A client that confirms changes: of the locked environments that are named, what deletes submissions with `yes`, and
 * everything else once `confirm` returns. What is not confirmed fails with the error of the API. Each change is sent with
 * the headers `reason`.
 */
export function confirmingClient(
  client: Client,
  { locked, yes, confirm, note }: Confirmations,
  reason: Headers,
): Client {
  let confirmed = locked.join(",");
  const callAt = async <T>(
    method: Method,
    path: string,
    body?: unknown,
    given: Headers = {},
  ): Promise<At<T>> => {
    const headers = method === "GET" ? given : { ...given, ...reason };
    const send = (names: string) =>
      client.callAt<T>(method, path, body, names === "" ? headers : { "X-Confirm": names, ...headers });
    try {
      return await send(confirmed);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "unconfirmed") throw error;
      // A document has a confirmation of its own.
      if (error.reason === "document-unconfirmed") throw error;
      const isLock = error.reason !== "form-unconfirmed";
      if (!isLock && yes) note(shown`${error.message}\n`);
      else if (confirm) await confirm(`${error.message}. Change it all the same?`);
      else throw error;
      if (isLock) confirmed = "*";
      return send("*");
    }
  };
  return withCallAt(client, callAt);
}
