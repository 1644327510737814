import { HOUR_MS } from "../../../src/base/days.ts";
import { sweep } from "../../../src/forms/keeping/removal.ts";
import { requireConfirmed, requireWelcomed } from "./opt-ins.ts";
import { requireJudged } from "./checks.ts";
import { requireApproved } from "./approvals.ts";
import { requireExperiments } from "./rollouts/experiment-invariants.ts";
import { requireFillings } from "./rollouts/fillings.ts";
import { requireLearned } from "./learned-invariants.ts";
import { requireNeeds } from "./rollouts/needs.ts";
import { requireRollouts } from "./rollouts/rollout-invariants.ts";
import { requireAudit } from "./walk.ts";
import { FLEETING, MOST, type Ledger } from "./workload.ts";
import type { World } from "./world.ts";

/** Checks what has to hold once every fault has ended and every retry is over. */
export async function requireSound(world: World, ledger: Ledger): Promise<void> {
  const { app } = world.servers[0]!;
  for (const fault of await app.store.check()) world.violated(`check: ${JSON.stringify(fault)}`);
  for (const slug of await app.store.submissions.wrongCounts())
    world.violated(`the counts of ${slug} are wrong`);
  await requireSubmissions(world, ledger);
  requireDeliveries(world, ledger);
  requireJudged(world, ledger.marked);
  requireConfirmed(world);
  requireWelcomed(world);
  requireLearned(world);
  requireChangeEvents(world);
  await requireFiles(world);
  requireHistory(world, ledger);
  requireApproved(world, ledger.approvals);
  requireRollouts(world);
  requireExperiments(world, ledger.visits);
  await requireFillings(world, ledger.joining);
  await requireNeeds(world);
  await requireAudit(world);
}

type Row = { id: string; form: string; data: string; state: number; createdAt: number };

function submissionsIn({ db }: World): Row[] {
  return db
    .query<Row, []>(
      `SELECT lower(hex(s.id)) AS id, f.slug AS form, s.data, s.state, s.created_at AS createdAt
       FROM submissions s JOIN forms f ON f.id = s.form_id ORDER BY s.seq`,
    )
    .all();
}

const plain = (id: string) => id.replaceAll("-", "");

/** What was accepted is stored once, in every list; what was refused is not; what was purged is nowhere. */
async function requireSubmissions(world: World, ledger: Ledger): Promise<void> {
  const rows = submissionsIn(world);
  const byMarker = Map.groupBy(rows, ({ data }) => (JSON.parse(data) as { marker: string }).marker);
  const { app } = world.servers[0]!;
  const listed = new Set<string>();
  for (const form of await app.store.forms.list()) {
    const { submissions } = await app.store.submissions.list(form.key, 10_000, null);
    for (const { id } of submissions) listed.add(id);
    const count = await app.store.submissions.count(form.key);
    if (count !== submissions.length)
      world.violated(`${form.slug} counts ${count} and lists ${submissions.length}`);
  }
  for (const [marker, sent] of ledger.sent) {
    const stored = byMarker.get(marker) ?? [];
    const { status, ids } = sent;
    if (sent.form === FLEETING) {
      if (stored.length > 0) world.violated(`${marker} is stored for longer than its form keeps it`);
      continue;
    }
    const isPurged = ledger.purging.some(({ name, until }) => name === sent.name && until >= sent.sentAt);
    if (stored.length > 1) world.violated(`${marker} is stored ${stored.length} times`);
    if (status === "refused" && stored.length > 0) world.violated(`${marker} was refused, and is stored`);
    // Its key counts no more once a submission was deleted.
    const left = [...ids].filter((id) => !ledger.deleted.has(id));
    if (left.length > 1) world.violated(`${marker} was accepted as ${left.join(" and ")}`);
    for (const id of ids) {
      if (ledger.deleted.has(id) || isPurged) continue;
      if (!stored.some((row) => row.id === plain(id)))
        world.violated(`${marker} was accepted as ${id}, and is not stored`);
      else if (!listed.has(id)) world.violated(`${marker} is stored as ${id}, and not listed`);
    }
    for (const { name, at } of ledger.purged)
      if (sent.name === name && sent.acceptedAt < at && stored.length > 0)
        world.violated(`${marker} was purged, and is stored`);
  }
  // What people move out of the spam folder is not counted against the limit.
  const moved = [...ledger.marked].length;
  const taken = rows.filter(({ form, state }) => form === "limited" && state !== 1).length;
  if (taken > MOST + moved) world.violated(`limited has taken ${taken}`);
}

type DeliveryRow = {
  id: string;
  /** Null for notices. */
  submission: string | null;
  status: number;
  attempts: number;
  code: number | null;
  kind: string;
  url: string | null;
};

/** The answer of a receiver that wants nothing any more. */
const GONE = 410;

