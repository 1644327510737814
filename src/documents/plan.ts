import { AppError } from "../base/errors.ts";
import type { Difference } from "./document.ts";
import type { SetupChange, SetupEnvironment } from "./setup.ts";

/** What makes a setup what a document says. */
export type DocumentPlan = { differences: Difference[]; changes: SetupChange[]; checks: RuleCheck[] };

/** A rule that the plan sets or keeps in a flag, which is still to be checked: of a flag as JSON text, or of a segment. */
export type RuleCheck = { path: string; segments: ReadonlyMap<string, unknown> } & (
  | { rules: string; isNew: boolean }
  | { segment: unknown }
);

/** An environment with its segments, and the rules of its flags as JSON text by slug, as the plan leaves them. */
export type Target = SetupEnvironment & {
  rules: Map<string, unknown>;
  flagRules: Map<string, string | null>;
};

/** Adds to a plan what differs, and the changes that end it. */
export function add(plan: DocumentPlan, difference: Difference, ...changes: SetupChange[]): void {
  plan.differences.push(difference);
  plan.changes.push(...changes);
}

/** What is wrong in a document, and where. */
export function fault(path: string, message: string, hint?: string): AppError {
  return new AppError("invalid", path === "" ? message : `${path}: ${message}`, { hint });
}
