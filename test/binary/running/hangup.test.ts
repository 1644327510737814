import { existsSync, readFileSync, readdirSync } from "node:fs";
import { open } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "bun:test";
import { environment, onData } from "../../support/commands.ts";
import { eventually } from "../../support/eventually.ts";
import { EXECUTABLE, startServer } from "../../support/executable.ts";
import { tempDirectory } from "../../support/temp.ts";

type Submission = { data: Record<string, unknown> };

/** A server at a terminal of its own, which may be closed. */
async function atTerminal(...under: string[]) {
  const directory = tempDirectory();
  let shown = "";
  const args = ["serve", "--data", "data", "--listen", "127.0.0.1:0", "--log-format", "json"];
  const child = Bun.spawn([...under, EXECUTABLE, ...args], {
    cwd: directory,
    env: environment(),
    terminal: { data: (_, bytes) => void (shown += Buffer.from(bytes).toString()) },
  });
  afterAll(() => child.kill("SIGKILL"));
  const file = join(directory, "nohup.out");
  const log = () => shown + (existsSync(file) ? readFileSync(file, "utf8") : "");
  const url = await eventually("the address", () => /^listening on (\S+)/m.exec(log())?.[1]);
  return { data: join(directory, "data"), url, log, child, close: () => child.terminal!.close() };
}

describe("a hangup", () => {
  test("changes nothing of a server without a certificate, and its log says so", async () => {
    const { url, pid, stderr, stop } = await startServer();
    process.kill(pid, "SIGHUP");
    await eventually("the log to say so", () =>
      stderr().includes("SIGHUP reloads a certificate, and this server has none"),
    );
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(await stop()).toBe(0);
  });

  test("does not end a server that starts", async () => {
    const fifo = join(tempDirectory(), "password");
    expect(Bun.spawnSync(["mkfifo", fifo]).exitCode).toBe(0);
    const mail = ["--smtp-url", "smtp://me@127.0.0.1:1", "--mail-from", "f@example.com"];
    const hangUp = async (pid: number) => {
      const handle = await open(fifo, "w");
      // The server reads it now.
      process.kill(pid, "SIGHUP");
      await handle.writeFile("secret\n");
      await handle.close();
    };
    let hungUp: Promise<void> | undefined;
    const { stderr, stop } = await startServer([...mail, "--smtp-password-file", fifo], {
      spawned(pid) {
        hungUp = hangUp(pid);
      },
    });
    await hungUp;
    expect(await stop()).toBe(0);
    expect(stderr()).toContain("SIGHUP reloads a certificate, and this server has none");
  });

  test("by a closed terminal stops the server once it has answered what is under way", async () => {
    const { data, url, child, close } = await atTerminal();
    const here = onData(data);
    const { key } = await here.json<{ key: string }>("forms", "create", "contact", "--uploads", "on");
    const body = '--B\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\nabc\r\n--B--\r\n';
    let received = "";
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.on("data", (bytes) => (received += bytes.toString()));
    socket.write(
      `POST /v1/s/${key}?mode=rest HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n` +
        `Content-Type: multipart/form-data; boundary=B\r\n\r\n${body.slice(0, -10)}`,
    );
    const staging = join(data, "uploads", "staging");
    await eventually("the first part to arrive", () => readdirSync(staging).length === 1);
    close();
    const isGone = () =>
      fetch(`${url}/healthz`).then(
        () => false,
        () => true,
      );
    await eventually("the server to take no more", isGone);
    socket.write(body.slice(-10));
    await eventually("an answer", () => received.includes("\r\n\r\n"));
    expect(received).toStartWith("HTTP/1.1 200 ");
    socket.end();
    expect(await child.exited).toBe(0);
    expect(await here.json<Submission[]>("submissions", "list", "contact")).toHaveLength(1);
  });

  test("by a closed terminal does not reach a server under nohup", async () => {
    const { url, log, child, close } = await atTerminal("nohup");
    close();
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
    expect(log()).toContain("stopping on SIGTERM");
    expect(log()).not.toContain("the terminal was closed");
  });
});
