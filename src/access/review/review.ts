/** The history's note of a change that was reviewed, or that bypassed the review. */
export type ReviewNote = {
  /** The id of the proposed change. */
  change: string;
  author: string;
  approvers: readonly string[];
  bypass: boolean;
};

/** A review that changes go through, in place of being refused where environments need approvals. */
export type Review = {
  /**
   * Called with a project before environments of it that need approvals are changed. Throws `forbidden`. With null these are
   * refused, as without a review.
   */
  admit: ((project: string) => void) | null;
  /** Called with the locked environments that a plan changes, in place of asking the caller to confirm them. */
  meetLocks?: (project: string, environments: readonly string[]) => void;
  /** Whether the changes are reviewed, so that no lock has to be confirmed. */
  isReviewed: boolean;
  /**
   * Returns the changes that the store applies for those of a plan; null for none, if it is only a look at them. It may be
   * called again, as the plan is.
   */
  settle: (
    changes: readonly unknown[],
    moment: { version: number; at: number },
  ) => Promise<readonly unknown[] | null>;
  /** The note for the history; null for none. */
  note: () => ReviewNote | null;
};
