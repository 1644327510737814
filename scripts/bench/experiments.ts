import { Database } from "bun:sqlite";
import { join } from "node:path";
import { createAssignmentSource } from "../../src/experiments/assignment.ts";
import { packSeen } from "../../src/experiments/measurement.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { compare } from "./compare.ts";
import { measureEvents } from "./events.ts";
import type { Rounds, Show } from "./figure.ts";
import {
  adminHeaders,
  commandLine,
  createForm,
  createProject,
  EXECUTABLE,
  startFormflag,
} from "./formflag.ts";

const [MANY, FEW] = [1_000_000, 1000];
const ONE = "/ofrep/v1/evaluate/flags";
const RESULTS = "/api/admin/v1/projects/bench/environments/bench/experiments";

/** Measures how much slower experiments make reads of flags and submissions, and what does not grow with visitors. */
export async function measureExperiments(directory: string, rounds: Rounds, show: Show): Promise<void> {
  const data = join(directory, "experiments");
  const [keys = {}] = await createProject(data, "bench");
  const plain = await createForm(data, "plain", "-p", "bench");
  const counted = await createForm(data, "counted", "-p", "bench");
  const run = (...args: string[]) => commandLine(EXECUTABLE, data, [...args, "-p", "bench", "-e", "bench"]);
  await run("flags", "set", "free", "--rollout", "50", "--on");
  for (const [flag, metric] of [
    ["few", "event:signup"],
    ["many", "event:signup"],
    ["held", "submissions:counted"],
  ] as const) {
    await run("flags", "set", flag);
    await run("experiments", "create", flag, "--flag", flag, "--metric", metric, "--start");
  }
  show(bytesOfVisitors(data));
  const token = await signed(data, keys["x-environment-key"]!);
  const server = await startFormflag(data);
  const common = { part: "experiments", directory };

  const headers = { ...keys, "content-type": "application/json" };
  const body = JSON.stringify({ context: { targetingKey: "user-4711" } });
  const evaluated = (flag: string) => ({
    server,
    request: { path: `${ONE}/${flag}`, method: "POST" as const, headers, body },
  });
  const evaluating = "a flag in an experiment evaluated, to one with a share";
  await compare(
    evaluated("held"),
    evaluated("free"),
    { ...common, name: evaluating, goal: "≥ 0.85", connections: 32 },
    rounds,
    show,
  );

  const message = JSON.stringify({ name: "Ann Example", message: "Hello there. ".repeat(20) });
  const sent = (path: string, more: Record<string, string>) => ({
    server,
    request: {
      path,
      method: "POST" as const,
      headers: { "content-type": "application/json", ...more },
      body: message,
    },
  });
  const submitting = "submissions with an assignment that a metric counts, to those without";
  await compare(
    sent(counted, { "x-formflag-assignment": token }),
    sent(plain, {}),
    { ...common, name: submitting, goal: "≥ 0.90", connections: 64 },
    rounds,
    show,
  );

  const admin = await adminHeaders(data);
  const read = (name: string) => ({
    server,
    request: { path: `${RESULTS}/${name}/results`, headers: admin },
  });
  const reading = `results of ${MANY.toLocaleString("en")} visitors, to those of ${FEW.toLocaleString("en")}`;
  await compare(
    read("many"),
    read("few"),
    { ...common, name: reading, goal: "≥ 0.67", connections: 4 },
    rounds,
    show,
  );
  const made = await run("tokens", "create", "app", "--scope", "flags:evaluate");
  const { token: secret } = made as { token: string };
  await measureEvents({ server, headers: { "x-api-key": secret }, flag: "few", directory }, rounds, show);
  await server.stop();
}

/** An assignment of a visitor who saw a variant of the experiment. */
async function signed(data: string, environmentKey: string): Promise<string> {
  const store = openSqliteStore(join(data, "formflag.db"), "thread");
  const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));
  const assignments = await createAssignmentSource({ store, random })();
  await store.close();
  const pseudonym = assignments.pseudonymOf(environmentKey, "user-4711");
  return assignments.sign({ environmentKey, pseudonym, variants: [["held", "on"]] }, Date.now());
}

/** Fills the two measurements; the bytes that a visitor of the larger one takes in the file. */
function bytesOfVisitors(data: string) {
  const db = new Database(join(data, "formflag.db"));
  const pages = () => {
    db.run("PRAGMA wal_checkpoint(TRUNCATE)");
    const { page_count: count } = db.query<{ page_count: number }, []>("PRAGMA page_count").get()!;
    const { page_size: size } = db.query<{ page_size: number }, []>("PRAGMA page_size").get()!;
    return count * size;
  };
  const fill = (flag: string, visitors: number) => {
    const { id } = db
      .query<{ id: number }, [string]>("SELECT id FROM measurements WHERE flag = ?")
      .get(flag)!;
    const insert = db.query("INSERT INTO measured_visitors (measurement, visitor, seen) VALUES (?, ?, ?)");
    // In the order of their arrival, which is that of no index.
    db.transaction(() => {
      for (let each = 0; each < visitors; each += 1)
        insert.run(
          id,
          crypto.getRandomValues(new Uint8Array(8)),
          packSeen(each % 2, each % 10 === 0 ? 1 : 0, 1),
        );
      db.run("INSERT INTO measured_counts VALUES (?, 0, 0, ?), (?, 1, 0, ?)", [
        id,
        visitors / 2,
        id,
        visitors / 2,
      ]);
      db.run("UPDATE measurements SET visitors = ? WHERE id = ?", [visitors, id]);
    })();
  };
  fill("few", FEW);
  const before = pages();
  fill("many", MANY);
  const value = (pages() - before) / MANY;
  db.close();
  const [part, name] = ["experiments", "on disk, a visitor of an experiment on SQLite"];
  return { part, name, goal: "≤ 24", value, spread: [value, value] as [number, number], unit: " bytes" };
}
