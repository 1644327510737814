import { type Metric, Registry } from "prom-client";
import type { App } from "../../app.ts";
import type { Distribution } from "../../base/metrics.ts";
import { type Backups, NO_BACKUPS } from "../../maintenance/status.ts";
import { type ThreadValues, sumOf } from "./metrics.ts";

/** The server that this one follows, the seconds since it was heard if it is away, and whether readers are answered. */
export type Followed = { following: string; behind: number; waiting: number; isReady: boolean };

/** How long the size of all stored files is cached, in milliseconds: the query reads every row. */
const FILE_BYTES_TTL = 60_000;

/** Queued deliveries that a scrape counts. */
const MAX_QUEUED_COUNTED = 100_000;

type Value = { value: number; labels?: Record<string, string | number>; metricName?: string };

type Add = (
  type: "counter" | "gauge" | "histogram",
  name: string,
  help: string,
  read: () => Value[] | Promise<Value[]>,
) => void;

const one = (value: number): Value[] => [{ value }];

/** The metrics are read at each scrape, so that counting costs a request almost nothing. */
export function createRegistry(
  app: App,
  {
    build,
    backups = () => NO_BACKUPS,
    followed = null,
  }: {
    build: { version: string; commit: string };
    backups?: () => Backups;
    followed?: (() => Followed) | null;
  },
  threads: () => ThreadValues[],
): Registry {
  const registry = new Registry();
  const add: Add = (type, name, help, read) => {
    const get = async () => ({ name, help, type, values: await read(), aggregator: "sum" });
    registry.registerMetric({ name, get } as unknown as Metric);
  };
  add("gauge", "formflag_build_info", "The version that runs.", () => [{ value: 1, labels: build }]);
  addRequests(add, threads);
  addReads(add, app, threads);
  if (followed) addFollowed(add, followed);
  else {
    addStore(add, app);
    addBackups(add, backups);
  }
  addProcess(add);
  return registry;
}

/** The sum of a number of each thread. */
function total(
  threads: ThreadValues[],
  numberOf: (each: ThreadValues) => number,
  labels?: Record<string, string>,
): Value[] {
  const value = threads.reduce((sum, each) => sum + numberOf(each), 0);
  return [labels ? { labels, value } : { value }];
}

/** Requests, and what became of them. */
function addRequests(add: Add, threads: () => ThreadValues[]): void {
  add(
    "histogram",
    "formflag_http_request_duration_seconds",
    "Time until an answer began, by service, route and status.",
    () =>
      sumOf(threads()).requests.flatMap(({ labels, seconds }) =>
        spread("formflag_http_request_duration_seconds", seconds, labels),
      ),
  );
  add("counter", "formflag_refused_total", "Requests refused or failed, by service and reason.", () =>
    sumOf(threads()).refusals.map(({ labels, count }) => ({ labels, value: count })),
  );
  add("counter", "formflag_spam_total", "Submissions that are spam, stored or refused, by reason.", () =>
    sumOf(threads()).spamReasons.map(({ labels, count }) => ({ labels, value: count })),
  );
  add(
    "counter",
    "formflag_delivery_attempts_total",
    "Attempts to deliver submissions, by kind and what became of the delivery.",
    () => sumOf(threads()).deliveries.map(({ labels, count }) => ({ labels, value: count })),
  );
  add("counter", "formflag_feedback_total", "Feedback about previews that was stored.", () =>
    total(threads(), ({ feedback }) => feedback),
  );
  add(
    "counter",
    "formflag_forwarded_ignored_total",
    "Requests with an X-Forwarded-For that no trusted proxy sent.",
    () => total(threads(), ({ forwarded }) => forwarded),
  );
}

/** Readers of flags, and how fresh their answers are. */
function addReads(add: Add, app: App, threads: () => ThreadValues[]): void {
  add("gauge", "formflag_sse_clients", "Open streams of change events.", () =>
    total(threads(), ({ streams }) => streams),
  );

  add("counter", "formflag_looks_total", "Looks at the database for changes, by result.", () => {
    return [
      ...total(threads(), ({ versionReads }) => versionReads.succeeded, { result: "succeeded" }),
      ...total(threads(), ({ versionReads }) => versionReads.failed, { result: "failed" }),
    ];
  });
  add(
    "gauge",
    "formflag_stale_seconds",
    "Age of what is answered from memory while the database does not answer; else 0.",
    () => one(app.watch.staleFor() / 1000),
  );
}

