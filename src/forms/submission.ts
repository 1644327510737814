import type * as z from "zod/mini";
import { AppError } from "../base/errors.ts";
import { parseExactly } from "../base/json/exact-json.ts";
import type { fileSchema, submissionSchema } from "./submission-schema.ts";

/** A file of a submission as the database stores it: `key` is its blob key, `submission` an id. */
export type StoredFile = { key: string; submission: string; name: string; size: number; sha256: string };

export type FileInfo = z.infer<typeof fileSchema>;

export type Submission = z.infer<typeof submissionSchema>;

/** The form and the folder of a submission, whether it is read, and how it is handled. */
export type Standing = Pick<Submission, "project" | "form" | "state" | "read" | "assignee" | "labels"> & {
  /** Whether its sender was to confirm it, and has not. */
  waits: boolean;
};

/** A submission whose `data` is the JSON text as it was sent, with every digit of its numbers. */
export type RawSubmission = Omit<Submission, "data"> & { data: string };

/** `more` is true where older submissions follow. */
export type SubmissionPage = { submissions: Submission[]; more: boolean };

/** A submission with its data parsed: a number that JavaScript writes in another way is a `RawNumber`. */
export function parsed(submission: RawSubmission): Submission {
  return { ...submission, data: parseExactly(submission.data) as Submission["data"] };
}

export function noSuchSubmission(id: string): AppError {
  return new AppError("not_found", `submission "${id}" does not exist`, {
    reason: "submission-not-found",
  });
}
