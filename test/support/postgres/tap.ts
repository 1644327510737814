import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** What is about to be passed on to PostgreSQL, or the answer to it that is about to be passed back. */
type Moment = {
  /** The statement. */
  text: string;
  /** The statements of its transaction before it; null outside of one. */
  before: readonly string[] | null;
  isAnswered: boolean;
};

/** A connection to PostgreSQL as a client uses it: what its names stand for, and what runs. */
type Conversation = {
  statements: Map<string, string>;
  portals: Map<string, string>;
  /** The statements of a transaction so far. */
  path: string[] | null;
  /** What was executed and is not answered yet. */
  running: Moment | null;
};

/**
 * A proxy of a PostgreSQL that is asked before each statement, and before its answer, which are lost with every connection
 * where `isCut` says so. Connections are without TLS.
 */
export async function openTap(to: number, isCut: (moment: Moment) => boolean) {
  const sockets = new Set<Socket>();
  const cut = () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  const listener = createServer((client) => {
    const server = connect(to, "127.0.0.1");
    const conversation: Conversation = {
      statements: new Map(),
      portals: new Map(),
      path: null,
      running: null,
    };
    const [asked, answered] = [createFrames(true), createFrames(false)];
    for (const socket of [client, server]) {
      sockets.add(socket);
      const end = () => {
        client.destroy();
        server.destroy();
        sockets.delete(socket);
      };
      socket.on("error", end).on("close", end);
    }
    client.on("data", (bytes: Buffer) => {
      for (const frame of asked(bytes)) {
        const moment = follow(conversation, frame);
        if (moment !== null && isCut(moment)) return cut();
        server.write(frame);
      }
    });
    server.on("data", (bytes: Buffer) => {
      for (const frame of answered(bytes)) {
        const { running } = conversation;
        if (running !== null && frame[0] === READY) {
          conversation.running = null;
          if (isCut({ ...running, isAnswered: true })) return cut();
        }
        client.write(frame);
      }
    });
  });
  await new Promise<void>((resolve) => {
    listener.listen(0, "127.0.0.1", resolve);
  });
  return {
    port: (listener.address() as AddressInfo).port,
    close: () => {
      cut();
      listener.close();
    },
  };
}

const [PARSE, BIND, EXECUTE, QUERY, READY] = Buffer.from("PBEQZ");

/** Cuts what arrives into whole messages. The first one of a client has no type. */
function createFrames(isUntyped: boolean): (bytes: Buffer) => Buffer[] {
  let rest = Buffer.alloc(0);
  let skipped = isUntyped ? 0 : 1;
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    const frames: Buffer[] = [];
    while (rest.length >= skipped + 4 && rest.length >= skipped + rest.readUInt32BE(skipped)) {
      const length = skipped + rest.readUInt32BE(skipped);
      frames.push(rest.subarray(0, length));
      rest = rest.subarray(length);
      skipped = 1;
    }
    return frames;
  };
}

/** What a message of a client is about to do; null for nothing. */
function follow(conversation: Conversation, frame: Buffer): Moment | null {
  const [first = "", second = ""] = frame.toString("utf8", 5).split("\0", 2);
  const { statements, portals } = conversation;
  if (frame[0] === PARSE) statements.set(first, second);
  if (frame[0] === BIND) portals.set(first, statements.get(second) ?? "");
  if (frame[0] !== EXECUTE && frame[0] !== QUERY) return null;
  const text = (frame[0] === QUERY ? first : (portals.get(first) ?? "")).replaceAll(/\s+/g, " ").trim();
  if (/^begin\b/i.test(text)) conversation.path = [];
  const moment: Moment = { text, before: conversation.path && [...conversation.path], isAnswered: false };
  conversation.path?.push(text);
  if (/^(?:commit|rollback)\b/i.test(text)) conversation.path = null;
  conversation.running = moment;
  return moment;
}
