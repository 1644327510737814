/** The kinds of changes in a project; its own creation and deletion are in no project. */
export const PROJECT_KINDS = [
  "flag",
  "segment",
  "environment",
  "scheduled",
  "ramp",
  "experiment",
  "project",
] as const;
/** All kinds of changes; a form with its targets is in no project. */
export const CHANGE_KINDS = [...PROJECT_KINDS, "form"] as const;

export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** A change as the history keeps it: `before` is null for a creation, `after` for a deletion. */
export type HistoryEntry = {
  /** Null for a change that applies to every environment of the project. */
  environment: string | null;
  /** `scheduled` is a scheduled change of a flag that failed: `after` holds the reason. `ramp` is one of a flag, but for its steps. */
  kind: ChangeKind;
  name: string;
  before: unknown;
  after: unknown;
  /** The experiment or ramp that made the change; the history has it before the reason. */
  cause?: string;
};
