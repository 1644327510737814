import { spawn } from "node:child_process";
import { expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { EXECUTABLE } from "../support/executable.ts";
import { openConnection } from "../support/peers/raw.ts";
import { tempDirectory } from "../support/temp.ts";

const REQUESTS = 40_000;
const BATCH = 2000;
const PIPELINED = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n".repeat(BATCH);

test("a log that nobody reads is dropped past a bound, with the number of lines once it is read", async () => {
  const server = spawn(EXECUTABLE, ["serve", "--data", tempDirectory(), "--listen", "127.0.0.1:0"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let log = "";
  server.stderr.on("data", (bytes) => (log += bytes));
  const listening = await eventually("a server", () => /listening on (\S+)\n/.exec(log));
  server.stderr.pause();

  const connection = await openConnection(listening[1]!);
  const answers = () => connection.state.received.split("HTTP/1.1 200").length - 1;
  for (let sent = 0; sent < REQUESTS; sent += BATCH) {
    void connection.send(PIPELINED);
    await eventually("the answers", () => answers() === BATCH);
    connection.state.received = "";
  }
  server.stderr.resume();
  const dropped = await eventually("their number", () =>
    /"level":"warn","message":"([\d,]+) log lines dropped: standard error was not read"\}\n/.exec(log),
  );
  server.kill();
  await new Promise((resolve) => server.on("close", resolve));
  const logged = log.split('"route":"/healthz"').length - 1;
  expect(logged + Number(dropped[1]!.replaceAll(",", ""))).toBe(REQUESTS);
  expect(logged).toBeLessThan(REQUESTS / 2);
});
