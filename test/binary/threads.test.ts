import { describe, expect, test } from "bun:test";
import { onData } from "../support/commands.ts";
import { eventually } from "../support/eventually.ts";
import { errorsIn, runExecutable, startServer } from "../support/executable.ts";
import { tempDirectory } from "../support/temp.ts";

type Keys = { key: string; environments: { slug: string; key: string }[] };

const data = tempDirectory();
const cli = onData(data);
const { key: form } = await cli.json<{ key: string }>("forms", "create", "contact");
const project = await cli.json<Keys>("projects", "create", "shop", "--environments", "live");
await cli.json("flags", "set", "search", "-p", "shop", "-e", "live", "--off");
const server = await startServer(["--threads", "4", "--trusted-proxy", "127.0.0.1"], { data });

/** Sends a request on a connection of its own, so that any thread may get it, and as the client of an address. */
function ask(path: string, client = "", init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("Connection", "close");
  if (client !== "") headers.set("X-Forwarded-For", client);
  return fetch(`${server.url}${path}`, { ...init, headers, redirect: "manual", keepalive: false });
}

const submit = (client: string, body: unknown = { a: 1 }) =>
  ask(`/v1/s/${form}?mode=rest`, client, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
const READER = { "x-project-key": project.key, "x-environment-key": project.environments[0]!.key };
const together = <T>(count: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));
/** How many answers there are of each status. */
function statusesOf(answers: Response[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
const token = (await cli.run("tokens", "create", "tests")).stdout.trim();
const BEARER = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
const metric = async (start: string) => {
  const text = await (await ask("/metrics", "", { headers: BEARER })).text();
  const lines = text.split("\n").filter((line) => line.startsWith(start));
  return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
};

describe("a server with four threads", () => {
  test("says so, and so does doctor", async () => {
    expect(server.stderr()).toContain("4 threads serve");
    const { stdout } = await cli.run("doctor", "--json");
    expect(JSON.parse(stdout)).toContainEqual(
      expect.objectContaining({ check: "threads", message: "4 threads serve" }),
    );
  });

  test("lets through exactly as many submissions as the rate limit of a form", async () => {
    await cli.json("forms", "set", "contact", "--rate-limit", "100/m");
    const answers = await together(300, () => submit("198.51.100.1"));
    expect(statusesOf(answers)).toEqual({ 200: 100, 429: 200 });
    expect((await submit("198.51.100.2")).status).toBe(200);
    await cli.json("forms", "set", "contact", "--rate-limit", "off");
  });

  test("counts wrong tokens of readers together", async () => {
    const path = "/ofrep/v1/evaluate/flags/search";
    const headers = { Authorization: "Bearer ff_wrong", "Content-Type": "application/json" };
    const body = JSON.stringify({ context: {} });
    const answers = await together(60, () => ask(path, "198.51.100.3", { method: "POST", headers, body }));
    expect(statusesOf(answers)).toEqual({ 401: 20, 429: 40 });
  });

  test("takes exactly as much feedback of a client as the rate says", async () => {
    const preview = ["--preview", "on", "--preview-name", "Try", "--preview-content", "it"];
    await cli.json("flags", "set", "tried", "-p", "shop", "-e", "live", "--on", ...preview);
    const send = (index: number) =>
      ask("/api/v1/flags/preview/feedback", "198.51.100.20", {
        method: "POST",
        headers: { ...READER, "Content-Type": "application/json" },
        body: JSON.stringify({ flagKey: "tried", mood: "HAPPY", rating: 4, description: `${index}` }),
      });
    expect(statusesOf(await together(90, send))).toEqual({ 200: 60, 429: 30 });
  });

  test("gives submissions ids in the order of their arrival", async () => {
    const ids: string[] = [];
    for (let turn = 0; turn < 40; turn += 1)
      ids.push(((await (await submit("198.51.100.4")).json()) as { id: string }).id);
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(40);
  });

  test("stores a submission with an idempotency key once, whichever threads get it", async () => {
    const before = await metric("formflag_commit_writes_sum");
    const send = () =>
      ask(`/v1/s/${form}?mode=rest`, "198.51.100.5", {
        method: "POST",
        headers: { "Content-Type": "application/json", "Idempotency-Key": "once" },
        body: JSON.stringify({ once: true }),
      });
    const answers = await together(30, send);
    const ids = await Promise.all(
      answers.map(async (answer) => ((await answer.json()) as { id: string }).id),
    );
    expect(new Set(ids).size).toBe(1);
    expect(await metric("formflag_commit_writes_sum")).toBeGreaterThan(before);
  });

  test("answers no read from before a change that was answered", async () => {
    const path = "/api/admin/v1/projects/shop/environments/live/flags/search";
    for (let turn = 0; turn < 30; turn += 1) {
      const enabled = turn % 2 === 0;
      const changed = await ask(path, "", {
        method: "PATCH",
        headers: BEARER,
        body: JSON.stringify({ enabled }),
      });
      expect(changed.status).toBe(200);
      const answers = await together(8, () => ask("/api/v1/flags/search", "", { headers: READER }));
      for (const answer of answers) expect(await answer.json()).toMatchObject({ enabled });
    }
  });

  test("shows the sum of its threads in /metrics, where each request is one", async () => {
    const series = 'formflag_http_request_duration_seconds_count{service="flags",route="/api/v1/flags"';
    const before = await metric(series);
    await together(50, () => ask("/api/v1/flags", "", { headers: READER }));
    expect((await metric(series)) - before).toBe(50);
  });

  test("passes on what only one of them answers, with its body and the address of its sender", async () => {
    const signIn = (password: string) =>
      ask("/dashboard/sign-in", "198.51.100.6", {
        method: "POST",
        headers: { "Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin" },
        body: new URLSearchParams({ name: "nobody", password }).toString(),
      });
    const answers = await together(16, () => signIn("a wrong password"));
    expect(statusesOf(answers)).toEqual({ 401: 10, 429: 6 });
    for (const [path, status] of [
      ["/dashboard", 303],
      ["/openapi.json", 200],
      ["/readyz", 200],
      ["/nothing", 404],
      ["/", 302],
    ] as const)
      expect([path, statusesOf(await together(8, () => ask(path)))]).toEqual([path, { [status]: 8 }]);
  });

  test("writes each line of its log whole", async () => {
    await together(200, () => submit("198.51.100.7"));
    await eventually("the log", () => server.stderr().split('"status":200').length > 200);
    const lines = server
      .stderr()
      .split("\n")
      .filter((line) => line.startsWith("{"));
    for (const line of lines.slice(0, -1)) expect(() => JSON.parse(line)).not.toThrow();
  });

  test("refuses a second server at its address", async () => {
    const address = new URL(server.url).host;
    const { code, stderr } = await runExecutable(["serve", "--threads", "2", "--listen", address]);
    expect([code, stderr]).toEqual([6, expect.stringContaining("is in use")]);
  });

  test("stops without an error", async () => {
    const other = await startServer(["--threads", "4"]);
    const answers = await together(16, () => fetch(`${other.url}/healthz`, { keepalive: false }));
    expect(statusesOf(answers)).toEqual({ 200: 16 });
    expect(await other.stop()).toBe(0);
    expect(errorsIn(other.stderr())).toEqual([]);
  });
});

test("requests of one address at a time are limited over all threads, and answered before the server stops", async () => {
  const data = tempDirectory();
  const { key: form } = await onData(data).json<{ key: string }>("forms", "create", "contact");
  const limited = await startServer(
    ["--threads", "3", "--max-concurrent", "5", "--trusted-proxy", "127.0.0.1"],
    { data },
  );
  const send = (client: string, body: ReadableStream | string) =>
    fetch(`${limited.url}/v1/s/${form}?mode=rest`, {
      method: "POST",
      headers: { "X-Forwarded-For": client, "Content-Type": "application/json", Connection: "close" },
      body,
    });
  const quick = async (client: string) => (await send(client, '{"a":1}')).status;
  const release = Promise.withResolvers<void>();
  const slow = () =>
    new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(Buffer.from('{"a":'));
        await release.promise;
        controller.enqueue(Buffer.from("1}"));
        controller.close();
      },
    });
  const sent: Promise<Response>[] = [];
  // A place that a quick one had is free by its answer: in the end slow ones have all.
  do sent.push(send("198.51.100.9", slow()));
  while ((await quick("198.51.100.9")) === 200);
  expect(await Promise.all(Array.from({ length: 8 }, () => quick("198.51.100.9")))).toEqual(
    Array(8).fill(429),
  );
  expect(await quick("198.51.100.10")).toBe(200);
  const stopped = limited.stop();
  release.resolve();
  expect(statusesOf(await Promise.all(sent))[200]).toBe(5);
  expect(await stopped).toBe(0);
});

test("requests of one address over time are limited over all threads", async () => {
  const limited = await startServer(["--threads", "4", "--max-rate", "30/m", "--trusted-proxy", "127.0.0.1"]);
  const evaluate = (client: string) =>
    fetch(`${limited.url}/ofrep/v1/evaluate/flags`, {
      method: "POST",
      headers: { "X-Forwarded-For": client, "Content-Type": "application/json", Connection: "close" },
      body: "{}",
    });
  expect(statusesOf(await together(80, () => evaluate("198.51.100.30")))).toEqual({ 401: 30, 429: 50 });
  expect((await evaluate("198.51.100.31")).status).not.toBe(429);
  expect(await limited.stop()).toBe(0);
});

test.each(["0", "65", "some"])("serve --threads %s is refused, exit 2", async (threads) => {
  const { code, stderr } = await runExecutable(["serve", "--threads", threads]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("from 1 to 64, or auto")]);
});
