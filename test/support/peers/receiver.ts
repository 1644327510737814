import { createServer, type Socket } from "node:net";

/** A server on this machine that speaks raw HTTP, to behave as no HTTP server does. */
export type Receiver = AsyncDisposable & {
  port: number;
  /** What arrived on each connection so far. */
  received: string[];
  /** Settles when the client or the receiver has closed the first connection that sent something. */
  closed: Promise<void>;
};

/** `answer` is called once a connection, when its first bytes have arrived. */
export async function openReceiver(
  answer: (socket: Socket) => void,
  host = "127.0.0.1",
  port = 0,
): Promise<Receiver> {
  const received: string[] = [];
  const sockets = new Set<Socket>();
  const closed = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    const index = received.push("") - 1;
    sockets.add(socket);
    // A client that breaks off is what many of these tests are about.
    socket.on("error", () => {});
    socket.on("close", () => {
      if (received[index] !== "") closed.resolve();
    });
    socket.on("data", (bytes) => {
      const isFirst = received[index] === "";
      received[index] += bytes.toString();
      if (isFirst) answer(socket);
    });
  });
  const listening = Promise.withResolvers<void>();
  server.once("error", listening.reject);
  server.listen(port, host, listening.resolve);
  await listening.promise;
  return {
    port: (server.address() as { port: number }).port,
    received,
    closed: closed.promise,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      const ended = Promise.withResolvers<void>();
      server.close(() => ended.resolve());
      await ended.promise;
    },
  };
}
