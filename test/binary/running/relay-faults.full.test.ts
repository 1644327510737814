import { expect, test } from "bun:test";
import { eventually } from "../../support/eventually.ts";
import { startServer } from "../../support/executable.ts";
import { HAS_BALANCER, startBalancer } from "../../support/peers/nginx.ts";
import {
  type Source,
  bearer,
  behindOf,
  evaluation,
  isReady,
  startRelay,
  startSource,
} from "../../support/peers/source.ts";
import { openGate } from "../../support/postgres/gate.ts";

const portOf = ({ url }: { url: string }) => Number(new URL(url).port);

/** The payload of `hero`, which counts its changes. */
async function countAt(url: string, source: Source): Promise<number> {
  const answer = await fetch(`${url}/api/v1/flags/hero`, { headers: source.keysOf("production") });
  if (!answer.ok) throw new Error(`a read was answered ${answer.status}`);
  return ((await answer.json()) as { payload: { count?: number } }).payload.count ?? 0;
}

const setCount = (source: Source, count: number) =>
  source.set("hero", "--payload", JSON.stringify({ count }));

async function shows(url: string, source: Source, count: number): Promise<void> {
  await eventually(`change ${count}`, async () => (await countAt(url, source)) === count);
}

test("a frozen source does not stop a relay, which has the changes as soon as it goes on", async () => {
  const source = await startSource();
  const relay = await startRelay(source.server.url, source.tokens.relay);
  await setCount(source, 1);
  await shows(relay.url, source, 1);
  process.kill(source.server.pid, "SIGSTOP");
  await eventually("the relay is behind", async () => (await behindOf(relay.url)) > 0);
  // Another process changes the flag meanwhile.
  await setCount(source, 2);
  const stale = await fetch(`${relay.url}/api/v1/flags/hero`, { headers: source.keysOf("production") });
  expect(Number(stale.headers.get("x-formflag-stale"))).toBeGreaterThan(0);
  expect(await countAt(relay.url, source)).toBe(1);
  process.kill(source.server.pid, "SIGCONT");
  await shows(relay.url, source, 2);
  await eventually("the relay is not behind", async () => (await behindOf(relay.url)) === 0);
});

test("a relay goes on through a network that cuts, stalls and swallows, and has each change once it passes", async () => {
  const source = await startSource();
  const gate = await openGate(portOf(source.server));
  const relay = await startRelay(`http://127.0.0.1:${gate.port}`, source.tokens.relay);
  let count = 0;
  for (const mode of ["cut", "stall", "swallow", "slow"] as const) {
    await gate.set(mode);
    await setCount(source, (count += 1));
    if (mode === "slow") await shows(relay.url, source, count);
    else await eventually("the relay is behind", async () => (await behindOf(relay.url)) > 0);
    await gate.set("open");
    await shows(relay.url, source, count);
  }
  gate.close();
});

test.skipIf(!HAS_BALANCER)(
  "a relay follows through nginx, which restarts the source of its connection",
  async () => {
    const source = await startSource();
    const balancer = await startBalancer([portOf(source.server)]);
    const relay = await startRelay(balancer.url, source.tokens.relay);
    await setCount(source, 1);
    await shows(relay.url, source, 1);
    await source.server.stop();
    await eventually("the relay is behind", async () => (await behindOf(relay.url)) > 0);
    await startServer(["--listen", new URL(source.server.url).host], { data: source.server.data });
    await setCount(source, 2);
    await shows(relay.url, source, 2);
  },
);

