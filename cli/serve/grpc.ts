import type * as Http2 from "node:http2";
import { type Timer, clock } from "../../src/base/clock.ts";
import { type Methods, STATUS, type Status } from "../../src/http/flags/flagd/grpc.ts";
import type { Listen } from "./address.ts";
import { type Tls, whyNoAddress } from "./listen.ts";

export type GrpcServer = {
  port: number;
  /** Gives new connections another certificate. */
  renew: (tls: Tls) => void;
  /** Takes no more connections, and ends open ones once their last statuses have left. */
  close: () => void;
};

/** Most streams of a connection. */
const MAX_STREAMS = 10_000;
/** Streams of a connection that its client may end a second, beyond as many as it may have: a flood of them is an attack. */
const RESETS_A_SECOND = 100;
/** Most bytes of a request. */
const MAX_MESSAGE = 16 * 1024;
/** Interval of pings that keep a connection open through proxies, and for how long one may be unanswered, in milliseconds. */
const PING_INTERVAL = 30_000;
/** How long a call may take to send its message, in milliseconds. */
const PATIENCE = 20_000;
/** How long connections have to take their last statuses, in milliseconds. */
const GRACE = 500;

/** Serves the methods, by path, at an address. Throws `unavailable` if it cannot be listened on. */
export async function serveGrpc(
  { hostname, port }: Listen,
  tls: Tls | null,
  methods: Methods,
): Promise<GrpcServer> {
  const http2 = process.getBuiltinModule("node:http2");
  const settings = { maxConcurrentStreams: MAX_STREAMS, maxHeaderListSize: 16 * 1024 };
  // A proxy may end the streams of all its readers at once: by default, the thousandth ends the connection of all.
  const options = { settings, streamResetBurst: MAX_STREAMS, streamResetRate: RESETS_A_SECOND };
  const server = tls ? http2.createSecureServer({ ...tls, ...options }) : http2.createServer(options);
  const sessions = new Set<Http2.ServerHttp2Session>();
  server.on("session", (session: Http2.ServerHttp2Session) => {
    sessions.add(session);
    const pings = keepOpen(session);
    session.on("close", () => {
      sessions.delete(session);
      pings.close();
    });
    // A connection that its client breaks is no fault of this server.
    session.on("error", () => session.destroy());
  });
  server.on("sessionError", () => {});
  server.on("stream", (stream: Http2.ServerHttp2Stream, headers: Http2.IncomingHttpHeaders) =>
    take(stream, headers, methods),
  );
  try {
    await new Promise<void>((fulfil, reject) => {
      server.once("error", reject);
      server.listen(port, hostname, fulfil);
    });
  } catch (error) {
    throw await whyNoAddress(error, { hostname, port }, "--flagd-listen");
  }
  return {
    port: (server.address() as { port: number }).port,
    renew: (renewed) => {
      if (tls) (server as Http2.Http2SecureServer).setSecureContext(renewed);
    },
    close() {
      server.close();
      for (const session of sessions) session.close();
      clock
        .after(GRACE, () => {
          for (const session of sessions) session.destroy();
        })
        .unref();
    },
  };
}

/** Pings a connection until it is closed, and destroys it when it does not answer. */
function keepOpen(session: Http2.ServerHttp2Session): Timer {
  let isAnswered = true;
  return clock
    .every(PING_INTERVAL, () => {
      if (!isAnswered || session.destroyed) return session.destroy();
      isAnswered = false;
      session.ping(() => void (isAnswered = true));
    })
    .unref();
}

/** `text` as a `grpc-message` holds it: visible ASCII but `%` stays as it is, since a client may undo no more than that. */
const escaped = (text: string) => text.replaceAll(/[^ -$&-~]+/g, encodeURIComponent);

/** Reads the message of a call, and gives it to its method. */
function take(stream: Http2.ServerHttp2Stream, headers: Http2.IncomingHttpHeaders, methods: Methods): void {
  let isSent = false;
  let behind = 0;
  const chunks: Buffer[] = [];
  let size = 0;
  const start = () => {
    if (isSent) return;
    isSent = true;
    stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
  };
  const isOpen = () => !stream.destroyed && !stream.closed && !stream.writableEnded;
  const end = (status: Status, details = "") => {
    if (!isOpen()) return;
    const trailers = { "grpc-status": String(status), "grpc-message": escaped(details) };
    stream.on("wantTrailers", () => stream.sendTrailers(trailers));
    start();
    stream.end();
  };
  stream.on("error", () => stream.destroy());
  // For one that is refused, too: its stream stays open until the client has sent all of it.
  const patience = clock.after(PATIENCE, () => stream.destroy());
  stream.on("close", () => patience.close());
  if (headers[":method"] !== "POST" || !headers["content-type"]?.startsWith("application/grpc")) {
    stream.respond({ ":status": headers[":method"] === "POST" ? 415 : 405 }, { endStream: true });
    return;
  }
  const run = methods.get(headers[":path"] ?? "");
  if (!run) return end(STATUS.UNIMPLEMENTED, "there is no such method");
  stream.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > MAX_MESSAGE + 5) {
      end(STATUS.RESOURCE_EXHAUSTED, `a message has at most ${MAX_MESSAGE} bytes`);
      stream.close();
    } else chunks.push(chunk);
  });
  stream.on("end", () => {
    patience.close();
    const body = Buffer.concat(chunks);
    if (!isOpen()) return;
    if (body[0] === 1) return end(STATUS.UNIMPLEMENTED, "messages are not compressed");
    if (body.length < 5 || body.readUInt32BE(1) !== body.length - 5)
      return end(STATUS.INVALID_ARGUMENT, "a call has one message");
    run({
      message: body.subarray(5),
      metadata: (name) => [headers[name] ?? ""].flat()[0]!,
      address: stream.session?.socket.remoteAddress ?? "",
      isOpen,
      isBehind: () => behind > 0,
      send(frame) {
        start();
        behind += 1;
        stream.write(frame, () => void (behind -= 1));
      },
      end,
      onClose: (closed) => void stream.on("close", closed),
    });
  });
}