/** How far a server that follows another one is behind it. */
function addFollowed(add: Add, followed: () => Followed): void {
  add(
    "gauge",
    "formflag_following_behind_seconds",
    "Time since the source was heard, if it is away; else 0.",
    () => [{ labels: { source: followed().following }, value: followed().behind }],
  );
  add("gauge", "formflag_following_waiting_bytes", "Bytes of counts that wait for the source.", () =>
    one(followed().waiting),
  );
}

/** Writes, and what is stored. */
function addStore(add: Add, app: App): void {
  add("gauge", "formflag_deliveries_queued", "Deliveries that are queued, at most 100,000.", async () =>
    one(await app.store.deliveries.countQueued(MAX_QUEUED_COUNTED)),
  );
  add("gauge", "formflag_write_queue_writes", "Writes that wait for the disk.", async () =>
    one((await app.store.stats()).queued),
  );
  add("gauge", "formflag_write_queue_bytes", "Approximate bytes of those writes.", async () =>
    one((await app.store.stats()).queuedBytes),
  );
  add("histogram", "formflag_commit_duration_seconds", "Time a commit took.", async () =>
    spread("formflag_commit_duration_seconds", (await app.store.stats()).commitSeconds),
  );
  add("histogram", "formflag_commit_writes", "Writes that one commit took together.", async () =>
    spread("formflag_commit_writes", (await app.store.stats()).commitWrites),
  );
  let files = { bytes: 0, until: 0 };
  add("gauge", "formflag_stored_bytes", "Bytes of the database and of all uploaded files.", async () => {
    if (app.now() >= files.until)
      files = { bytes: await app.store.submissions.fileBytes(), until: app.now() + FILE_BYTES_TTL };
    return [
      { labels: { kind: "database" }, value: (await app.store.stats()).bytes },
      { labels: { kind: "files" }, value: files.bytes },
    ];
  });
}

function addBackups(add: Add, backups: () => Backups): void {
  const lastBackup = (value: (last: NonNullable<Backups["last"]>) => number) => () => {
    const { last } = backups();
    return last === null ? [] : one(value(last));
  };
  add(
    "gauge",
    "formflag_backup_last_success_timestamp_seconds",
    "When the last backup was made, since 1970.",
    lastBackup(({ at }) => Date.parse(at) / 1000),
  );
  add(
    "gauge",
    "formflag_backup_last_size_bytes",
    "Size of the last backup.",
    lastBackup(({ bytes }) => bytes),
  );
  add(
    "gauge",
    "formflag_backup_arrived_timestamp_seconds",
    "When the last backup that arrived in the bucket was made, since 1970.",
    () => {
      const { arrived } = backups();
      return arrived ? one(Date.parse(arrived.at) / 1000) : [];
    },
  );
  add("gauge", "formflag_backup_failing", "1 if the last backup of the server failed, else 0.", () =>
    one(backups().failure === null ? 0 : 1),
  );
}

function addProcess(add: Add): void {
  add("gauge", "process_resident_memory_bytes", "Resident memory.", residentMemory);
  add("gauge", "process_start_time_seconds", "When the process started, since 1970.", () =>
    one(performance.timeOrigin / 1000),
  );
  add("counter", "process_cpu_seconds_total", "Processor time, user and system.", () => {
    const { user, system } = process.cpuUsage();
    return one((user + system) / 1e6);
  });
}

/** Empty if memory cannot be read: Linux has it in a file, and at the limit of open files the other metrics matter most. */
function residentMemory(): Value[] {
  try {
    return [{ value: process.memoryUsage.rss() }];
  } catch {
    return [];
  }
}

/** A distribution as cumulative buckets with their sum and count. */
function spread(
  name: string,
  { bounds, counts, sum }: Distribution,
  labels: Record<string, string> = {},
): Value[] {
  let count = 0;
  const buckets = counts.map((each, index) => {
    count += each;
    const le = bounds[index] ?? "+Inf";
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
