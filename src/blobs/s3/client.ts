import { clock } from "../../base/clock.ts";
import { AwsV4Signer } from "aws4fetch";
import { KiB, MiB } from "../../base/bytes.ts";
import { AppError } from "../../base/errors.ts";
import {
  type S3Refusal,
  isTransient,
  mayReconnect,
  networkError,
  refusalError,
  refusalOf,
} from "./errors.ts";
import { type S3Credentials, type S3Request, createUrls } from "./request.ts";
import type { S3Location } from "./url.ts";
import { isDocument } from "./xml.ts";

/** The body of an answer; `abort` ends the connection. */
type Source = { response: Response; abort: () => void; stallMs: number; what: string };

/** The bytes of an answer as they are read. The stream fails with `unavailable` if the connection is cut or stalls. */
function streamOf({ response, abort, stallMs, what }: Source): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = response.body?.getReader();
  const size = Number(response.headers.get("content-length") ?? 0);
  let received = 0;
  const read = async () => {
    const timer = clock.after(stallMs, abort);
    try {
      return (await reader?.read())?.value;
    } finally {
      timer.close();
    }
  };
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        try {
          const chunk = await read();
          if (chunk) {
            received += chunk.byteLength;
            return controller.enqueue(chunk);
          }
          // A connection that was cut may look like an end.
          if (received < size) throw new CutShort();
          controller.close();
        } catch (error) {
          abort();
          throw networkError(error, what);
        }
      },
      cancel: abort,
    },
    { highWaterMark: 0 },
  );
}

class CutShort extends Error {
  override name = "CutShort";
}

/** `refusal` is null for a success, `isRetry` whether an earlier try may have reached the storage. */
export type S3Answer = { headers: Headers; text: string; refusal: S3Refusal | null; isRetry: boolean };

type S3Stream = { status: number; stream: ReadableStream<Uint8Array<ArrayBuffer>> };

/**
 * Sends requests that may be repeated. Both throw `unavailable` and `forbidden` for refusals that `expect`
 * does not list by status or code.
 */
export type S3Client = {
  send(request: S3Request, expect?: readonly (number | string)[]): Promise<S3Answer>;
  /** Returns before the body has arrived. */
  open(request: S3Request, expect?: readonly number[]): Promise<S3Stream>;
};

const MAX_RETRIES = 3;
/** A millisecond more to wait for an answer for each so many bytes of a body. */
const BODY_BYTES_PER_MS = KiB / 4;

/** Milliseconds to wait. */
export type S3Timing = {
  /** For an answer. */
  answer: number;
  /** For the next bytes of an answer. */
  stall: number;
  /** Until the next try, at least and at most. */
  minDelay: number;
  maxDelay: number;
  /** After the first try, until no other begins. */
  window: number;
  /** Tries after the first. Default: 3. */
  retries?: number;
};

const TIMING: S3Timing = { answer: 10_000, stall: 30_000, minDelay: 100, maxDelay: 2000, window: 15_000 };

const NO_BODY = {
  bytes: null,
  sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
};

/**
 * Signs requests (Signature Version 4, with the hash of the body) and sends them, a bounded number at a time. Throws
 * `forbidden` if the credentials cannot be sent.
 */
export function createS3Client(
  location: S3Location,
  credentials: S3Credentials,
  timing: S3Timing = TIMING,
): S3Client {
  checkCredentials(credentials);
  const cache = new Map<string, ArrayBuffer>();
  const urlOf = createUrls(location);
  const inTurn = createTurns();

  const sendOnce = async (request: S3Request, signal: AbortSignal): Promise<Response> => {
    const { bytes, sha256 } = (await request.body?.read()) ?? NO_BODY;
    const { url, headers } = await new AwsV4Signer({
      accessKeyId: credentials.accessKeyId,
      secretAccessKey: credentials.secretAccessKey,
      ...(credentials.sessionToken !== undefined && { sessionToken: credentials.sessionToken }),
      cache,
      service: "s3",
      region: location.region,
      method: request.method,
      url: urlOf(request),
      headers: { ...request.headers, "x-amz-content-sha256": sha256 },
    }).sign();
    // Not signed, because proxies change it. Without it a proxy might compress the bytes of a file.
    headers.set("Accept-Encoding", "identity");
    return onNetwork(
      fetch(url, { method: request.method, headers, body: bytes, redirect: "manual", signal }),
    );
  };

  /** Sends until `read` returns; it throws `Refused` for an answer that is no success. */
  const repeat = async <T>(
    request: S3Request,
    read: (response: Response, abort: () => void, isRetry: boolean) => Promise<T>,
  ): Promise<T> => {
    const size = request.body?.size ?? 0;
    const what = `${request.method} ${request.key ?? "of the bucket"}`;
    const { retries = timing.retries ?? MAX_RETRIES, signal } = request;
    const began = clock.steady();
    for (let retry = 0; ; retry += 1) {
      try {
        return await inTurn(size, () =>
          withDeadline(
            (request.answerMs ?? timing.answer) + size / BODY_BYTES_PER_MS,
            signal,
            async (deadline, abort) => read(await sendOnce(request, deadline), abort, retry > 0),
          ),
        );
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        const isOver = retry >= retries || clock.steady() - began > timing.window;
        if (isOver || !isWorthRetry(error)) throw shownError(error, what);
      }
      await clock.sleep(delayOf(retry, timing));
    }
  };

  return {
    send: (request, expect = []) =>
      repeat(request, async (response, _abort, isRetry) => {
        const { status, headers } = response;
        const text = await onNetwork(response.text());
        // Some requests are answered 200 before they fail.
        const isSuccess = status < 300 && !isDocument(text, "Error");
        const refusal = isSuccess ? null : refusalOf(status, text);
        if (refusal && !expect.includes(status) && !expect.includes(refusal.code)) throw new Refused(refusal);
        return { headers, text, refusal, isRetry };
      }),
    open: (request, expect = []) =>
      repeat(request, async (response, abort) => {
        const { status } = response;
        if (status >= 300 && !expect.includes(status))
          throw new Refused(refusalOf(status, await onNetwork(response.text())));
        const what = `GET ${request.key ?? "of the bucket"}`;
        return { status, stream: streamOf({ response, abort, stallMs: timing.stall, what }) };
      }),
  };
}

