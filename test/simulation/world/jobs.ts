import {
  auditExpiryJob,
  expiredInvitationsJob,
  expiredSessionsJob,
} from "../../../src/access/audit/expiry.ts";
import type { App } from "../../../src/app.ts";
import type { Job } from "../../../src/base/jobs.ts";
import { HOUR_MS } from "../../../src/base/days.ts";
import type { Outbox } from "../../../src/delivery/outbox.ts";
import type { Outgoing } from "../../../src/delivery/outgoing.ts";
import {
  proposalDeliveriesJob,
  expiredProposalsJob,
} from "../../../src/documents/changes/proposal-deliveries.ts";
import { experimentJobs } from "../../../src/experiments/jobs.ts";
import { flagNoticesJob } from "../../../src/flags/notice-job.ts";
import { type NoteRead, createReads } from "../../../src/flags/reads/reads.ts";
import { tallyExpiryJob } from "../../../src/flags/reads/read-tally.ts";
import { scheduleJob } from "../../../src/flags/schedule/schedule-job.ts";
import { searchJob } from "../../../src/forms/inbox/search-index.ts";
import { learningJob } from "../../../src/forms/spam/learning-job.ts";
import { expiryJob, removalJob } from "../../../src/forms/keeping/removal.ts";
import { retentionJob } from "../../../src/forms/keeping/retention.ts";

/** Seconds between attempts: the default of the product, 75 hours in all. */
export const RETRY_DELAYS = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];

/** For how long entries of the audit log are kept, which is over before the simulation is. */
export const AUDIT_DAYS = 3;
/** Between two runs of a job at most while days pass. */
const SLOWEST_MS = 6 * HOUR_MS;

type Running = {
  outbox: Outbox;
  outgoing: () => Promise<Outgoing>;
  note: (text: string) => void;
  /** By how much jobs are slower than they are. */
  slowness: number;
};

/** All jobs of a server but those that work on its own disk: backups, the file of the audit log, uploads that were cut off. */
export function jobsOf(app: App, { outbox, outgoing, note, slowness }: Running): [Job[], NoteRead] {
  const reads = createReads(app.store);
  const jobs = [
    scheduleJob(app, note),
    outbox.job,
    removalJob(app),
    expiryJob(app),
    expiredSessionsJob(app),
    expiredInvitationsJob(app),
    retentionJob(app, note),
    searchJob(app),
    learningJob(app),
    ...reads.jobs,
    tallyExpiryJob(app),
    expiredProposalsJob(app),
    flagNoticesJob(app, outbox.wake),
    proposalDeliveriesJob(app, { outgoing, retryDelays: RETRY_DELAYS, pageOf: () => null, report: note }),
    auditExpiryJob(app, AUDIT_DAYS),
    ...experimentJobs(app, note),
  ];
  const slower = (job: Job): Job => ({
    ...job,
    every: Math.max(job.every, Math.min(job.every * slowness, SLOWEST_MS)),
  });
  return [jobs.map(slower), reads.note];
}
