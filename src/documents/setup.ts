import type { FlagPatch, FlagPlace, FlagRecord } from "../flags/flag.ts";
import type { SegmentPlace, SegmentRecord } from "../flags/segment.ts";
import type { FormPatch, FormRecord } from "../forms/form.ts";
import type { Environment } from "../projects/environment.ts";
import type { Project } from "../projects/project.ts";

/** What an operator has set up, as of one moment. */
export type Setup = {
  /** `Store.version` at that moment. */
  version: number;
  /** By slug. */
  projects: SetupProject[];
  /** By slug. */
  forms: FormRecord[];
};

export type SetupProject = { slug: string; name: string; environments: SetupEnvironment[] };

/** Every flag of the project, by slug, and the segments in the order in which they are put in. */
export type SetupEnvironment = {
  slug: string;
  name: string;
  flags: FlagRecord[];
  segments: SegmentRecord[];
};

/** One of the changes that `Store.setup.apply` makes together. */
export type SetupChange =
  | { change: "insertProject"; project: Project & { createdAt: number } }
  | { change: "renameProject"; project: string; name: string }
  | { change: "insertEnvironment"; project: string; environment: Environment & { createdAt: number } }
  | { change: "renameEnvironment"; project: string; environment: string; name: string }
  | { change: "deleteEnvironment"; project: string; environment: string }
  | { change: "setFlag"; place: FlagPlace; patch: FlagPatch }
  | { change: "deleteFlag"; project: string; flag: string }
  | { change: "setSegment"; place: SegmentPlace; rule: string }
  | { change: "deleteSegment"; place: SegmentPlace }
  | { change: "insertForm"; form: FormRecord }
  | { change: "updateForm"; form: string; patch: FormPatch }
  | { change: "deleteForm"; form: string; key: string };
