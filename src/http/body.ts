import { clock } from "../base/clock.ts";
import { yieldToEventLoop } from "../base/event-loop.ts";
import { AppError } from "../base/errors.ts";
import { utf8Text } from "../base/bytes.ts";
import { createByteBuffer } from "./byte-buffer.ts";
import { DRAIN } from "./limits.ts";

/** A request body read chunk by chunk. */
export type Body = {
  /** The next bytes, valid until the next call, or null at the end. Throws `invalid` if the sender disconnected. */
  read: () => Promise<Uint8Array | null>;
  /**
   * Reads and discards the rest, within the limits of `DRAIN`: a sender whose connection closes while it sends does
   * not see the answer. False if there was more.
   */
  drain: () => Promise<boolean>;
};

export function openBody(request: Request): Body {
  const begin = () => request.body!.getReader();
  let reader: ReturnType<typeof begin> | undefined;
  let ended = false;
  let last: Uint8Array<ArrayBuffer> | undefined;

  const read = async () => {
    if (ended || !request.body) return null;
    const current = (reader ??= begin());
    if (last) free(last);
    try {
      const { done, value } = await current.read();
      ended = done;
      last = value;
      return done ? null : value;
    } catch (error) {
      ended = true;
      throw disconnected(error);
    }
  };

  const drain = async () => {
    if (ended || (!reader && request.bodyUsed) || !request.body) return true;
    let isLate = false;
    const timer = clock.after(DRAIN.ms, () => {
      isLate = true;
      void reader?.cancel();
    });
    try {
      let bytes = 0;
      while (bytes <= DRAIN.bytes) {
        const chunk = await read();
        if (chunk === null) return !isLate;
        bytes += chunk.byteLength;
      }
      await reader?.cancel();
      return false;
    } catch (error) {
      // The client disconnected, so no response can be sent.
      if (error instanceof AppError) return false;
      throw error;
    } finally {
      timer.close();
    }
  };

  return { read, drain };
}

/** Gives the memory of bytes back now: until a collection, what 32 senders of files have sent is 70 MB more. */
function free({ buffer, byteLength }: Uint8Array<ArrayBuffer>): void {
  if (buffer.byteLength === byteLength) buffer.transfer(0);
}

/**
 * The whole body. Throws `unsupported` for one that is compressed, `tooLarge()` past `limit` bytes, and as `Body.read`. A body of an announced length is read
 * without a stream, which would double the cost of a submission: `npm run bench -- submissions`. Any other is read from
 * what `open` returns, so that the caller can drain it; without `open` one that is too large is drained here.
 */
export function readAll(
  request: Request,
  limit: number,
  tooLarge: () => Error,
  open?: () => Body,
): Promise<Uint8Array> {
  const announced = Number(request.headers.get("content-length") ?? Number.NaN);
  const isPlain = (request.headers.get("content-encoding") ?? "identity").toLowerCase() === "identity";
  if (announced <= limit && isPlain) return request.bytes().catch(throwDisconnected);
  if (!open) {
    const body = openBody(request);
    return readAll(request, limit, tooLarge, () => body).catch(async (error: unknown) => {
      await body.drain();
      throw error;
    });
  }
  if (!isPlain)
    return Promise.reject(
      new AppError("unsupported", "compressed bodies are not accepted: send the body as it is"),
    );
  return announced > limit ? Promise.reject(tooLarge()) : readChunks(open(), limit, tooLarge);
}

async function readChunks({ read }: Body, limit: number, tooLarge: () => Error): Promise<Uint8Array> {
  const bytes = createByteBuffer();
  for (let chunk = await read(); chunk !== null; chunk = await read()) {
    if (bytes.size() + chunk.byteLength > limit) throw tooLarge();
    bytes.append(chunk);
  }
  return bytes.bytes();
}

/**
 * Parses the whole body as JSON in UTF-8 and returns the result of `use`, which gets undefined for an empty one. Throws
 * `tooLarge()` past `limit` bytes, `broken()` with the reason for what is not JSON in UTF-8, and as `readAll` and `use` do. Each
 * promise more would cost a tenth of an evaluation: `npm run bench -- ofrep`.
 */
export function readJson<T>(
  request: Request,
  limit: number,
  { tooLarge, broken }: { tooLarge: () => Error; broken: (message: string) => Error },
  use: (body: unknown) => T,
): Promise<T> {
  const parse = (bytes: Uint8Array): T => {
    if (bytes.byteLength === 0) return use(undefined);
    let body: unknown;
    try {
      body = parseJson(bytes);
    } catch (error) {
      throw error instanceof AppError ? broken(error.message) : error;
    }
    return use(body);
  };
  const { headers } = request;
  const isShort = Number(headers.get("content-length") ?? Number.NaN) <= limit;
  if (isShort && headers.get("content-encoding") === null)
    return request.bytes().then(parse, throwDisconnected);
  return readAll(request, limit, tooLarge).then(parse);
}

/**
 * Throws `invalid` if the connection closed after the request, so that nothing is done whose answer cannot be sent. The
 * runtime answers 400 and closes it if bytes that it cannot parse follow the body.
 */
export async function refuseAbandoned(request: Request): Promise<void> {
  await yieldToEventLoop();
  if (request.signal.aborted) throw new AppError("invalid", "the connection closed behind the request");
}

function throwDisconnected(cause: unknown): never {
  throw disconnected(cause);
}

function disconnected(cause: unknown): AppError {
  return new AppError("invalid", "the connection closed before the body was complete", { cause });
}

/** The value of JSON in UTF-8. Throws `invalid`. */
export function parseJson(bytes: Uint8Array): unknown {
  const text = utf8Text(bytes, "the body");
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new AppError("invalid", "the body is not valid JSON", { cause });
  }
}
