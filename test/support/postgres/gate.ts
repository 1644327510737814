import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/**
 * A proxy of one TCP address that behaves as a network may: `open` passes everything, `slow` each answer later, `swallow`
 * keeps what is answered to itself, `stall` passes nothing in either direction, `cut` ends every connection and refuses others.
 */
type GateMode = "open" | "slow" | "swallow" | "stall" | "cut";

export type Gate = {
  port: number;
  set: (mode: GateMode) => Promise<void>;
  /** Ends every connection once the next bytes of an answer arrive, which are lost. */
  cutNextAnswer: () => void;
  /** How many connections were made. */
  connections: () => number;
  close: () => void;
};

/** Milliseconds that `slow` holds an answer back. */
const SLOW_MS = 50;

/** Opens a gate before a port of this machine. `seen` is called when a client sends, before that is passed on. */
export async function openGate(to: number, seen: () => void = () => {}): Promise<Gate> {
  let mode: GateMode = "open";
  let isCutNext = false;
  let made = 0;
  const pairs = new Set<{ client: Socket; server: Socket }>();

  const end = (pair: { client: Socket; server: Socket }) => {
    pairs.delete(pair);
    pair.client.destroy();
    pair.server.destroy();
  };
  const endAll = () => {
    for (const pair of pairs) end(pair);
  };
  const listener = createServer((client) => {
    made += 1;
    const pair = { client, server: connect(to, "127.0.0.1") };
    pairs.add(pair);
    client.on("data", (bytes) => {
      seen();
      if (mode !== "stall") pair.server.write(bytes);
    });
    pair.server.on("data", (bytes) => {
      if (isCutNext) {
        isCutNext = false;
        endAll();
      } else if (mode === "slow") setTimeout(() => client.write(bytes), SLOW_MS);
      else if (mode === "open") client.write(bytes);
    });
    for (const socket of [client, pair.server])
      socket.on("error", () => end(pair)).on("close", () => end(pair));
  });
  const listen = async (at: number) => {
    await new Promise<void>((resolve) => {
      listener.listen(at, "127.0.0.1", resolve);
    });
    return (listener.address() as AddressInfo).port;
  };
  const port = await listen(0);
  return {
    port,
    async set(next) {
      if (next === "cut" && mode !== "cut") {
        listener.close();
        endAll();
      }
      const reopens = mode === "cut" && next !== "cut";
      mode = next;
      if (reopens) await listen(port);
    },
    cutNextAnswer: () => void (isCutNext = true),
    connections: () => made,
    close() {
      endAll();
      if (listener.listening) listener.close();
    },
  };
}
