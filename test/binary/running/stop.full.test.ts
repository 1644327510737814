import { connect } from "node:net";
import { expect, test } from "bun:test";
import { eventually } from "../../support/eventually.ts";
import { errorsIn, startServer } from "../../support/executable.ts";

const CLIENTS = 128;
const REQUEST = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

/** Sends a request on a connection of its own: null where no connection was made, else the status line, or the error. */
function ask(port: number): Promise<string | null> {
  return new Promise((resolve) => {
    let isConnected = false;
    let answer = "";
    const socket = connect(port, "127.0.0.1", () => {
      isConnected = true;
      socket.write(REQUEST);
    });
    socket.on("data", (bytes) => void (answer += String(bytes)));
    socket.on("error", (error) => resolve(isConnected ? `${error.message} after ${answer}` : null));
    socket.on("close", () => resolve(answer.split("\r\n")[0]!));
  });
}

test.skipIf(process.platform !== "linux").each(["1", "4"])(
  "a server with %s threads answers every connection that was made before it stopped",
  async (threads) => {
    const server = await startServer(["--threads", threads]);
    const port = Number(new URL(server.url).port);
    const answers: string[] = [];
    const client = async () => {
      for (let answer = await ask(port); answer !== null; answer = await ask(port)) answers.push(answer);
    };
    const clients = Array.from({ length: CLIENTS }, client);
    await eventually("a thousand answers", () => answers.length > 1000);
    expect(await server.stop()).toBe(0);
    await Promise.all(clients);
    expect([...new Set(answers)]).toEqual(["HTTP/1.1 200 OK"]);
    expect(errorsIn(server.stderr())).toEqual([]);
  },
  60_000,
);
