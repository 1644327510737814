import { auditExpiryJob, expiredInvitationsJob, expiredSessionsJob } from "../../src/access/audit/expiry.ts";
import type { App } from "../../src/app.ts";
import { isShared } from "../../src/base/changes.ts";
import { type Job, type Jobs, startJobs } from "../../src/base/jobs.ts";
import {
  proposalDeliveriesJob,
  expiredProposalsJob,
} from "../../src/documents/changes/proposal-deliveries.ts";
import { EXPOSURES, experimentJobs } from "../../src/experiments/jobs.ts";
import { flagNoticesJob } from "../../src/flags/notice-job.ts";
import { tallyExpiryJob } from "../../src/flags/reads/read-tally.ts";
import { scheduleJob } from "../../src/flags/schedule/schedule-job.ts";
import { searchJob } from "../../src/forms/inbox/search-index.ts";
import { expiryJob, removalJob } from "../../src/forms/keeping/removal.ts";
import { retentionJob } from "../../src/forms/keeping/retention.ts";
import { LEARNING_JOB, learningJob } from "../../src/forms/spam/learning-job.ts";
import type { Storage } from "../../src/storage.ts";
import { filesJobs } from "./files.ts";
import { clock } from "../../src/base/clock.ts";
import type { Telemetry } from "../../src/delivery/trace.ts";
import { blobKey } from "../../src/blobs/key.ts";
import type { DeliveryFiles } from "../../src/delivery/dispatch.ts";
import { createFailureLog } from "../../src/delivery/failures.ts";
import { type Outbox, createOutbox } from "../../src/delivery/outbox.ts";
import type { Outgoing } from "../../src/delivery/outgoing.ts";
import type * as Words from "../../src/flags/rules/difference-words.ts";
import type * as Titles from "../../src/forms/inbox/titles.ts";
import { createFileLinks } from "../../src/forms/inbox/file-links.ts";
import { once } from "../../src/base/once.ts";
import { isAutomatic } from "../../src/delivery/delivery.ts";
import { createSpamLinks } from "../../src/forms/inbox/spam-links.ts";
import { changePath, noticePages } from "../../src/http/dashboard/notice-pages.ts";
import { linkBase } from "../../src/http/forms/links.ts";
import type { Metrics } from "../../src/http/operation/metrics.ts";
import { pageLink, submissionLink } from "../../src/http/paths.ts";
import type { ServeConfig } from "./config.ts";
import { linkBaseOf } from "./dashboard-config.ts";
import type { Log } from "./log.ts";

/** Interval at which jobs check an idle shared database for changes of other servers, in milliseconds. */
const IDLE_POLL = 60_000;

/** How long the jobs of every hour wait after a start, in milliseconds: they remove what has ended, for which others need not wait. */
const BEFORE_HOURLY = 60_000;

/** Starts the background work of a server, `more` jobs among it. Returns a function that ends it. */
export function startWork(
  app: App,
  { storage, ...delivering }: Delivering & { storage: Storage },
  more: readonly Job[],
): () => Promise<void> {
  const { config, outgoing, log } = delivering;
  const warn = (text: string) => log.line("warn", text);
  let jobs: Jobs | undefined;
  const outbox = openOutbox(app, delivering, () => jobs?.wake(outbox.job.name));
  app.onQueued = outbox.wake;
  const start = (jobs: Job[]) =>
    startJobs(jobs, app.now, log.error, isShared(app.store) ? IDLE_POLL : 0, (text) =>
      log.line("info", text),
    );
  const { wake, stop } = (jobs = start([
    scheduleJob(app, warn),
    ...experimentJobs(app, warn),
    outbox.job,
    removalJob(app, (unfinished) => warn(`removed ${unfinished} files of submissions that a crash cut off`)),
    expiryJob(app),
    retentionJob(app, (text) => log.line("info", text)),
    searchJob(app),
    learningJob(app),
    expiredProposalsJob(app),
    flagNoticesJob(app, () => outbox.wake()),
    proposalDeliveriesJob(app, {
      outgoing,
      retryDelays: config.retryDelays,
      pageOf: changePages(config),
      report: warn,
    }),
    ...(storage.shared === null ? [] : filesJobs(storage.shared.files, app.now)),
    ...more,
  ]));
  let hourly: Jobs | undefined;
  const timer = clock.after(BEFORE_HOURLY, () => {
    hourly = start([
      expiredSessionsJob(app),
      expiredInvitationsJob(app),
      auditExpiryJob(app, config.audit.days),
      tallyExpiryJob(app),
    ]);
  });
  app.watch.onChange(() => wake());
  app.onMarked = () => wake(LEARNING_JOB);
  app.measuring.onNoted = () => wake(EXPOSURES);
  const stopListening = app.store.servers?.listen(() => wake());
  return async () => {
    stopListening?.();
    outbox.stop();
    timer.close();
    await Promise.all([stop(), hourly?.stop()]);
  };
}

