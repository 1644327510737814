import type { FlagPlace } from "../../flags/flag.ts";

/** Weights of needs, the worst first. */
export const TONES = ["bad", "warn", "info", "neutral"] as const;

/** Something that waits for a person. Times are milliseconds since 1970. */
export type Need = {
  kind: "health" | "backup" | "ramp" | "experiment" | "target" | "proposal" | "unread" | "stale";
  tone: (typeof TONES)[number];
  project: string | null;
  /** A sentence without a full stop, in which `subject` occurs. */
  title: string;
  subject: string;
  /** The reason, in sentences. */
  reason: string;
  /** Its beginning; null if that is not known. */
  at: number | null;
  /** The action for it, on the page at `path` of the dashboard. */
  verb: string;
  path: string;
};

/** Needs of each kind. */
export const MOST = 5;
/** Submissions of the caller that are counted, and deliveries that are looked at for failing targets. */
export const COUNTED = 100;
/** Forms whose oldest unread submission is searched, and projects whose proposals are read. */
export const LOOKED_AT = 20;

/** The pages of the dashboard for a flag in an environment, and for an experiment. */
export const flagPage = ({ project, environment, flag }: FlagPlace) =>
  `/projects/${project}/flags/${flag}?environment=${environment}`;
export const experimentPage = (project: string, environment: string, name: string) =>
  `/projects/${project}/environments/${environment}/experiments/${name}`;
