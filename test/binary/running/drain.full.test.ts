import { describe, expect, test } from "bun:test";
import { eventually } from "../../support/eventually.ts";
import { errorsIn, runExecutable, startServer } from "../../support/executable.ts";

describe("a server that drains", () => {
  test("serves on while it is not ready, and stops sooner with a second signal", async () => {
    const server = await startServer(["--drain", "1h"]);
    const ready = async () => (await fetch(`${server.url}/readyz`)).status;
    expect(await ready()).toBe(200);
    const stopped = server.stop();
    await eventually("the signal to arrive", async () => (await ready()) === 503);
    for (const [path, status] of [
      ["/healthz", 200],
      ["/api/v1/flags", 400],
      ["/v1/s/none?mode=rest", 405],
    ] as const) {
      const answer = await fetch(`${server.url}${path}`);
      expect([path, answer.headers.get("connection")]).toEqual([path, null]);
      expect([path, answer.status]).toEqual([path, status]);
    }
    process.kill(server.pid, "SIGTERM");
    expect(await stopped).toBe(0);
    expect(server.stderr()).toContain('"route":"/readyz","status":503');
    expect(errorsIn(server.stderr())).toEqual([]);
  });

  test("stops by itself after that time", async () => {
    const server = await startServer(["--drain", "1s"]);
    expect(await server.stop()).toBe(0);
    expect(server.stderr()).toContain("not ready since SIGTERM: stopping in 1 s");
  });

  test("does not for SIGINT, which somebody at a terminal sends", async () => {
    const server = await startServer(["--drain", "1h"]);
    expect(await server.stop("SIGINT")).toBe(0);
  });

  test.each([
    ["--drain", "5"],
    ["--drain", "2h"],
    ["--max-stale", "soon"],
  ])("is refused with a time that is none: %s %s", async (option, value) => {
    const { code, stderr } = await runExecutable(["serve", "--listen", "127.0.0.1:0", option, value]);
    expect(code).toBe(2);
    expect(stderr).toContain(option);
  });
});
