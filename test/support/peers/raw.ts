import { readdirSync } from "node:fs";
import { type Socket, connect } from "node:net";
import { join } from "node:path";
import { afterAll, expect } from "bun:test";
import { eventually } from "../eventually.ts";
import { onData } from "../commands.ts";
import { startServer } from "../executable.ts";

export type Submission = {
  id: string;
  data: Record<string, unknown>;
  files: { name: string; sha256: string }[];
};

/** A connection that is spoken to byte by byte; `received` is all that came back. */
export async function openConnection(url: string) {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket: Socket = connect(
    { port: Number(new URL(url).port), host: "127.0.0.1", allowHalfOpen: true },
    resolve,
  );
  afterAll(() => socket.destroy());
  const state = { received: "", isClosed: false };
  socket.on("data", (bytes) => (state.received += bytes.toString("latin1")));
  socket.on("end", () => socket.end());
  socket.on("error", reject);
  socket.on("close", () => (state.isClosed = true));
  await promise;
  const statuses = () =>
    Array.from(state.received.matchAll(/HTTP\/1\.1 (?!100)(\d{3})/g), ([, status]) => Number(status));
  return {
    state,
    statuses,
    /** Fulfils once the bytes are written, or the connection has failed; a character is a byte. */
    send: (text: string) => new Promise<void>((resolve) => socket.write(text, "latin1", () => resolve())),
    /** Closes this side: the other may still answer. */
    end: () => void socket.end(),
    drop: () => void socket.destroy(),
    /** The status of the first answer, once there is one. */
    status: () => eventually("an answer", () => statuses()[0]),
    answered: () => eventually("an answer, or the end", () => state.isClosed || statuses().length > 0),
    closed: () => eventually("the end of the connection", () => state.isClosed),
  };
}

/** A server with a form that takes uploads, which is told byte by byte what to do. */
export async function openRawInbox(args: string[] = [], addresses = 1) {
  const server = await startServer(args, { addresses });
  const { url } = server;
  const commands = onData(server.data);
  const createForm = async (slug: string) =>
    `/v1/s/${(await commands.json<{ key: string }>("forms", "create", slug, "--uploads", "on")).key}`;
  const path = await createForm("contact");
  const acknowledged = new Set<string>();
  const submissions = (form = "contact") =>
    commands.json<Submission[]>("submissions", "list", form, "--limit", "1000");
  /**
   * Every answer to what is sent and to one more request behind it, for what is not there, which asks for the end
   * of the connection: a second answer to what was sent would stand among them.
   */
  const answersTo = async (request: string, to = url) => {
    const { state, send, answered, closed, statuses } = await openConnection(to);
    void send(request);
    await answered();
    if (!state.isClosed) void send("GET /behind HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    await closed();
    const { received } = state;
    const ids = request.includes(path) ? received.matchAll(/"id":"([^"]+)"/g) : [];
    for (const [, id] of ids) acknowledged.add(id!);
    return { statuses: statuses(), received, head: received.split("\r\n\r\n")[0]! };
  };
  /** Expects no file but those of submissions to `contact`. */
  const expectNoOtherFiles = async () => {
    const count = (await submissions()).flatMap(({ files }) => files).length;
    const uploads = join(server.data, "uploads");
    const entries = () => readdirSync(uploads, { recursive: true, withFileTypes: true });
    await eventually("no other file", () => entries().filter((entry) => entry.isFile()).length === count);
  };
  return {
    server,
    url,
    commands,
    createForm,
    submissions,
    /** Of the form `contact`. */
    path,
    isHealthy: async () => (await fetch(`${url}/healthz`)).status === 200,
    answersTo,
    /** Expects exactly those submissions to `contact` that were answered with 200 over `answersTo`, and their files. */
    async expectOnlyAcknowledged(): Promise<void> {
      expect(new Set((await submissions()).map(({ id }) => id))).toEqual(acknowledged);
      await expectNoOtherFiles();
    },
    expectNoOtherFiles,
    /** Stops the server and expects a log of JSON lines without a failure. Returns it. */
    async stopAndReadLog(): Promise<string> {
      expect(await server.stop()).toBe(0);
      const log = server.stderr().replaceAll(/^listening on .*\n/gm, "");
      for (const line of log.trimEnd().split("\n")) {
        const { level, status = 0 } = JSON.parse(line) as { level: string; status?: number };
        // A page whose visitors cannot send is named to the operator.
        const isMistake = level === "warn" && line.includes("a page sends the form ");
        expect([isMistake ? "info" : level, status < 500]).toEqual(["info", true]);
      }
      return log;
    },
  };
}
