import { AppError } from "../base/errors.ts";
import type { SegmentSource } from "../flags/source-card.ts";
import type { FormRecord } from "../forms/form.ts";
import type { Difference } from "./document.ts";
import type { SetupChange, SetupEnvironment } from "./setup.ts";

/** The differences between a setup and a document, the changes that remove them, and what is still to be checked. */
export type DocumentPlan = {
  differences: Difference[];
  changes: SetupChange[];
  checks: RuleCheck[];
  contents: ContentCheck[];
  forms: FormCheck[];
  /** Segments that forms fill, which are given these once the forms are created. */
  sources: { path: string; change: SetupChange; source: SegmentSource }[];
};

/** A form after the plan, and before it if it exists. */
export type FormCheck = { path: string; form: FormRecord; before?: FormRecord };

/** A rule of a flag, as JSON text, or of a segment, to be checked against the segments of its environment. */
export type RuleCheck = { path: string; segments: ReadonlyMap<string, unknown> } & (
  | { rules: string }
  | { segment: unknown }
);

/** The new content of a preview, in Markdown. */
export type ContentCheck = { path: string; markdown: string };

/** An environment; `rules` by segment and `flagRules`, as JSON text by flag, are those after the plan. */
export type Target = SetupEnvironment & {
  rules: Map<string, unknown>;
  flagRules: Map<string, string | null>;
};

/** Adds a difference to a plan, with the changes that remove it. */
export function add(plan: DocumentPlan, difference: Difference, ...changes: SetupChange[]): void {
  plan.differences.push(difference);
  plan.changes.push(...changes);
}

/** The error `invalid` for a fault at a path of a document. */
export function fault(path: string, message: string, hint?: string): AppError {
  return new AppError("invalid", path === "" ? message : `${path}: ${message}`, { hint });
}
