import type { SegmentRecord } from "../../../flags/segment.ts";
import type { SegmentUse } from "../../../flags/segments.ts";
import type { Environment } from "../../../projects/environment.ts";
import type { Project } from "../../../projects/project.ts";

/** A segment with its place, and what uses it. */
export type FoundSegment = {
  project: Project;
  environment: Environment;
  record: SegmentRecord;
  uses: SegmentUse[];
};
