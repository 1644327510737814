import { clock } from "../../src/base/clock.ts";
import { formatBytes } from "../../src/base/bytes.ts";
import { AppError, ERROR_CODES } from "../../src/base/errors.ts";
import { ADMIN_PATH, OMITTED, type Operation, addressOf } from "../../src/operations/operation.ts";
import type { ErrorBody } from "../../src/operations/schema/shared-schema.ts";
import { RemoteError } from "../exit.ts";
import { Proposed, type Sent, type Transport, revisionIn } from "./client.ts";
import { chunksOf, failureOf, isLoopbackUrl, readAtMost } from "./connection.ts";
import type { Shape } from "./shape.ts";

export type Remote = {
  /** Its address, without a slash at the end. */
  server: string;
  /** Null for what needs none. */
  token: string | null;
  /** Certificates in PEM that are trusted in place of the usual ones; null trusts those. */
  ca: string | null;
};

/** Limits of an answer, so that a server can neither stall a command nor fill its memory. */
const LIMITS = {
  /** Size of an answer that is not a download. */
  bytes: 64 * 1024 * 1024,
  ms: 300_000,
  /** Time until an answer begins, and between two chunks of it. */
  idleMs: 60_000,
};

type Answer = Pick<Response, "status" | "headers" | "body">;

/**
 * The admin API of a server over HTTP. Redirects are not followed, so that the token goes to that server alone. Throws
 * `unavailable` if the server cannot be reached or trusted, or its answer is too slow, too large, or not formflag's.
 */
export function remoteTransport({ server, token, ca }: Remote, limits = LIMITS): Transport {
  const fetchFrom = async (request: Request, isDownload: boolean): Promise<Answer> => {
    if (token !== null && !request.headers.has("Authorization"))
      request.headers.set("Authorization", `Bearer ${token}`);
    const stop = new AbortController();
    const end = clock.steady() + limits.ms;
    let [isAnswering, isDownloading] = [false, false];
    const wait = async <T>(work: Promise<T>): Promise<T> => {
      const left = isDownloading ? limits.idleMs : Math.min(limits.idleMs, end - clock.steady());
      const timer = clock.after(Math.max(0, left), () => stop.abort());
      try {
        return await work;
      } catch (error) {
        throw stop.signal.aborted ? tooSlow(server) : broken(server, error, isAnswering);
      } finally {
        timer.close();
      }
    };
    const { status, headers, body } = await wait(
      fetch(request, {
        redirect: "manual",
        signal: stop.signal,
        tls: ca === null ? {} : { ca },
        // A proxy would see requests that are meant for this machine.
        ...(isLoopbackUrl(server) ? { proxy: false } : {}),
      }),
    );
    isAnswering = true;
    isDownloading = isDownload && status === 200;
    if (isDownloading && !hasEnd(headers)) throw withoutEnd(server);
    const chunks = chunksOf(body, wait);
    if (isDownloading) return { status, headers, body: streamOf(chunks) };
    const bytes = await readAtMost(chunks, limits.bytes);
    if (bytes === null) throw tooLarge(server, limits.bytes);
    return { status, headers, body: new Response(bytes).body };
  };
  const request = async (operation: Operation, sent: Sent, isDownload: boolean): Promise<Answer> => {
    const answer = await fetchFrom(requestFor(server, operation, sent), isDownload);
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw await errorOf(answer, server);
  };
  return {
    async send(operation, sent) {
      const answer = await request(operation, sent, false);
      const revision = revisionIn(/^(?:W\/)?"(.*)"$/.exec(answer.headers.get("etag") ?? "")?.[1]);
      // Loaded with the first answer: a command in this process has none.
      const { shapeOf } = await import("./shape.ts");
      if (answer.status === 202 && sent.propose !== undefined) {
        const { changes } = await import("../../src/operations/changes/changes.ts");
        const { change } = (await jsonOf(answer, (await shapeOf(changes.get))!, server)) as Proposed;
        throw new Proposed(change);
      }
      const shape = await shapeOf(operation);
      const promised = shape === null ? NO_CONTENT : WITH_JSON;
      if (!promised.includes(answer.status))
        throw notFormflag(answer, server, `not ${promised.join(" or ")}`);
      const value = shape === null ? undefined : await jsonOf(answer, shape, server);
      return { value, revision, omitted: numberIn(answer.headers, OMITTED) ?? undefined };
    },
    async open(operation, sent) {
      const answer = await request(operation, sent, true);
      const { status, headers, body } = answer;
      const isAttachment = /^attachment\b/.test(headers.get("content-disposition") ?? "");
      if (status === 200 && isAttachment)
        return { size: numberIn(headers, "content-length"), rows: numberIn(headers, "x-total-count"), body };
      await body?.cancel();
      throw notFormflag(answer, server, "sent something other than a download");
    },
    close: async () => {},
  };
}

