import { join } from "node:path";
import {
  addTarget,
  createFlags,
  createForm,
  createProject,
  queueDeliveries,
  startFormflag,
  startLimit,
} from "../formflag.ts";
import type { ImportedSubmission } from "../../../src/forms/store.ts";

/** Forms of the dashboard's data, and the share of submissions that each has. */
const FORMS = { contact: 0.6, orders: 0.25, support: 0.1, newsletter: 0.04, jobs: 0.01 };
const ENVIRONMENTS = ["development", "staging", "production"];
const FLAGS = 200;
const DAYS = 29;
const DAY_MS = 86_400_000;
const BATCH = 5000;
const DELIVERIES = 2000;

/** Data that a dashboard shows, and places in it. */
export type Filled = {
  data: string;
  /** The path that the form `contact` is posted to. */
  post: string;
  /** The headers that select an environment. */
  flags: Record<string, string>;
  /** Ids of `contact` in the inbox: one of the newest, and one in the middle of all. */
  newest: string;
  middle: string;
};

/**
 * Creates forms with `count` submissions of 29 days (older spam would be removed), some spam, some archived and some unread, all in the search index;
 * deliveries; and 200 flags in three environments with their history and reads.
 */
export async function fillDashboard(data: string, count: number): Promise<Filled> {
  const paths = new Map<string, string>();
  for (const form of Object.keys(FORMS)) paths.set(form, await createForm(data, form));
  const [flags = {}, ...others] = await createProject(data, "shop", ENVIRONMENTS.join(","));
  for (const environment of ENVIRONMENTS) await createFlags(data, "shop", environment, FLAGS);
  const ids = await importSubmissions(data, count);
  await deliverSome(data, [flags, ...others]);
  return { data, post: paths.get("contact")!, flags, ...ids };
}

/** Straight through the driver of the database, without a sync: over HTTP it would take an hour. */
async function importSubmissions(data: string, count: number) {
  const { connect } = await import("../../../src/store/sqlite/connection.ts");
  const { importSubmissions: insert } = await import("../../../src/store/sql/submissions/import.ts");
  const { runWork } = await import("../../../src/store/sqlite/run.ts");
  const { updateIndex } = await import("../../../src/store/sqlite/search-index.ts");
  const { close } = await import("../../../src/store/sqlite/statements.ts");
  const db = connect(join(data, "formflag.db"));
  db.run("PRAGMA synchronous = OFF");
  db.run("PRAGMA cache_size = -200000");
  const keys = new Map(
    db
      .query<{ slug: string; key: string }, []>("SELECT slug, key FROM forms")
      .all()
      .map(({ slug, key }) => [slug, key]),
  );
  const now = Date.now();
  const of = { newest: "", middle: "" };
  for (let done = 0; done < count; done += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - done) }, (_, index) => {
      const at = now - DAYS * DAY_MS * (1 - (done + index) / count);
      return { form: formOf(draw()), submission: submissionAt(Math.floor(at), done + index) };
    });
    db.transaction(() => {
      for (const [form, group] of Map.groupBy(batch, (each) => each.form))
        runWork(
          db,
          insert(
            keys.get(form)!,
            group.map(({ submission }) => submission),
          ),
        );
      while (updateIndex(db));
    })();
    const shown = batch.filter(({ form, submission }) => form === "contact" && submission.state === "inbox");
    of.newest = shown.at(-10)!.submission.id;
    if (done <= count / 2) of.middle = shown[0]!.submission.id;
  }
  close(db);
  return of;
}

function formOf(share: number): string {
  let sum = 0;
  for (const [form, part] of Object.entries(FORMS)) if ((sum += part) > share) return form;
  return "contact";
}

const NAMES = ["Ann", "Bob", "Chloé", "Dmitri", "Emre", "Fatima", "Grace", "Hiro", "İpek", "Jürgen"];

function submissionAt(createdAt: number, index: number): ImportedSubmission {
  const name = `${NAMES[index % NAMES.length]} ${word(1000)}`;
  const message = Array.from({ length: 12 }, () => word(20_000)).join(" ");
  const data = JSON.stringify({ name, email: `person${index % 50_000}@example.com`, message });
  const id = Bun.randomUUIDv7("hex", createdAt);
  const chance = draw();
  const common = { id, data, createdAt, meta: null };
  if (chance < 0.1) return { ...common, state: "spam", spam: "word", read: false };
  return { ...common, state: chance < 0.3 ? "archived" : "inbox", spam: null, read: chance < 0.95 };
}

/** One of so many words; the first are frequent, most are rare, as in a language. */
function word(count: number): string {
  return `w${Math.floor(count * draw() ** 3).toString(36)}`;
}

/** Numbers from 0 until 1, the same in each run (mulberry32). */
let seed = 1;
function draw(): number {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

/** Sends some deliveries, and reads each flag, which a server that stops records. */
async function deliverSome(data: string, environments: Record<string, string>[]): Promise<void> {
  const sink = await startLimit("sink", [], [], 1);
  const target = await addTarget(data, "support", `${sink.url}/hook`);
  await queueDeliveries(data, "support", target, DELIVERIES);
  const server = await startFormflag(data, { env: { FORMFLAG_TARGET_NETWORK: "127.0.0.0/8" } });
  for (const headers of environments) {
    const read = (path: string) => fetch(`${server.url}/api/v1/flags${path}`, { headers });
    const { flags } = (await (await read("")).json()) as { flags: { slug: string }[] };
    await Promise.all(flags.map(async ({ slug }) => (await read(`/${slug}`)).arrayBuffer()));
  }
  const queued = async () => {
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    return Number(/^formflag_deliveries_queued (\d+)/m.exec(metrics)?.[1]);
  };
  while ((await queued()) > 0) await Bun.sleep(100);
  await Promise.all([server.stop(), sink.stop()]);
}
