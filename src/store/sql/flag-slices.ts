import type { Store } from "../../app.ts";
import { listCodeSlugs, listCodeUploads, packLists, pageCode } from "./code-references.ts";
import { countFeedback, pageFeedback } from "./feedback.ts";
import { listStatuses, pageHeads } from "./flag-overviews.ts";
import {
  findFlag,
  flagsOfEnvironment,
  listFlags,
  missingFlags,
  pageFlags,
  projectOfKeys,
  selectEnvironment,
} from "./flags.ts";
import { previewsOfEnvironment } from "./previews.ts";
import { listReads } from "./reads.ts";
import { type EnvironmentRow, environmentRow } from "./rows.ts";
import { findDue, findScheduled, nextScheduled, pageScheduled, upcomingChanges } from "./scheduled.ts";
import { findSegment, listSegments, pageSegments, segmentsOfEnvironment } from "./segments.ts";
import { readTallies, sumTallies } from "./tallies.ts";
import { type Runner, WEIGHT } from "./writes.ts";

const TALLY_WEIGHT = 200;

type FlagSlices = "flags" | "segments" | "scheduled" | "code" | "feedback" | "tallies";

/** The slices of flags and what belongs to them. */
export function flagSlices({ read, readAtOnce, write }: Runner): Pick<Store, FlagSlices> {
  const selectionOf = ({ id, revision, metadata }: EnvironmentRow) => ({
    revision,
    metadata,
    flags: () => read(() => flagsOfEnvironment(id)),
    previews: () => read(() => previewsOfEnvironment(id)),
    segments: () => read(() => segmentsOfEnvironment(id)),
  });
  return {
    flags: {
      list: (project, environment) => read(() => listFlags(project, environment)),
      page: (project, environment, options) => read(() => pageFlags(project, environment, options)),
      find: (where) => read(() => findFlag(where)),
      heads: (project, options) => read(() => pageHeads(project, options)),
      statuses: (project, slugs) => read(() => listStatuses(project, slugs)),
      async select(environmentKey) {
        const environment = await read(() => selectEnvironment(environmentKey));
        return environment && { ...selectionOf(environment), projectKey: environment.project_key };
      },
      selectIn: async (project, environment) =>
        selectionOf(await read(() => environmentRow(project, environment))),
      projectOf: (projectKey, environmentKey) => read(() => projectOfKeys(projectKey, environmentKey)),
      missing: (project, slugs) => read(() => missingFlags(project, slugs)),
      markRead: (reads) => write("markRead", [reads]),
      reads: (project, environment) => read(() => listReads(project, environment)),
    },
    segments: {
      list: (project, environment) => read(() => listSegments(project, environment)),
      page: (project, environment, options) => read(() => pageSegments(project, environment, options)),
      find: (where) => read(() => findSegment(where)),
    },
    scheduled: {
      page: (project, environment, options) => readAtOnce(() => pageScheduled(project, environment, options)),
      find: (project, environment, id) => read(() => findScheduled(project, environment, id)),
      nextAt: () => read(nextScheduled),
      upcoming: (atMost) => read(() => upcomingChanges(atMost)),
      findDue: (now) => read(() => findDue(now)),
    },
    code: {
      uploads: (project) => read(() => listCodeUploads(project)),
      slugs: (upload, after, limit) => read(() => listCodeSlugs(upload, after, limit)),
      page: (project, options) => read(() => pageCode(project, options)),
      replace(project, upload, lists, most) {
        const packed = packLists(lists);
        return write("replaceCode", [project, upload, packed, most], WEIGHT + packed.length * 2);
      },
      remove: (project, place) => write("removeCode", [project, place]),
    },
    feedback: {
      insert: (feedback, recent) => write("insertFeedback", [feedback, recent]),
      page: (place, options) => read(() => pageFeedback(place, options)),
      count: (place, after, limit) => readAtOnce(() => countFeedback(place, after, limit)),
      delete: (project, id) => write("deleteFeedback", [project, id]),
      deleteSome: (place, limit) => write("deleteSomeFeedback", [place, limit]),
    },
    tallies: {
      read: (query) => read(() => readTallies(query)),
      sum: (query) => read(() => sumTallies(query)),
      add: (tallies) => write("addTallies", [tallies], WEIGHT + tallies.length * TALLY_WEIGHT),
      clear: (kind, before, limit) => write("clearTallies", [kind, before, limit]),
    },
  };
}