test("events and reads count once where the answers to their batches are lost", async () => {
  const source = await startSource();
  let lost = 0;
  const proxy = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const body = request.method === "POST" ? await request.text() : undefined;
      const headers = { Authorization: request.headers.get("authorization")! };
      const answer = await fetch(source.server.url + pathname, {
        method: request.method,
        headers,
        ...(body && { body }),
      });
      if (request.method === "GET" || (lost += 1) > 3) return answer;
      return new Response("lost", { status: 502 });
    },
  });
  await source.cli.json("flags", "create", "trial", "-p", "shop");
  await source.set("trial", "--on", "--rollout", "50");
  const { place, tokens } = source;
  await source.cli.json(
    "experiments",
    "create",
    "test",
    "--flag",
    "trial",
    "--metric",
    "event:signup",
    ...place,
  );
  await source.cli.json("experiments", "start", "test", ...place);
  const relay = await startRelay(proxy.url.href.replace(/\/$/, ""), tokens.relay);
  const users = Array.from({ length: 20 }, (_, index) => `user-${index}`);
  for (const targetingKey of users)
    await fetch(
      `${relay.url}/ofrep/v1/evaluate/flags/trial`,
      evaluation(bearer(tokens.evaluate), { targetingKey }),
    );
  type Results = { metrics: { variants: { visitors: number; conversions: number }[] }[] };
  const count = async (of: "visitors" | "conversions") => {
    const { metrics } = await source.cli.json<Results>("experiments", "results", "test", ...place);
    return metrics[0]!.variants.reduce((sum, each) => sum + each[of], 0);
  };
  const events = users.slice(0, 8).map((targetingKey) => ({ event: "signup", targetingKey }));
  const post = (key: string) =>
    fetch(`${relay.url}/v1/events`, {
      method: "POST",
      headers: { ...bearer(tokens.evaluate), "Idempotency-Key": key },
      body: JSON.stringify({ events }),
    });
  expect(await (await post("one")).json()).toEqual({ accepted: 8, ignored: 0 });
  const repeat = await post("one");
  expect(repeat.headers.get("idempotent-replayed")).toBe("true");
  await eventually("the conversions", async () => (await count("conversions")) === 8);
  await eventually("all visitors", async () => (await count("visitors")) === users.length);
  const read = () => fetch(`${relay.url}/api/v1/flags/hero`, { headers: source.keysOf("production") });
  for (let each = 0; each < 9; each += 1) await read();
  lost = 0;
  expect(await relay.stop()).toBe(0);
  const again = await startRelay(proxy.url.href.replace(/\/$/, ""), tokens.relay, { data: relay.data });
  const reads = async () =>
    (await source.cli.json<{ reads: number }[]>("flags", "reads", "hero", "-p", "shop"))[0]?.reads;
  await eventually("the reads", async () => (await reads()) === 9 && lost > 3);
  await again.stop();
  expect([await reads(), await count("visitors"), await count("conversions")]).toEqual([9, users.length, 8]);
  await proxy.stop(true);
});

test("kills of both sides while flags change show nothing wrong, and nothing old a moment later", async () => {
  const source = await startSource();
  const { tokens, server } = source;
  const args = ["--listen", new URL(server.url).host];
  const place = { source: server, relay: await startRelay(server.url, tokens.relay) };
  const listen = ["--listen", new URL(place.relay.url).host];
  const { url } = place.relay;
  let [written, seen] = [0, 0];
  const over = new AbortController();
  const wrong: string[] = [];
  const reading = async () => {
    while (!over.signal.aborted) {
      // Refused connections are those of a relay that is dead.
      const count = await countAt(url, source).catch(() => null);
      if (count !== null) {
        if (count < seen) wrong.push(`${count} after ${seen}`);
        if (count > written) wrong.push(`${count}, which is yet to be written`);
        seen = Math.max(seen, count);
      }
      await Bun.sleep(1);
    }
  };
  const reader = reading();
  const rounds = Number(process.env["FORMFLAG_RELAY_ROUNDS"] ?? 12);
  for (let round = 1; round <= rounds; round += 1) {
    for (let change = 0; change < 5; change += 1) await setCount(source, (written += 1));
    const isOfRelay = round % 2 === 0;
    await place[isOfRelay ? "relay" : "source"].stop("SIGKILL");
    await setCount(source, (written += 1));
    if (isOfRelay)
      place.relay = await startRelay(server.url, tokens.relay, {
        args: listen,
        data: place.relay.data,
      });
    else place.source = await startServer(args, { data: server.data });
    await eventually("both answer", async () => (await isReady(url)) && (await isReady(server.url)));
    await eventually("the relay follows", async () => (await behindOf(url)) === 0);
    await shows(url, source, written);
  }
  over.abort();
  await reader;
  expect(wrong).toEqual([]);
});

test("counts that wait are counted once, whenever the relay is killed while it sends them", async () => {
  const source = await startSource();
  const { server, tokens } = source;
  let { data, url, stop } = await startRelay(server.url, tokens.relay);
  let read = 0;
  const reads = async () =>
    (await source.cli.json<{ reads: number }[]>("flags", "reads", "hero", "-p", "shop"))[0]?.reads ?? 0;
  for (let round = 0; round < 5; round += 1) {
    for (let each = 0; each < 10; each += 1) await countAt(url, source).then(() => (read += 1));
    // Its last batch goes to the disk, and with luck to the source.
    process.kill(server.pid, "SIGSTOP");
    await stop();
    process.kill(server.pid, "SIGCONT");
    for (const ms of [600, 900, 1200]) {
      const killed = await startRelay(server.url, tokens.relay, { data, isAway: true });
      await Bun.sleep(ms + round * 40);
      await killed.stop("SIGKILL");
    }
    ({ data, url, stop } = await startRelay(server.url, tokens.relay, { data }));
  }
  await eventually("all reads", async () => (await reads()) === read);
  await stop();
  expect(await reads()).toBe(read);
});
