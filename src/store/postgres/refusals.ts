import { AppError } from "../../base/errors.ts";
import { type StoredSubmission, UNKNOWN_OUTCOME } from "../../forms/intake/insertion.ts";

/** Whether a repeat of a submission is recognized by a mark that the submission leaves. */
export function leavesMark({ conditions }: StoredSubmission): boolean {
  return (
    conditions !== undefined && Boolean(conditions.key ?? conditions.recent ?? conditions.challenge?.nonce)
  );
}

export function swept(): AppError {
  return new AppError("unavailable", "storing the files took too long: send the submission again", {
    retryAfter: 1,
  });
}

export function unknownOutcome(
  cause: unknown,
  message = "the database stopped answering: send the submission again",
): AppError {
  return new AppError("unavailable", message, { reason: UNKNOWN_OUTCOME, retryAfter: 1, cause });
}

/** Converts the error of a batch for the sender of one submission. A submission that leaves a mark stays stored. */
export function refusalOf(submission: StoredSubmission, error: unknown): unknown {
  const isUnknown = error instanceof AppError && error.reason === UNKNOWN_OUTCOME;
  if (!isUnknown || !leavesMark(submission)) return error;
  const again = submission.conditions?.key
    ? "sent again with the same idempotency key, it is stored once"
    : "sent again, it counts as a repeat";
  return unknownOutcome(error, `the database stopped answering, and the submission may be stored: ${again}`);
}