/** Everything reached its receiver, but for what was taken back. */
function requireDeliveries(world: World, ledger: Ledger): void {
  const rows = world.db
    .query<DeliveryRow, []>(
      `SELECT lower(hex(d.id)) AS id, lower(hex(s.id)) AS submission, d.status, d.attempts, d.code, d.kind, t.url
       FROM deliveries d LEFT JOIN submissions s ON s.seq = d.submission_seq LEFT JOIN targets t ON t.id = d.target`,
    )
    .all();
  const { receipts } = world.receivers;
  const accepted = new Set(receipts.filter((each) => each.accepted).map(({ id }) => plain(id)));
  for (const row of rows) {
    if (row.status === 0) world.violated(`delivery ${row.id} is still queued: ${JSON.stringify(row)}`);
    const isPosted = row.kind === "webhook" && row.url?.startsWith("https:") === true;
    if (row.status === 1 && isPosted && !accepted.has(row.id))
      world.violated(`delivery ${row.id} was never received`);
    if (row.status === 2 && row.attempts < 10 && row.code !== GONE)
      world.violated(`delivery ${row.id} was given up after ${row.attempts}`);
    const isSteady = row.url?.endsWith("/steady") === true;
    if (row.status === 3 && isSteady && !ledger.marked.has(dashed(row.submission ?? "")))
      world.violated(`delivery ${row.id} was cancelled`);
  }
  for (const [url, at] of world.receivers.goneAt) {
    const { enabled } = world.db
      .query<{ enabled: number }, [string]>("SELECT enabled FROM targets WHERE url = ?")
      .get(url)!;
    // What goes wrong may keep a server from it.
    if (world.troubleAt === -Infinity && (world.enabled.get(url) ?? 0) < at && enabled === 1)
      world.violated(`${url} wants nothing any more, and is not switched off`);
  }
  const delivered = Map.groupBy(rows, ({ submission }) => submission);
  for (const { id, form, state } of submissionsIn(world)) {
    if (state === 1 || (form !== "contact" && form !== "limited") || ledger.marked.has(dashed(id))) continue;
    const isBegun = delivered.get(id)?.some(({ url }) => url?.endsWith("/steady"));
    if (!isBegun) world.violated(`submission ${id} has no delivery`);
  }
}

type EventRow = { id: string; attempts: number; endedAt: number | null; error: string | null };

/** Every event of a proposed change was received under its id, and no proposal is open beyond its time. */
function requireChangeEvents({ db, receivers, scheduler, violated }: World): void {
  const accepted = new Set(receivers.receipts.filter((each) => each.accepted).map(({ id }) => id));
  const rows = db.query<EventRow, []>(
    "SELECT id, attempts, ended_at AS endedAt, error FROM change_deliveries",
  );
  for (const row of rows.all())
    if (row.endedAt === null || !accepted.has(row.id))
      violated(`the event ${row.id} was not received: ${JSON.stringify(row)}`);
  const open = db
    .query<{ id: string }, [number]>("SELECT id FROM proposals WHERE status = 'open' AND expires_at < ?")
    .all(scheduler.now() - 7 * HOUR_MS);
  for (const { id } of open) violated(`the proposal ${id} is open beyond its time`);
}

const dashed = (id: string) => id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

/** Each file has its row, each row its file, and no note is left. */
async function requireFiles(world: World): Promise<void> {
  await sweep(world.servers[0]!.app);
  const keys = world.db.query<{ key: string }, []>("SELECT blob_key AS key FROM files").all();
  const referred = new Set(keys.map(({ key }) => key));
  for (const key of referred) if (!world.files.kept.has(key)) world.violated(`the file ${key} is missing`);
  for (const key of world.files.kept.keys())
    if (!referred.has(key)) world.violated(`the file ${key} is nobody's`);
  for (const id of world.files.notes.keys()) world.violated(`the note of ${id} is left`);
}

type Change = {
  revision: number;
  project: string;
  kind: string;
  environment: string | null;
  name: string;
  at: number;
  after: string | null;
};

const isOf = (key: string, project: string, name: string) =>
  key.startsWith(`${project} `) && key.endsWith(` ${name}`);

/** The history, replayed, is what flags are now; and what was scheduled was made once. */
function requireHistory(world: World, ledger: Ledger): void {
  const changes = world.db
    .query<Change, []>(
      `SELECT c.revision, p.slug AS project, c.kind, c.environment, c.name, c.at, c.after FROM changes c
       JOIN projects p ON p.id = c.project_id ORDER BY c.revision`,
    )
    .all();
  const replayed = new Map<string, unknown>();
  for (const { project, kind, environment, name, after } of changes) {
    if (kind !== "flag") continue;
    // A flag that is deleted leaves nothing to one of its name.
    const ended = environment === null ? [...replayed.keys()] : [];
    for (const key of ended) if (isOf(key, project, name)) replayed.delete(key);
    const payload = (JSON.parse(after ?? "null") as { payload?: unknown } | null)?.payload;
    replayed.set(`${project} ${environment} ${name}`, payload ?? null);
  }
  const now = world.db
    .query<{ project: string; environment: string; slug: string; payload: string | null }, []>(
      `SELECT p.slug AS project, e.slug AS environment, f.slug, v.payload FROM flag_values v
       JOIN flags f ON f.id = v.flag_id JOIN environments e ON e.id = v.environment_id
       JOIN projects p ON p.id = e.project_id
       WHERE e.slug <> 'extra'`,
    )
    .all();
  for (const { project, environment, slug, payload } of now) {
    const was = replayed.get(`${project} ${environment} ${slug}`) ?? null;
    if (JSON.stringify(was) !== (payload ?? "null"))
      world.violated(
        `${project}/${environment}/${slug} is ${payload}, and was changed to ${JSON.stringify(was)}`,
      );
  }
  const left = world.db
    .query<{ count: number }, []>("SELECT count(*) AS count FROM scheduled_changes")
    .get()!;
  if (left.count > 0) world.violated(`${left.count} scheduled changes were not made`);
  for (const { flag, at, patch } of ledger.scheduled.values()) {
    const made = changes.filter(
      (each) =>
        each.name === flag && each.after?.includes(`"${patch}"`) && each.kind === "flag" && each.at === at,
    );
    if (made.length !== 1) world.violated(`the change of ${flag} to ${patch} was made ${made.length} times`);
  }
}