/**
 * Returns the holder of a server's leases. The one server of a data directory keeps its leases across a restart; servers of
 * a shared database have a holder each, and the leases of a killed one expire.
 */
const holderOf = ({ store }: App): string => (isShared(store) ? clock.uuid() : "local");

/** Dependencies of sending. */
type Delivering = {
  config: ServeConfig;
  outgoing: () => Promise<Outgoing>;
  metrics: Metrics;
  log: Log;
  telemetry: Telemetry | null;
};

/** Signed links to files, and links to a submission: under the address of the forms, and that of the dashboard. */
function filesOf(app: App, config: ServeConfig): DeliveryFiles {
  const base = linkBase(config.publicUrl, config.basePath);
  const spam = createSpamLinks(app, base);
  // Loaded with the first mail that has such a link.
  const optIn = once(async () =>
    (await import("../../src/forms/opt-in/links.ts")).createOptInLinks(app, base),
  );
  const dashboard = linkBaseOf(config) ?? config.basePath;
  return {
    url: createFileLinks(app, base).url,
    open: (submission, position) => app.blobs.open(blobKey(submission, position)),
    links: async (form, submission) => ({
      page: config.dashboard ? submissionLink(dashboard, form, submission) : null,
      spam: await spam.url(submission),
    }),
    optIn:
      config.publicUrl === null
        ? null
        : {
            confirmUrl: async (...args) => (await optIn()).confirmUrl(...args),
            unsubscribeUrl: async (...args) => (await optIn()).unsubscribeUrl(...args),
          },
  };
}

/** Only a message about a submission loads how it is titled. */
const titleOf: typeof Titles.titleOfContent = (...args) =>
  (require("../../src/forms/inbox/titles.ts") as typeof Titles).titleOfContent(...args);

/** Only a notice about rules loads how to say them. */
const inWords: typeof Words.ruleInWords = (...args) =>
  (require("../../src/flags/rules/difference-words.ts") as typeof Words).ruleInWords(...args);

/** The address of a path of the dashboard; null if the server has none, or does not know its address. */
function pageAt(config: ServeConfig, path: string): string | null {
  const base = config.dashboard ? linkBaseOf(config) : null;
  return base === null ? null : pageLink(base, path);
}

/** The addresses of the pages of proposed changes. */
function changePages(config: ServeConfig): (project: string, change: string) => string | null {
  return (project, change) => pageAt(config, changePath(project, change));
}

/** The outbox of a server, which reports failures to its log, its metrics and its operator. */
function openOutbox(app: App, options: Delivering, wakeJob: () => void): Outbox {
  const { config, outgoing, metrics, log, telemetry } = options;
  const { retryDelays, alertMail } = config;
  const alert = async (owner: string, target: string, error: string, isSwitchedOff: boolean) => {
    if (alertMail === null) return;
    const { sendAlert } = await import("../../src/delivery/alert.ts");
    const alert = { to: alertMail, owner, target, error, isSwitchedOff };
    const attempt = await sendAlert(app, await outgoing(), alert);
    if (attempt !== null && attempt.outcome !== "delivered")
      log.line("warn", `the alert mail was not sent: ${attempt.error}`);
  };
  return createOutbox(
    app,
    {
      holder: holderOf(app),
      outgoing,
      retryDelays,
      files: filesOf(app, config),
      titleOf,
      inWords,
      pages: noticePages((path) => pageAt(config, path)),
      tracing: telemetry?.delivering ?? null,
      report: {
        attempted: metrics.delivered,
        tried: createFailureLog(app.now, log.line),
        error: log.error,
        failed(owner, { id, kind, target }, error, isSwitchedOff) {
          const what = isSwitchedOff ? `the target ${target} was switched off` : `delivery ${id} failed`;
          log.line("warn", `${what}: ${owner}, ${kind}: ${error}`);
          // Anyone can have replies sent to addresses that refuse them, so these are one target.
          const about = isAutomatic(kind)
            ? `automatic mail (${kind}) of ${owner}`
            : kind === "reply"
              ? `a reply of ${owner}`
              : target;
          void alert(owner, about, error, isSwitchedOff).catch(log.error);
        },
      },
    },
    wakeJob,
  );
}
