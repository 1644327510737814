import { requireScope } from "../../../access/rights.ts";
import type { App } from "../../../app.ts";
import { type Timer, clock } from "../../../base/clock.ts";
import { AppError, type ErrorCode } from "../../../base/errors.ts";
import { findClient } from "../../address.ts";
import { createFailureCount } from "../../auth.ts";
import { createFlagdFiles, onlyPlaceOf } from "./files.ts";
import { type Call, type Methods, STATUS, type Status, framed } from "./grpc.ts";

/** How every token begins. */
const TOKEN_PREFIX = "ff_";

/**
 * The token and the environment that a call names; the environment is empty if it names none. Throws `unauthenticated`,
 * `invalid`.
 */
function askedBy({ metadata, message }: Call): { secret: string; scope: string } {
  const field = selectorIn(message);
  if (field === undefined) throw new AppError("invalid", "the message is not one of flagd.sync.v1");
  // The providers of some languages can send no metadata, and have a token as selector.
  const selectors = [metadata("flagd-selector"), field];
  const bearer = /^Bearer +(\S+) *$/i.exec(metadata("authorization"))?.[1];
  const secret = bearer ?? selectors.find((each) => each.startsWith(TOKEN_PREFIX));
  if (secret === undefined) {
    throw new AppError(
      "unauthenticated",
      "a token is missing: send it as metadata authorization, Bearer <token>, or as the selector",
    );
  }
  const selector = selectors.find((each) => each !== "" && !each.startsWith(TOKEN_PREFIX)) ?? "";
  const scope = selector.replace(/^flagSetId=/, "");
  if (scope !== "" && !/^[^/\s]+\/[^/\s]+$/.test(scope))
    throw new AppError("invalid", "the selector names no environment: it looks like shop/production");
  return { secret, scope };
}

const STATUSES: Partial<Record<ErrorCode, Status>> = {
  invalid: STATUS.INVALID_ARGUMENT,
  unauthenticated: STATUS.UNAUTHENTICATED,
  forbidden: STATUS.PERMISSION_DENIED,
  not_found: STATUS.NOT_FOUND,
  rate_limited: STATUS.RESOURCE_EXHAUSTED,
  unavailable: STATUS.UNAVAILABLE,
};

/** The status that an error is answered with; undefined for one that is a bug. */
function statusOf(error: unknown): Status | undefined {
  return error instanceof AppError ? STATUSES[error.code] : undefined;
}

/** Streams that a server has open. */
const MAX_STREAMS = 10_000;
/** How often to look for changes while a stream is open, in milliseconds. */
const POLL_INTERVAL = 250;

type Asked = { secret: string; scope: string };
type Found = Asked & { file: Buffer };

/**
 * The service `flagd.sync.v1`, from which flagd and the providers that evaluate in their own process get the flags of an
 * environment: https://buf.build/open-feature/flagd/docs/main:flagd.sync.v1. A call has a token as metadata `authorization`,
 * or in the place of its selector, and selects an environment such as `shop/production`. `endStreams` makes clients connect
 * again, here or elsewhere.
 */
export function createFlagdSync(
  app: App,
  report: (error: unknown) => void,
): { methods: Methods; endStreams: () => void } {
  const files = createFlagdFiles(app, ({ text }) => framed(fileMessage(text)));
  const countFailure = createFailureCount(app.now);

  const fileFor = async ({ secret, scope }: Asked): Promise<Found> => {
    const caller = await files.identify(secret);
    const place = scope === "" ? onlyPlaceOf(caller) : scope;
    const [project, environment] = place.split("/");
    requireScope(caller, "flags:sync", { project, environment });
    const file = await files.find(place, "flagd");
    if (file) return { secret, scope: place, file };
    throw new AppError("not_found", `there is no environment ${place}`);
  };
  const refuse = (call: Call, error: unknown) => {
    const status = statusOf(error);
    if (status === undefined) report(error);
    call.end(
      status ?? STATUS.INTERNAL,
      status === undefined ? "internal error" : (error as AppError).message,
    );
  };
  const streams = createStreams(fileFor, refuse);
  /** Answers a call by the file it asks for, or refuses it. */
  const answer = async (call: Call, send: (found: Found) => void) => {
    try {
      send(await fileFor(askedBy(call)));
    } catch (error) {
      try {
        countFailure(error, () => findClient(call.address, null, () => false));
        refuse(call, error);
      } catch (limited) {
        refuse(call, limited);
      }
    }
  };
  const once = (call: Call, message: Buffer) => {
    call.send(message);
    call.end(STATUS.OK);
  };
  return {
    methods: new Map([
      [`${SERVICE}/SyncFlags`, (call: Call) => void answer(call, (found) => streams.add(call, found))],
      [`${SERVICE}/FetchAllFlags`, (call: Call) => void answer(call, ({ file }) => once(call, file))],
      [`${SERVICE}/GetMetadata`, (call: Call) => once(call, framed(Buffer.alloc(0)))],
    ]),
    endStreams: () => streams.end(),
  };
}