/** An answer that is no success. */
class Refused extends Error {
  readonly refusal: S3Refusal;

  constructor(refusal: S3Refusal) {
    super();
    this.refusal = refusal;
  }
}

/** No answer, or a part of one. */
class NoAnswer extends Error {}

/** Waits for the network; any error but one of the network is a bug and stays as it is. */
async function onNetwork<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof Error && ("code" in error || error instanceof DOMException))
      throw new NoAnswer("no answer", { cause: error });
    throw error;
  }
}

function isWorthRetry(error: unknown): boolean {
  if (error instanceof Refused) return isTransient(error.refusal);
  return error instanceof NoAnswer && mayReconnect(error.cause);
}

function shownError(error: unknown, what: string): unknown {
  if (error instanceof Refused) return refusalError(error.refusal, what);
  return error instanceof NoAnswer ? networkError(error.cause, what) : error;
}

/** Runs work with a signal that is aborted after so many milliseconds, or with `outer`, unless the work has ended. */
async function withDeadline<T>(
  ms: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal, abort: () => void) => Promise<T>,
): Promise<T> {
  outer?.throwIfAborted();
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = clock.after(ms, () => controller.abort(new DOMException("no answer", "TimeoutError")));
  outer?.addEventListener("abort", abort);
  try {
    return await work(controller.signal, abort);
  } catch (error) {
    // The rest of the answer is not read.
    abort();
    throw error;
  } finally {
    timer.close();
    outer?.removeEventListener("abort", abort);
  }
}

/** Milliseconds until the next try: at random, so that processes that failed together do not return together. */
function delayOf(retry: number, { minDelay, maxDelay }: S3Timing): number {
  const longest = Math.min(maxDelay, 2 * minDelay * 3 ** retry);
  return minDelay + clock.fraction() * (longest - minDelay);
}

/** Throws `forbidden` unless the credentials can be part of a header. */
function checkCredentials({ accessKeyId, secretAccessKey, sessionToken }: S3Credentials): void {
  const isHeader = (text: string) => /^[\x21-\x7e]+$/.test(text);
  const given = [accessKeyId, secretAccessKey, ...(sessionToken === undefined ? [] : [sessionToken])];
  if (given.every(isHeader)) return;
  throw new AppError("forbidden", "the credentials of the object storage are missing or hold spaces", {
    reason: "storage-credentials",
  });
}

/** Requests under way at a time. */
const MAX_REQUESTS = 16;
/** Bytes of bodies under way at a time. */
const MAX_BODIES = 32 * MiB;

/** Begins work with a body of so many bytes in its turn. */
type InTurn = <T>(bytes: number, work: () => Promise<T>) => Promise<T>;

/** Bounds the requests and the bytes of bodies under way, and so the memory. Turns come in the order of the calls. */
export function createTurns(): InTurn {
  const waiting: { bytes: number; begin: () => void }[] = [];
  let requests = 0;
  let bodies = 0;
  const beginNext = () => {
    for (let next = waiting[0]; next; next = waiting[0]) {
      if (requests >= MAX_REQUESTS || (bodies > 0 && bodies + next.bytes > MAX_BODIES)) return;
      waiting.shift();
      requests += 1;
      bodies += next.bytes;
      next.begin();
    }
  };
  return async (bytes, work) => {
    const { promise, resolve: begin } = Promise.withResolvers<void>();
    waiting.push({ bytes, begin });
    beginNext();
    await promise;
    try {
      return await work();
    } finally {
      requests -= 1;
      bodies -= bytes;
      beginNext();
    }
  };
}
