import type { Store } from "../../app.ts";
import type { Garbage } from "../../blobs/notes.ts";
import { SUBMISSION_STATES } from "../../forms/submission-state.ts";
import { findAged, scanAllSubmissions } from "./erasure.ts";
import { decide } from "./intake.ts";
import {
  countSubmissions,
  countUnread,
  findWrongCounts,
  listCounts,
  sumStored,
} from "./submission-counts.ts";
import { hasForeignIds } from "./import.ts";
import { countFileBytes, listFiles, listLoose, unreferencedFiles } from "./submission-files.ts";
import { listMarks } from "./submission-marks.ts";
import {
  findArrival,
  listLastArrivals,
  newestOfForms,
  newestSubmission,
  submissionsBeside,
} from "./submission-order.ts";
import { type FindHits, scanSubmissions } from "./submission-scan.ts";
import { findSubmission, listSubmissions } from "./submissions.ts";
import { type Runner, WEIGHT } from "./writes.ts";

/** What a driver does in its own way. */
type Own = "insert" | "updateIndex" | "indexBacklog" | "rewrite";

/** The slice of submissions, but for what each driver does in its own way. */
export function submissionSlice(
  { read, write }: Runner,
  findHits: FindHits,
): Omit<Store["submissions"], Own> {
  return {
    list: (form, limit, before, states) => read(() => listSubmissions(form, limit, before, states)),
    scan: (form, scan) => read(() => scanSubmissions(findHits, form, scan)),
    find: (id) => read(() => findSubmission(id)),
    beside: (form, id, direction, states, limit) =>
      read(() => submissionsBeside(form, id, direction, states, limit)),
    newestOf: (query) => read(() => newestOfForms(query)),
    mark: (ids, mark, deliveries, by) =>
      write("markSubmissions", [ids, mark, deliveries, by], WEIGHT * ids.length),
    marks: (id) => read(() => listMarks(id)),
    count: (form, states) => read(() => countSubmissions(form, states)),
    counts: () => read(listCounts),
    stored: (formKey, spans) => read(() => sumStored(formKey, spans)),
    unread: () => read(countUnread),
    wrongCounts: () => read(findWrongCounts),
    recount: () => write("recountSubmissions", []),
    foresee: (formKey, now, conditions) => read(() => decide(formKey, now, conditions)),
    clearExpired: (now, limit) => write("clearExpired", [now, limit]),
    delete: (ids, states = SUBMISSION_STATES) =>
      write("deleteSubmissions", [ids, states], WEIGHT + 40 * ids.length),
    aged: (query) => read(() => findAged(query)),
    deleteAged: (aged, ids) => write("deleteAged", [aged, ids]),
    scanAll: (after, limit) => read(() => scanAllSubmissions(after, limit)),
    purge: (submissions, replies) => write("purgeSubmissions", [submissions, replies]),
    clearDeleted: (limit) => write("clearDeleted", [limit]),
    files: (after, limit) => read(() => listFiles(after, limit)),
    fileBytes: () => read(countFileBytes),
    unreferenced: (keys) => read(() => unreferencedFiles(keys)),
    import(formKey, submissions) {
      const bytes = submissions.reduce((sum, { data }) => sum + data.length * 2, 0);
      return write("importSubmissions", [formKey, submissions], WEIGHT + bytes);
    },
    newestId: (below) => read(() => newestSubmission(below)),
    hasForeignIds: (formKey) => read(() => hasForeignIds(formKey)),
    arrival: (id) => read(() => findArrival(id)),
    lastArrivals: (limit) => read(() => listLastArrivals(limit)),
  };
}

/** The slice of files that no row needs any more. */
export function garbageSlice({ read, write }: Runner): { garbage: Garbage } {
  return {
    garbage: {
      list: (limit) => read(() => listLoose(limit)),
      forget: (keys) => write("forgetLoose", [keys]),
    },
  };
}
