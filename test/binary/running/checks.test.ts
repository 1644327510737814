import { describe, expect, test } from "bun:test";
import { formflag, onData } from "../../support/commands.ts";
import { eventually } from "../../support/eventually.ts";
import { startServer } from "../../support/executable.ts";
import { tempDirectory } from "../../support/temp.ts";

const env = { FORMFLAG_TARGET_NETWORK: "127.0.0.0/8" };
const data = tempDirectory();
const cli = onData(data, (args) => formflag(args, { env }));

/** A check that answers once it may, and the links to files that it opened. */
function openCheck(answer: (base: string, url: string, number: number) => Promise<object>) {
  const asked: string[] = [];
  const check = { base: "" };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { data } = (await request.json()) as { data: { id: string; files: { url: string }[] } };
      return Response.json(await answer(check.base, data.files[0]?.url ?? "", asked.push(data.id)));
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/`,
    asked,
    check,
    [Symbol.dispose]: () => void server.stop(true),
  };
}

type Stored = { id: string; spam: string | null; unchecked: string | null };
const stored = (form: string) => cli.json<Stored[]>("submissions", "list", form, "--all");
const post = (server: { url: string }, key: string, file?: string) => {
  const body = new FormData();
  body.set("a", "1");
  if (file !== undefined) body.set("file", new File([file], "a.txt"));
  return fetch(`${server.url}/v1/s/${key}?mode=rest`, {
    method: "POST",
    body,
    headers: { Connection: "close" },
  });
};

describe("a server with external checks", () => {
  test("opens files of any thread to a check, and decides each submission by its answer", async () => {
    const read: string[] = [];
    using opened = openCheck(async (base, url, number) => {
      // Each on a connection of its own, so that any thread may get it.
      for (let count = 0; count < 4; count += 1)
        read.push(
          await (await fetch(base + url, { headers: { Connection: "close" }, keepalive: false })).text(),
        );
      return { verdict: number % 2 === 0 ? "refuse" : "spam" };
    });
    const { key } = await cli.json<{ key: string }>(
      "forms",
      "create",
      "files",
      "--uploads",
      "on",
      "--check",
      opened.url,
    );
    const server = await startServer(["--threads", "2", "--target-network", "127.0.0.0/8"], { data });
    opened.check.base = server.url;
    const answers = await Promise.all(["one", "one", "one", "one"].map((text) => post(server, key, text)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 403, 403]);
    expect(read).toEqual(Array.from({ length: 16 }, () => "one"));
    expect((await stored("files")).map(({ spam }) => spam)).toEqual(["check", "check"]);
    expect(await server.stop()).toBe(0);
  });

  test("that is killed during a check stores nothing of it, and takes the repeat once", async () => {
    const held = Promise.withResolvers<object>();
    using opened = openCheck(() =>
      opened.asked.length === 1 ? held.promise : Promise.resolve({ verdict: "ok" }),
    );
    const { key } = await cli.json<{ key: string }>(
      "forms",
      "create",
      "killed",
      "--uploads",
      "on",
      "--check",
      opened.url,
    );
    const first = await startServer(["--target-network", "127.0.0.0/8"], { data });
    const lost = post(first, key, "one").catch(() => "lost");
    await eventually("the check is asked", () => opened.asked.length === 1);
    await first.stop("SIGKILL");
    expect(await lost).toBe("lost");
    held.resolve({ verdict: "ok" });
    expect(await stored("killed")).toEqual([]);
    const second = await startServer(["--target-network", "127.0.0.0/8"], { data });
    expect((await post(second, key, "one")).status).toBe(200);
    expect(await stored("killed")).toHaveLength(1);
    expect(await second.stop()).toBe(0);
  });
});
