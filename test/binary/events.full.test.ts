import { describe, expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { onData } from "../support/commands.ts";
import { startServer } from "../support/executable.ts";

type Project = { key: string; environments: { slug: string; key: string }[] };
type Bulk = {
  flags: { key: string; value?: unknown }[];
  eventStreams: [{ type: string; endpoint: { requestUri: string } }];
};

/** A server with a project, whose flags are changed by commands beside it. */
async function openShop(args: string[] = []) {
  const server = await startServer(args);
  const commands = onData(server.data);
  const project = await commands.json<Project>("projects", "create", "shop");
  const keysOf = (environment: string) => ({
    "x-project-key": project.key,
    "x-environment-key": project.environments.find(({ slug }) => slug === environment)!.key,
  });
  const evaluate = (environment: string, headers: Record<string, string> = keysOf(environment)) =>
    fetch(`${server.url}/ofrep/v1/evaluate/flags`, { method: "POST", headers, body: '{"context":{}}' });
  return {
    server,
    commands,
    keysOf,
    evaluate,
    set: (environment: string, flag: string, ...more: string[]) =>
      commands.run("flags", "set", flag, "-p", "shop", "-e", environment, ...more),
    /** Opens the stream that an answer names, and gathers what comes. */
    listen: async (environment: string, headers?: Record<string, string>) => {
      const { eventStreams } = (await (await evaluate(environment, headers)).json()) as Bulk;
      const [{ type, endpoint }] = eventStreams;
      expect(type).toBe("sse");
      const abort = new AbortController();
      const answer = await fetch(new URL(endpoint.requestUri, server.url), { signal: abort.signal });
      expect(answer.headers.get("content-type")).toBe("text/event-stream");
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      const events: { type: string; etag: string; lastModified: string }[] = [];
      const ended = (async () => {
        try {
          for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
            for (const [, data] of chunk.matchAll(/^event: message\nid: \d+-\d+\ndata: (.*)\n\n/gm))
              events.push(JSON.parse(data!));
          }
        } catch {
          // Aborted here, or cut off with the server at the end of the test.
        }
      })();
      return { events, ended, abort, requestUri: endpoint.requestUri };
    },
    streams: async () => {
      const text = await (await fetch(`${server.url}/metrics`)).text();
      return Number(/^formflag_sse_clients (\d+)$/m.exec(text)?.[1]);
    },
  };
}

describe("a stream of change events", () => {
  test("tells of a change by any process, once it opens, and of nothing else", async () => {
    const { set, listen, commands } = await openShop();
    await set("develop", "sale", "--on");
    const [develop, staging] = [await listen("develop"), await listen("staging")];
    await eventually(
      "the first event of each",
      () => develop.events.length === 1 && staging.events.length === 1,
    );
    expect(develop.events[0]).toEqual({
      type: "refetchEvaluation",
      etag: expect.stringMatching(/^"\d+"$/),
      lastModified: expect.stringMatching(/^\d{4}-.*Z$/),
    });

    await set("develop", "sale", "--on");
    await set("develop", "sale", "--off");
    await eventually("the change", () => develop.events.length === 2);
    expect(develop.events[1]!.etag).not.toBe(develop.events[0]!.etag);
    await commands.run("flags", "set", "sale", "-p", "shop", "-e", "staging", "--on");
    await eventually("the change elsewhere", () => staging.events.length === 2);
    expect(develop.events).toHaveLength(2);
  });

  test("tells when a flag expires", async () => {
    const { set, listen, evaluate } = await openShop();
    await set("develop", "sale", "--on", "--expires", new Date(Date.now() + 1500).toISOString());
    const { events } = await listen("develop");
    await eventually("the expiry", () => events.length === 2);
    const { flags } = (await (await evaluate("develop")).json()) as Bulk;
    expect(flags.find(({ key }) => key === "sale")).toMatchObject({ value: false, reason: "DISABLED" });
  });

  test("has an address that shows neither key nor token, and opens nothing else", async () => {
    const { listen, keysOf, server, commands } = await openShop();
    const scope = ["--scope", "flags:evaluate", "-p", "shop", "-e", "develop"];
    const token = await commands.json<{ token: string }>("tokens", "create", "web", ...scope);
    const { requestUri } = await listen("develop", { "x-api-key": token.token });
    for (const secret of [...Object.values(keysOf("develop")), token.token])
      expect(requestUri).not.toContain(secret);
    const ticket = new URL(requestUri, server.url).searchParams.get("ticket")!;
    const answer = await fetch(`${server.url}/ofrep/v1/evaluate/flags`, {
      method: "POST",
      headers: { "x-api-key": ticket },
    });
    expect(answer.status).toBe(401);
    const wrong = await fetch(`${server.url}/ofrep/v1/events?ticket=${ticket.slice(1)}x`);
    expect([wrong.status, wrong.headers.get("access-control-allow-origin")]).toEqual([401, "*"]);
    expect(Object.keys((await wrong.json()) as object)).toEqual(["errorDetails", "metadata"]);
  });

  test("is forgotten when its reader goes, and ends when its environment does", async () => {
    const { listen, streams, commands } = await openShop();
    const streamsOpen = [];
    for (let count = 0; count < 20; count += 1) streamsOpen.push(await listen("develop"));
    const other = await listen("staging");
    expect(await streams()).toBe(21);
    for (const { abort } of streamsOpen) abort.abort();
    await eventually("one to be left", async () => (await streams()) === 1);
    await commands.run("environments", "delete", "staging", "-p", "shop", "--yes");
    await other.ended;
    expect(await streams()).toBe(0);
  });

  test("is opened by no HEAD request, and ends when a command revokes the token that opened it", async () => {
    const { listen, streams, commands, server } = await openShop();
    const scope = ["--scope", "flags:evaluate", "-p", "shop", "-e", "develop"];
    const { token } = await commands.json<{ token: string }>("tokens", "create", "web", ...scope);
    const { requestUri, ended, events } = await listen("develop", { "x-api-key": token });
    await eventually("the first event", () => events.length === 1);
    const address = new URL(requestUri, server.url);
    for (let count = 0; count < 20; count += 1)
      expect((await fetch(address, { method: "HEAD" })).status).toBe(200);
    expect(await streams()).toBe(1);
    await commands.run("tokens", "revoke", "web", "--yes");
    await ended;
    expect([await streams(), (await fetch(address)).status]).toEqual([0, 401]);
  });

  test("ends when the server is told to stop, which does not wait for it", async () => {
    const { listen, server } = await openShop();
    const { ended } = await listen("develop");
    expect(await server.stop()).toBe(0);
    await ended;
  });

  test("stands under the base path", async () => {
    const server = await startServer(["--base-path", "/flags"]);
    const project = await onData(server.data).json<Project>("projects", "create", "shop");
    const headers = { "x-project-key": project.key, "x-environment-key": project.environments[0]!.key };
    const answer = await fetch(`${server.url}/flags/ofrep/v1/evaluate/flags`, {
      method: "POST",
      headers,
      body: "{}",
    });
    const [{ endpoint }] = ((await answer.json()) as Bulk).eventStreams;
    expect(endpoint.requestUri).toStartWith("/flags/ofrep/v1/events?ticket=");
    const stream = await fetch(new URL(endpoint.requestUri, server.url));
    expect(stream.status).toBe(200);
    await stream.body?.cancel();
  });
});
