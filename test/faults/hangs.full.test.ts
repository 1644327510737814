import { describe, expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { runExecutable, startServer } from "../support/executable.ts";
import { tempDirectory } from "../support/temp.ts";
import { canInject, delay } from "./inject.ts";

const injects = await canInject();
const HOUR_US = 3_600_000_000;
const [WITHIN, LONG] = [90_000, 180_000];

describe.skipIf(!injects).each(["1", "3"])(
  "a server with %s threads whose disk does not answer",
  (threads) => {
    test(
      "is not ready, then not healthy, and ends on SIGTERM in its time with all that it confirmed",
      async () => {
        const data = tempDirectory();
        const made = await runExecutable(["forms", "create", "contact", "--data", data, "--json"]);
        const { key } = JSON.parse(made.stdout) as { key: string };
        const server = await startServer(["--threads", threads], { data });
        const send = () =>
          fetch(`${server.url}/v1/s/${key}?mode=rest`, {
            method: "POST",
            body: new URLSearchParams({ a: "1" }),
          });
        const answer = async (path: string) => {
          const response = await fetch(`${server.url}${path}`);
          return { status: response.status, text: await response.text() };
        };
        expect((await send()).status).toBe(200);
        const strace = await delay(server.pid, "fdatasync,fsync", HOUR_US);
        const late = send().then(
          ({ status }) => status,
          () => "no answer",
        );
        expect((await answer("/healthz")).status).toBe(200);
        const ready = await eventually("the server is not ready", async () => {
          const given = await answer("/readyz");
          return given.status === 503 ? given : undefined;
        });
        expect(ready.text).toContain("stored nothing for 10 s");
        const healthy = await eventually(
          "the server is not healthy",
          async () => {
            const given = await answer("/healthz");
            return given.status === 503 ? given : undefined;
          },
          WITHIN,
        );
        expect(healthy.text).toContain("stored nothing for 30 s");
        const stopped = server.stop();
        await eventually("the end", () => server.stderr().includes("not everything closed within 15 s"));
        // It holds the thread in its call, beyond the end of the process.
        await strace[Symbol.asyncDispose]();
        expect(await stopped).toBe(1);
        // What ends the process may also end the wait of its call.
        const confirmed = (await late) === 200 ? 2 : 1;
        const { stdout } = await runExecutable(["submissions", "list", "contact", "--data", data, "--json"]);
        expect((JSON.parse(stdout) as unknown[]).length).toBeGreaterThanOrEqual(confirmed);
      },
      LONG,
    );
  },
);
