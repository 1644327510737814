import type { Author } from "../../../access/caller.ts";
import type { ImportedSubmission } from "../../../forms/store.ts";
import { SUBMISSION_STATES, type SubmissionState } from "../../../forms/submission-state.ts";
import type { Scan } from "../../../forms/inbox/scan.ts";
import type { Aged } from "../../../forms/store.ts";
import { deleteAged, findAged, purgeSubmissions, scanAllSubmissions } from "./removals.ts";
import { hasForeignIds, importSubmissions } from "./import.ts";
import { clearExpired, decide } from "./intake.ts";
import { type Forget, clearDeleted, deleteSubmissions } from "./removals.ts";
import { WEIGHT } from "../bind.ts";
import {
  contentVersion,
  countSubmissions,
  countUnread,
  findOldestUnread,
  findWrongCounts,
  listCounts,
  listFirstAnswers,
  listSpamReasons,
  recountSubmissions,
  sumBetween,
  sumStored,
  sumStoredIn,
} from "./counts.ts";
import { countFileBytes, listFiles, unreferencedFiles } from "./files.ts";
import type { NewAnswer } from "../../../forms/inbox/handling-store.ts";
import {
  answerSubmission,
  assignSubmissions,
  countUnreadOf,
  labelSubmissions,
  listEvents,
  listLabels,
  noteSubmission,
} from "./handling.ts";
import { listMarks, markSubmissions } from "./marks.ts";
import type * as OptIn from "./opt-in.ts";
import {
  findArrival,
  listLastArrivals,
  newestOfForms,
  newestSubmission,
  submissionsBeside,
} from "./order.ts";
import { type FindHits, scanSubmissions } from "./scan.ts";
import { findRawSubmission, findSubmission, listSubmissions, standingOfSubmissions } from "./submissions.ts";

/** Loaded with the first sender who confirms. */
const optIn = () => require("./opt-in.ts") as typeof OptIn;

/** The slice of submissions, but for what each driver does in its own way. */
export function submissionSlice(findHits: FindHits, forget: Forget) {
  return {
    reads: {
      list: listSubmissions,
      scan: (form: string, scan: Scan) => scanSubmissions(findHits, form, scan),
      find: findSubmission,
      findRaw: findRawSubmission,
      standing: standingOfSubmissions,
      beside: submissionsBeside,
      newestOf: newestOfForms,
      marks: listMarks,
      events: listEvents,
      labels: listLabels,
      count: countSubmissions,
      contentVersion,
      counts: listCounts,
      stored: sumStored,
      storedBetween: sumBetween,
      spamReasons: listSpamReasons,
      firstAnswers: listFirstAnswers,
      storedIn: sumStoredIn,
      oldestUnread: findOldestUnread,
      unread: countUnread,
      unreadOf: countUnreadOf,
      wrongCounts: findWrongCounts,
      predict: decide,
      aged: findAged,
      scanAll: scanAllSubmissions,
      files: listFiles,
      fileBytes: countFileBytes,
      unreferenced: unreferencedFiles,
      newestId: newestSubmission,
      hasForeignIds,
      arrival: findArrival,
      lastArrivals: listLastArrivals,
      awaited: (...args: Parameters<typeof OptIn.findAwaited>) => optIn().findAwaited(...args),
    },
    writes: submissionWrites(forget),
    weights: {
      mark: ({ length }: readonly string[]) => WEIGHT * length,
      assign: ({ length }: readonly string[]) => WEIGHT * length,
      label: ({ length }: readonly string[]) => WEIGHT * length,
      note: (_id: string, text: string) => WEIGHT + text.length,
      answer: (_id: string, { text }: NewAnswer) => WEIGHT + text.length,
      delete: ({ length }: readonly string[]) => WEIGHT + 40 * length,
      import: (_form: string, submissions: readonly ImportedSubmission[]) =>
        submissions.reduce((sum, { data }) => sum + data.length * 2, WEIGHT),
    },
  };
}

export function submissionWrites(forget: Forget) {
  return {
    mark: markSubmissions,
    confirm: (...args: Parameters<typeof OptIn.confirmSubmission>) => optIn().confirmSubmission(...args),
    unsubscribe: (...args: Parameters<typeof OptIn.unsubscribe>) => optIn().unsubscribe(...args),
    assign: assignSubmissions,
    label: labelSubmissions,
    note: noteSubmission,
    answer: answerSubmission,
    recount: recountSubmissions,
    clearExpired,
    import: importSubmissions,
    delete: (
      ids: readonly string[],
      states: readonly SubmissionState[] = SUBMISSION_STATES,
      by: Author | null = null,
    ) => deleteSubmissions(forget, ids, states, by),
    deleteAged: (aged: Aged, ids: readonly string[], by: Author | null = null) =>
      deleteAged(forget, aged, ids, by),
    purge: (
      submissions: readonly { place: number; id: string }[],
      replies: readonly string[],
      by: Author | null = null,
    ) => purgeSubmissions(forget, submissions, replies, by),
    clearDeleted: (limit: number) => clearDeleted(forget, limit),
  };
}