const SERVICE = "/flagd.sync.v1.FlagSyncService";

/** The streams with one token and environment, each with the file that it was sent last. */
type Listeners = Asked & { streams: Map<Call, Buffer> };

/** Streams, to which files are sent that have changed. */
function createStreams(
  fileFor: (asked: Asked) => Promise<Found>,
  refuse: (call: Call, error: unknown) => void,
) {
  const listeners = new Map<string, Listeners>();
  let open = 0;
  let timer: Timer | undefined;
  let isPolling = false;

  const forget = (key: string, { streams }: Listeners, call: Call) => {
    if (!streams.delete(call)) return;
    open -= 1;
    if (streams.size === 0) listeners.delete(key);
    if (open > 0) return;
    timer?.close();
    timer = undefined;
  };
  /** Sends a file that has changed. A reader that has not taken the last one gets the newest once it has. */
  const update = async (each: Listeners) => {
    const { file } = await fileFor(each);
    for (const [call, sent] of each.streams) {
      if (sent === file || call.isBehind()) continue;
      each.streams.set(call, file);
      if (!sent.equals(file)) call.send(file);
    }
  };
  const tick = async () => {
    if (isPolling) return;
    isPolling = true;
    for (const each of listeners.values()) {
      try {
        await update(each);
      } catch (error) {
        // While the database does not answer, readers keep what they have.
        if (error instanceof AppError && error.code === "unavailable") continue;
        for (const call of each.streams.keys()) refuse(call, error);
      }
    }
    isPolling = false;
  };
  return {
    add(call: Call, { secret, scope, file }: Found) {
      if (open >= MAX_STREAMS) throw new AppError("rate_limited", "too many streams are open");
      if (!call.isOpen()) return;
      const key = `${secret} ${scope}`;
      const each = listeners.get(key) ?? { secret, scope, streams: new Map<Call, Buffer>() };
      listeners.set(key, each);
      open += 1;
      each.streams.set(call, file);
      call.onClose(() => forget(key, each, call));
      timer ??= clock.every(POLL_INTERVAL, () => void tick());
      call.send(file);
    },
    end() {
      const stopped = new AppError("unavailable", "this server stops");
      for (const { streams } of listeners.values()) for (const call of streams.keys()) refuse(call, stopped);
    },
  };
}

/**
 * The messages of `flagd.sync.v1`: texts with a number, in the encoding of protocol buffers.
 * https://protobuf.dev/programming-guides/encoding/ and https://buf.build/open-feature/flagd/docs/main:flagd.sync.v1
 */

/** The selector in a request of `SyncFlags` or `FetchAllFlags`, its field 2. Undefined for a message that is broken. */
function selectorIn(message: Buffer): string | undefined {
  let [at, selector] = [0, ""];
  const varint = (): number => {
    // Numbers past 2^53 are no lengths or tags: what they lead to is past the end.
    for (let value = 0, scale = 1; at < message.length && scale < 2 ** 70; scale *= 128) {
      const byte = message[at]!;
      at += 1;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
    return Number.NaN;
  };
  while (at < message.length) {
    const tag = varint();
    const length = lengthOf(tag % 8, varint);
    const end = at + length;
    if (!(end <= message.length)) return undefined;
    if (tag === SELECTOR) selector = message.toString("utf8", at, end);
    at = end;
  }
  return selector;
}

/** Bytes of a value behind what `varint` reads of it, by its wire type; NaN for an unknown type. */
function lengthOf(type: number, varint: () => number): number {
  if (type === 0) return varint() * 0;
  if (type === 2) return varint();
  return type === 1 ? 8 : type === 5 ? 4 : Number.NaN;
}

/** Field 2, a text. */
const SELECTOR = 2 * 8 + 2;

/** An answer with a flagd file: field 1. */
function fileMessage(text: string): Buffer {
  const file = Buffer.from(text);
  const head = [8 + 2];
  let rest = file.length;
  for (; rest > 127; rest = Math.floor(rest / 128)) head.push((rest % 128) + 128);
  return Buffer.concat([Buffer.from([...head, rest]), file]);
}
