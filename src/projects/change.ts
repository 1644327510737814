import type { ApproveWith } from "./approval.ts";
import type { Color } from "./environment-card.ts";
import type { ProjectSettings } from "./project.ts";
import type { Environment } from "./environment.ts";
import type { HistoryEntry } from "../access/history-entry.ts";

/** The entry that a change adds to the history of its project; null for none. */
type Recorded = { project: string; history: HistoryEntry | null };

/** A change of projects or environments, as the store applies it. Times are milliseconds since 1970. */
export type ProjectChange =
  | {
      change: "insertProject";
      project: string;
      name: string;
      key: string;
      createdAt: number;
      history: HistoryEntry | null;
    }
  | ({ change: "setProject"; settings: Partial<ProjectSettings> } & Recorded)
  | { change: "deleteProject"; project: string; history: HistoryEntry | null }
  | ({ change: "insertEnvironment"; environment: Environment; createdAt: number } & Recorded)
  | ({
      change: "updateEnvironment";
      environment: string;
      name: string;
      locked: boolean;
      color: Color | null;
      approvals: number;
      approveWith: ApproveWith | null;
    } & Recorded)
  /** Sets the order of all environments of a project. */
  | ({ change: "orderEnvironments"; environments: readonly string[] } & Recorded)
  | ({ change: "setMetadata"; environment: string; metadata: string } & Recorded)
  | ({ change: "deleteEnvironment"; environment: string } & Recorded);
