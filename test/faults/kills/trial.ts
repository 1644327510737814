import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { join } from "node:path";
import type { RunResult } from "../../support/commands.ts";
import { eventually } from "../../support/eventually.ts";
import { LAB, REPORTED } from "../../simulation/world/rollouts/experiments.ts";
import { requireExperiments } from "../../simulation/world/rollouts/experiment-invariants.ts";
import { requireMembers } from "../../simulation/world/rollouts/fillings.ts";
import { GATHERED, NOTICED, ROLLOUT } from "../../simulation/world/rollouts/ramps.ts";
import { requireRollouts } from "../../simulation/world/rollouts/rollout-invariants.ts";
import type { Receipt } from "../../simulation/world/receivers.ts";
import { type House, type Killer, openHouse } from "./house.ts";
import { type Acknowledged, type Keys, playRound } from "./scenario.ts";

/** After so many milliseconds no further round begins. */
export const KILLS_MS = Number(process.env["FORMFLAG_KILLS_SECONDS"] || 1) * 1000;
export const KILLS_SEED = Number(
  process.env["FORMFLAG_TORTURE_SEED"] || crypto.getRandomValues(new Uint32Array(1))[0],
);

/** What servers and commands need to send to this machine. */
export const NETWORK = { FORMFLAG_TARGET_NETWORK: "127.0.0.0/8" };

type Commands = {
  run: (...args: string[]) => Promise<RunResult>;
  json: <T>(...args: string[]) => Promise<T>;
};

export type Trial = {
  commands: Commands;
  data: string;
  envOf: (server: number) => Record<string, string>;
  count: number;
  killer: Killer;
  /** Sends what killed servers have begun to send; others wait until their lease is over. */
  release: () => Promise<void>;
  /** The data directory with the database in the end. */
  copy: () => Promise<string>;
};

/** A receiver of notices, by the URLs that invariants know. */
function openReceiver() {
  const receipts: Receipt[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const url = `https://8.8.8.8${new URL(request.url).pathname}`;
      const { type, data } = (await request.json()) as { type: string; data: unknown };
      const id = request.headers.get("webhook-id")!;
      receipts.push({ id, about: "", type, data, url, at: Date.now(), accepted: true });
      return new Response();
    },
  });
  const urlOf = (known: string) => `http://127.0.0.1:${server.port}${new URL(known).pathname}`;
  return { receipts, urlOf, [Symbol.dispose]: () => void server.stop(true) };
}

async function furnish({ json, run }: Commands, urlOf: (known: string) => string): Promise<Keys> {
  const key = async (...args: string[]) => (await json<{ key: string }>(...args)).key;
  const token = async (...args: string[]) => (await run("tokens", "create", ...args)).stdout.trim();
  for (const project of [ROLLOUT, LAB]) await json("projects", "create", project, "--environments", "live");
  await json("targets", "add", urlOf(NOTICED), "-p", ROLLOUT);
  await json("targets", "add", urlOf(GATHERED), "-p", ROLLOUT, "--digest", "1s");
  await json("targets", "add", urlOf(REPORTED), "-p", LAB);
  const [inRollout, inLab] = [ROLLOUT, LAB].map((project) => ["-p", project, "-e", "live"]) as [
    string[],
    string[],
  ];
  const waitlist = await key("forms", "create", "waitlist", "-p", ROLLOUT);
  const filled = [...inRollout, "--from-form", "waitlist", "--attribute", "email"];
  await json("segments", "set", "invited", ...filled, "--field", "email");
  await json("segments", "set", "friends", ...filled, "--field", "friend", "--approve", "on");
  const contact = await key("forms", "create", "contact", "-p", LAB);
  await json("flags", "set", "open", ...inLab, "--on");
  const desk = await key("forms", "create", "desk", "-p", LAB);
  await json("forms", "set", `${LAB}:desk`, "--open-when", `${LAB}/live/open`);
  return {
    token: await token("tests"),
    evaluate: await token("server", "--scope", "flags:evaluate", ...inLab),
    browser: await token("page", "--scope", "flags:browser", ...inLab),
    waitlist,
    contact,
    desk,
  };
}

/** Plays rounds while servers are killed, and looks at what is there in the end. Returns how often one was. */
export async function tryKills({
  commands,
  data,
  envOf,
  count,
  killer,
  release,
  copy,
}: Trial): Promise<number> {
  using receiver = openReceiver();
  const keys = await furnish(commands, receiver.urlOf);
  const done: Acknowledged = { submissions: new Map(), visits: new Map(), expiring: [] };
  const house = await openHouse(envOf, { count, data, killer });
  const until = performance.now() + KILLS_MS;
  let round = 0;
  for (; round === 0 || performance.now() < until; round += 1)
    await playRound({ house, killer, keys, done }, round);
  await drain(house, killer, keys, release);
  await house.stop();
  // On a busy machine a database may be late.
  const isLate = (line: string) => /the database (?:does not answer|has not answered)/.test(line);
  const errors = house
    .log()
    .split("\n")
    .filter((line) => line.includes('"level":"error"') && !isLate(line));
  expect(errors).toEqual([]);

  using db = new Database(join(await copy(), "formflag.db"), { readonly: true });
  const violations: string[] = [];
  const violated = (text: string) => void violations.push(text);
  const evidence = { db, violated, scheduler: { now: Date.now }, receivers: receiver };
  requireRollouts(evidence);
  requireExperiments(evidence, done.visits);
  requireMembers(evidence);
  requireSubmissions(db, done, violated);
  for (const name of done.expiring) {
    const heard = receiver.receipts.filter(
      ({ url, type, data }) =>
        url === NOTICED && type === "flag.expired" && (data as { name: string }).name === name,
    );
    if (new Set(heard.map(({ id }) => id)).size !== 1)
      violated(
        `${name} has expired, of which ${NOTICED} was told as ${heard.map(({ id }) => id).join(", ")}`,
      );
  }
  expect(violations).toEqual([]);
  process.stderr.write(
    `${house.kills()} kills in ${round} rounds with FORMFLAG_TORTURE_SEED=${KILLS_SEED}\n`,
  );
  return house.kills();
}

/** Waits until everything that was queued is delivered. */
async function drain(
  house: House,
  killer: Killer,
  { token }: Keys,
  release: () => Promise<void>,
): Promise<void> {
  await killer.during(null);
  await eventually("every delivery", async () => {
    await release();
    const headers = { Authorization: `Bearer ${token}` };
    const answer = await house.send("/api/admin/v1/deliveries?status=queued", { headers });
    return answer !== null && ((await answer.json()) as { deliveries: object[] }).deliveries.length === 0;
  });
}

/** What was answered is stored once, unless it was deleted. */
function requireSubmissions(
  db: Database,
  { submissions }: Acknowledged,
  violated: (text: string) => void,
): void {
  const rows = db.query<{ data: string }, []>("SELECT data FROM submissions").all();
  const stored = Map.groupBy(rows, ({ data }) => (JSON.parse(data) as { mark?: string }).mark ?? "");
  for (const [mark, { isDeleted }] of submissions) {
    const times = stored.get(mark)?.length ?? 0;
    if (times !== (isDeleted ? 0 : 1)) violated(`${mark} is stored ${times} times`);
  }
}