/** The statuses of answers with JSON, and of those without a body. */
const WITH_JSON = [200, 201];
const NO_CONTENT = [204];

function requestFor(server: string, operation: Operation, sent: Sent): Request {
  const { names, query, body, revision, etag, confirmed, why, source, propose, bypass = false, as } = sent;
  const headers = {
    ...(operation.method !== "GET" && { "X-Source": source ?? "cli" }),
    ...(confirmed !== undefined && { "X-Confirm": confirmed }),
    ...(revision !== undefined && { "If-Match": `"${revision}"` }),
    ...(etag !== undefined && { "If-Match": `"${etag}"` }),
    ...(propose !== undefined && { "X-Propose": propose }),
    ...(bypass && { "X-Bypass": "true" }),
    ...(as !== undefined && { Authorization: `Bearer ${as}` }),
    ...(why !== undefined && { "X-Why": encodeURIComponent(why) }),
    // A text is JSON lines already.
    ...(body !== undefined && {
      "Content-Type": typeof body === "string" ? "application/jsonl" : "application/json",
    }),
  };
  return new Request(`${server}${ADMIN_PATH}${addressOf(operation, names, query)}`, {
    method: operation.method,
    headers,
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
}

function numberIn(headers: Headers, name: string): number | null {
  const text = headers.get(name);
  return text === null ? null : Number(text);
}

async function jsonOf(answer: Answer, shape: Shape, server: string): Promise<unknown> {
  const { parseAnswer } = await import("./shape.ts");
  const parsed = parseAnswer(await new Response(answer.body).bytes(), shape);
  if ("value" in parsed) return parsed.value;
  throw notFormflag(answer, server, parsed.wrong, parsed.cause);
}

function notFormflag({ status }: Answer, server: string, what: string, cause?: unknown): AppError {
  const hint = "is this the address of its admin API?";
  const message = `${server} did not answer as a formflag server: it answered ${status} and ${what}`;
  return new AppError("unavailable", message, { hint, cause });
}

async function errorOf(answer: Answer, server: string): Promise<Error> {
  const location = answer.headers.get("location");
  if (location !== null) return notFormflag(answer, server, `pointed to ${location}`);
  const { errorSchema } = await import("../../src/operations/schema/shared-schema.ts");
  const { error } = (await jsonOf(answer, errorSchema, server)) as ErrorBody;
  if (error.code === "internal") return new RemoteError(`internal error on ${server}`);
  const known = ERROR_CODES.find((each) => each === error.code);
  if (known === undefined) return notFormflag(answer, server, `named an error unknown here, ${error.code}`);
  return new AppError(known, error.message, {
    reason: error.reason ?? undefined,
    hint: error.hint ?? undefined,
  });
}

/** Whether the end of a body shows that it is whole; without either header a connection that breaks off looks the same. */
function hasEnd(headers: Headers): boolean {
  return headers.has("content-length") || headers.has("transfer-encoding");
}

function withoutEnd(server: string): AppError {
  return new AppError("unavailable", `the server ${server} sends a download without its length`, {
    hint: "does a proxy in front of it speak HTTP/1.0? nothing would show that the download is whole",
  });
}

/** A stream that takes chunks only as fast as it is read. */
function streamOf(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value as Uint8Array<ArrayBuffer>);
    },
    cancel: async () => void (await chunks.return(undefined)),
  });
}

function tooSlow(server: string): AppError {
  return new AppError("unavailable", `the server ${server} does not answer, or too slowly`, {
    hint: "is it overloaded, or is this the address of something else?",
  });
}

function tooLarge(server: string, limit: number): AppError {
  return new AppError("unavailable", `the server ${server} answers with more than ${formatBytes(limit)}`, {
    hint: "is this the address of a formflag server?",
  });
}

function broken(server: string, cause: unknown, isAnswering: boolean): AppError {
  const { text, hint } = failureOf(cause);
  if (isAnswering)
    return new AppError("unavailable", `the server ${server} broke off its answer`, {
      hint: "try again; its log may say more",
      cause,
    });
  return new AppError("unavailable", `the server ${server} ${text}`, {
    hint,
    cause,
  });
}
