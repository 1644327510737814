import { join } from "node:path";
import { CHECKS } from "./checks.ts";
import type { Server } from "./process.ts";
import { type Rounds, type Show, inTurns, median, spreadOf } from "./figure.ts";
import { addTarget, createForm, queueDeliveries, startFormflag, startLimit } from "./formflag.ts";
import { closedLoop, openLoop, percentile } from "./load.ts";

const HEADERS = { "content-type": "application/json" };

/** Every submission has a field of its own, since a repeat is a duplicate and costs less. */
const POST = {
  method: "POST",
  headers: HEADERS,
  body: JSON.stringify({
    name: "Ann Example",
    email: "ann@example.com",
    message: "Hello there, this is a message. ".repeat(8),
  }),
} as const;

const QUEUED = 100_000;
const PER_SECOND = 300;
const LOCAL = { FORMFLAG_TARGET_NETWORK: "127.0.0.0/8" };

/** Measures the cost of checks and deliveries: a form with all of them, and a queue that drains while submissions arrive. */
export async function measureForms(directory: string, rounds: Rounds, show: Show): Promise<void> {
  await measureChecks(join(directory, "checks"), directory, rounds, show);
  await measureDraining(join(directory, "draining"), show);
}

async function measureChecks(data: string, directory: string, rounds: Rounds, show: Show): Promise<void> {
  const server = await startFormflag(data, { env: LOCAL });
  const plain = await createForm(data, "plain");
  const run = async (path: string) => {
    const load = { connections: 64, seconds: rounds.seconds, directory };
    const result = await closedLoop(server, { ...POST, path }, { ...load, isUnique: true });
    if (result.failures > 0) throw new Error(`${result.failures} submissions failed`);
    return result.perSecond;
  };
  const against = async (form: string, name: string, goal: string, ...settings: string[]) => {
    const checked = await createForm(data, form, ...CHECKS, ...settings);
    // Nothing listens at the port of echo, and connections are refused at once.
    await addTarget(data, form, "http://127.0.0.1:7/hook");
    const result = await inTurns(
      rounds.rounds,
      () => run(checked),
      () => run(plain),
    );
    show({
      part: "forms",
      name: `JSON with a schema, spam checks${name} and a dead webhook, to a plain form`,
      goal,
      value: median(result.ratios),
      spread: spreadOf(result.ratios),
      detail: `${Math.round(result.a)}/s to ${Math.round(result.b)}/s`,
    });
  };
  await against("checked", "", "≥ 0.70");
  await against("unique", ", duplicates", "≥ 0.50", "--duplicates", "60s");
  await server.stop();
}

async function measureDraining(data: string, show: Show): Promise<void> {
  // The receiver is another machine in life, so it shares the core of the load.
  const sink = await startLimit("sink", [], [], 1);
  const before = await startFormflag(data, { env: LOCAL });
  const path = await createForm(data, "plain");
  await createForm(data, "hooked");
  const target = await addTarget(data, "hooked", `${sink.url}/hook`);
  const p99 = async (server: Server, seconds: number) =>
    percentile(await openLoop(server.url + path, POST, { perSecond: PER_SECOND, seconds }), 0.99);
  const idle = await p99(before, 5);
  await before.stop();
  await queueDeliveries(data, "hooked", target, QUEUED);
  const server = await startFormflag(data, { env: LOCAL });
  const start = performance.now();
  const left = await queued(server);
  const busy = await p99(server, 10);
  const seconds = (performance.now() - start) / 1000;
  const drained = (left - (await queued(server))) / seconds;
  await Promise.all([server.stop(), sink.stop()]);
  const detail = `${QUEUED.toLocaleString("en")} queued for one webhook, ${PER_SECOND} submissions/s meanwhile`;
  show({
    part: "forms",
    name: "deliveries a second",
    goal: "≥ 300",
    value: drained,
    spread: [drained, drained],
    unit: "/s",
    detail,
  });
  show({
    part: "forms",
    name: "p99 of submissions meanwhile, to idle",
    goal: "≤ 3",
    value: busy / idle,
    spread: [busy / idle, busy / idle],
    detail: `${busy.toFixed(1)} to ${idle.toFixed(1)} ms`,
  });
}

async function queued({ url }: Server): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^formflag_deliveries_queued (\d+)/m.exec(text)?.[1]);
}
