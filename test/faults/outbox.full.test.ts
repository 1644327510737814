import { expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { onData } from "../support/commands.ts";
import { runExecutable, startServer } from "../support/executable.ts";
import { openHeldWebhook } from "../support/peers/held-webhook.ts";
import { DISK, tempDirectory } from "../support/temp.ts";
import type { Delivery } from "../../src/delivery/delivery.ts";

const COUNT = 60;

async function addTarget(data: string, url: string): Promise<void> {
  const args = ["targets", "add", "contact", url, "--data", data];
  expect((await runExecutable(args, { env: ENV })).code).toBe(0);
}

const ENV = { FORMFLAG_TARGET_NETWORK: "127.0.0.0/8" };

test("a server that is killed while it sends loses no delivery, and repeats one under the same id", async () => {
  using hook = openHeldWebhook();
  const data = tempDirectory(DISK);
  const first = await startServer([], { data, env: ENV });
  const here = onData(data);
  const { key } = await here.json<{ key: string }>("forms", "create", "contact");
  await addTarget(data, hook.url);
  const submit = async (url: string, n: number) => {
    const body = new URLSearchParams({ n: String(n) });
    const answer = await fetch(`${url}/v1/s/${key}?mode=rest`, { method: "POST", body });
    return ((await answer.json()) as { id: string }).id;
  };
  const ids: string[] = [];
  for (let n = 0; n < COUNT; n += 1) ids.push(await submit(first.url, n));
  await eventually("two requests under way", () => hook.received.size === 2);
  await first.stop("SIGKILL");
  const sentBefore = new Set(hook.received.keys());
  hook.open();
  const second = await startServer([], { data, env: ENV });
  ids.push(await submit(second.url, COUNT));
  await eventually("every submission", () => hook.received.size === ids.length);
  expect([...hook.received.keys()].toSorted()).toEqual(ids.toSorted());
  for (const [submission, deliveries] of hook.received) {
    expect(new Set(deliveries).size).toBe(1);
    expect(deliveries.length).toBe(sentBefore.has(submission) ? 2 : 1);
  }
  // A server that stops before it has the answer to a request sends it again later.
  const all = await eventually("every result", async () => {
    const list = await here.json<Delivery[]>("deliveries", "list", "--limit", "100");
    return list.every(({ status }) => status === "delivered") && list;
  });
  await second.stop();
  expect(all).toHaveLength(ids.length);
}, 60_000);

test("a server that is told to stop ends what it sends, and the next one sends it at once", async () => {
  using hook = openHeldWebhook();
  const data = tempDirectory(DISK);
  const first = await startServer([], { data, env: ENV });
  const here = onData(data);
  const { key } = await here.json<{ key: string }>("forms", "create", "contact");
  await addTarget(data, hook.url);
  await fetch(`${first.url}/v1/s/${key}`, { method: "POST", body: new URLSearchParams({ n: "1" }) });
  await eventually("the request", () => hook.received.size === 1);
  expect(await first.stop()).toBe(0);
  const [waiting] = await here.json<Delivery[]>("deliveries", "list");
  expect(waiting).toMatchObject({ status: "queued", attempts: 0 });
  hook.open();
  const second = await startServer([], { data, env: ENV });
  // A server that stops between the request and its answer sends it again.
  const list = () => here.json<Delivery[]>("deliveries", "list");
  await eventually("its result", async () => (await list())[0]!.status === "delivered");
  await second.stop();
  expect([...hook.received.values()][0]).toHaveLength(2);
}, 60_000);
