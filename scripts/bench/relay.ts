import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { compare } from "./compare.ts";
import type { Rounds, Show } from "./figure.ts";
import {
  EXECUTABLE,
  type Formflag,
  createFlags,
  createProject,
  onCommandLine,
  startFormflag,
} from "./formflag.ts";
import { memoryOfStreams } from "./ofrep.ts";
import { type Server, freePort, startServer } from "./process.ts";

const FLAG = "/api/v1/flags/flag-00050";
/** The flag that changes. */
const CHANGED = "flag-00051";
/** Changes between two kills, and milliseconds after which a change has to be in every answer. */
const [A_KILL, FRESH] = [25, 1000];

type Pair = { source: Formflag; relay: Server; headers: Record<string, string> };

/** Flag reads of a relay to those of its source, its streams, and changes while both are killed. */
export async function measureRelay(directory: string, rounds: Rounds, show: Show): Promise<void> {
  const pair = await open(directory);
  const { source, relay, headers } = pair;
  const request = { path: FLAG, headers };
  const about = {
    part: "relay",
    connections: 32,
    directory,
    name: "one flag, to the source",
    goal: "≥ 0.97",
  };
  await compare({ server: relay, request }, { server: source, request }, about, rounds, show);
  const body = JSON.stringify({ context: {} });
  show(await memoryOfStreams(relay, headers, body, { part: "relay", goal: "≤ 20" }));
  await measureKills(pair, directory, rounds.rounds < 10 ? 100 : 1000, show);
}

async function open(directory: string): Promise<Pair> {
  const data = join(directory, "source");
  const [headers = {}] = await createProject(data, "bench");
  await createFlags(data, "bench", "bench", 100);
  const place = ["-p", "bench", "-e", "bench"];
  const command = ["tokens", "create", "relay", "--scope", "flags:sync", ...place];
  const { token } = await onCommandLine<{ token: string }>(data, ...command);
  writeFileSync(join(directory, "token"), token, { mode: 0o600 });
  const source = await startFormflag(data);
  return { source, headers, relay: await startRelay(source.url, directory, freePort()) };
}

async function startRelay(url: string, directory: string, port: number): Promise<Server> {
  const paths = ["--data", join(directory, "relay"), "--token-file", join(directory, "token")];
  const command = [EXECUTABLE, "serve", "--follow", url, ...paths, "--listen", `127.0.0.1:${port}`];
  const relay = await startServer(command, port, "/healthz");
  for (const deadline = Date.now() + 10_000; (await behindOf(relay.url)) !== 0; await Bun.sleep(10))
    if (Date.now() > deadline) throw new Error("the relay does not follow its source");
  return relay;
}

async function behindOf(url: string): Promise<number> {
  const answer = await fetch(`${url}/readyz`);
  return answer.ok ? ((await answer.json()) as { behind: number }).behind : Infinity;
}

/** Changes a flag again and again, and kills one side or the other meanwhile. */
async function measureKills(pair: Pair, directory: string, changes: number, show: Show): Promise<void> {
  const { source, headers } = pair;
  let { relay } = pair;
  const [port, sourcePort] = [relay, source].map(({ url }) => Number(new URL(url).port));
  let [written, seen, answers, made, wrong, old] = [0, 0, 0, 0, 0, 0];
  const over = new AbortController();
  const readOnce = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/flags/${CHANGED}`, { headers });
    made += 1;
    return ((await answer.json()) as { payload: { count?: number } }).payload.count ?? 0;
  };
  const reading = async () => {
    while (!over.signal.aborted) {
      // Null while the relay is dead.
      const count = await readOnce().catch(() => null);
      if (count === null) continue;
      answers += 1;
      if (count < seen || count > written) wrong += 1;
      seen = Math.max(seen, count);
    }
  };
  const reader = reading();
  const place = ["-p", "bench", "-e", "bench"];
  const change = () => {
    written += 1;
    const payload = JSON.stringify({ count: written });
    return onCommandLine(source.data, "flags", "set", CHANGED, ...place, "--payload", payload);
  };
  for (let kill = 0; kill < changes / A_KILL; kill += 1) {
    for (let each = 0; each < A_KILL - 1; each += 1) await change();
    const isOfRelay = kill % 2 === 0;
    const { pid } = isOfRelay ? relay : pair.source;
    process.kill(pid, "SIGKILL");
    await change();
    if (isOfRelay) relay = await startRelay(source.url, directory, port!);
    else await restart(pair, sourcePort!);
    for (
      const deadline = Date.now() + 30_000;
      (await behindOf(relay.url).catch(() => 1)) !== 0;
      await Bun.sleep(5)
    )
      if (Date.now() > deadline) throw new Error("the relay does not follow its source");
    await Bun.sleep(FRESH);
    if ((await readOnce()) !== written) old += 1;
  }
  over.abort();
  await reader;
  const figure = (name: string, value: number) =>
    show({
      part: "relay",
      name: `${name}, ${written.toLocaleString("en")} changes and kills of both sides`,
      goal: "≤ 0",
      value,
      spread: [value, value],
      unit: "",
      detail: `${answers.toLocaleString("en")} answers`,
    });
  figure("wrong answers", wrong);
  figure(`changes not there after ${FRESH / 1000} s`, old);
  await relay.stop();
  type Reads = { reads: number }[];
  const [counted] = await onCommandLine<Reads>(source.data, "flags", "reads", CHANGED, "-p", "bench");
  figure("reads counted more than once", Math.max(0, (counted?.reads ?? 0) - made));
  await pair.source.stop();
}

async function restart(pair: Pair, port: number): Promise<void> {
  const { data } = pair.source;
  const command = [EXECUTABLE, "serve", "--data", data, "--listen", `127.0.0.1:${port}`];
  pair.source = { ...(await startServer(command, port, "/healthz")), data };
}
