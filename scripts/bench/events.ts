import { Database } from "bun:sqlite";
import { join } from "node:path";
import { packSeen } from "../../src/experiments/measurement.ts";
import { type Rounds, type Show, inTurns, median, spreadOf } from "./figure.ts";
import type { Server } from "./process.ts";

/** New visitors of a request, rows of a commit of the bare writer, and requests under way. */
const [BATCH, COMMIT, CONNECTIONS] = [100, 64, 16];

type Sender = { server: Server; headers: Record<string, string>; flag: string; directory: string };

/** Measures how many new visitors a second `POST /v1/events` counts, to the rows that a bare writer makes durable. */
export async function measureEvents(sender: Sender, rounds: Rounds, show: Show): Promise<void> {
  const { ratios, a, b } = await inTurns(
    rounds.rounds,
    () => visitorsPerSecond(sender, rounds.seconds),
    async () => rowsPerSecond(sender.directory, rounds.seconds),
  );
  show({
    part: "experiments",
    name: `new visitors of POST /v1/events, ${BATCH} a request, to rows of a bare durable writer`,
    goal: "≥ 0.70",
    value: median(ratios),
    spread: spreadOf(ratios),
    detail: [a, b].map((each) => `${Math.round(each).toLocaleString("en")}/s`).join(" to "),
  });
}

async function visitorsPerSecond({ server, headers, flag }: Sender, seconds: number): Promise<number> {
  const end = performance.now() + seconds * 1000;
  let accepted = 0;
  const send = async () => {
    while (performance.now() < end) {
      const events = Array.from({ length: BATCH }, (_, index) => ({
        exposure: flag,
        variant: index % 2 === 0 ? "on" : "off",
        targetingKey: crypto.randomUUID(),
      }));
      const body = JSON.stringify({ events });
      const answer = await fetch(`${server.url}/v1/events`, { method: "POST", headers, body });
      if (!answer.ok) throw new Error(`events were answered ${answer.status}`);
      accepted += ((await answer.json()) as { accepted: number }).accepted;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, send));
  return accepted / seconds;
}

/** Rows as those of visitors, each commit on the disk before the next. */
function rowsPerSecond(directory: string, seconds: number): number {
  const db = new Database(join(directory, `rows-${crypto.randomUUID()}.db`));
  db.run("PRAGMA journal_mode = WAL");
  db.run("PRAGMA synchronous = FULL");
  db.run(
    "CREATE TABLE visitors (measurement INTEGER, visitor BLOB, seen INTEGER, PRIMARY KEY (measurement, visitor)) WITHOUT ROWID, STRICT",
  );
  const insert = db.query("INSERT INTO visitors VALUES (1, ?, ?)");
  const commit = db.transaction(() => {
    for (let each = 0; each < COMMIT; each += 1)
      insert.run(crypto.getRandomValues(new Uint8Array(8)), packSeen(each % 2, 0, 1));
  });
  const end = performance.now() + seconds * 1000;
  let rows = 0;
  for (; performance.now() < end; rows += COMMIT) commit();
  db.close();
  return rows / seconds;
}
