import type * as z from "zod/mini";
import { AppError } from "../base/errors.ts";
import type { StagedBlob } from "../blobs/blobs.ts";
import type { ControlFields } from "./intake/control-fields.ts";
import type { fileSchema, submissionSchema } from "./submission-schema.ts";

/** A file of a submission as the database stores it: `key` is its blob key, `submission` an id. */
export type StoredFile = { key: string; submission: string; name: string; size: number; sha256: string };

export type FileInfo = z.infer<typeof fileSchema>;

export type Submission = z.infer<typeof submissionSchema>;

/** A submission whose `data` is the JSON text as it was sent, with every digit of its numbers. */
export type RawSubmission = Omit<Submission, "data"> & { data: string };

/** `more` is true where older submissions follow. */
export type SubmissionPage = { submissions: Submission[]; more: boolean };

/** A submission that was read and checked but is not yet stored. */
export type Draft = {
  /** A JSON object as text. */
  data: string;
  files: StagedFile[];
  /** What the form records about the sender: a JSON object as text. */
  meta?: string;
};

/** What was sent to a form, as a draft without the control fields of the form. */
export type Sent = Draft & {
  /** The object that `data` is the text of. */
  fields: Record<string, unknown>;
  /** Whether the values are texts for any type, as HTML forms send them. */
  source: "json" | "text";
  control: ControlFields;
  /** Whether a file came under the name of a honeypot. */
  hasHoneypotFile: boolean;
};

export type StagedFile = { field: string; name: string; type: string; blob: StagedBlob };

/** A submission with its data parsed, which may round numbers. */
export function parsed(submission: RawSubmission): Submission {
  return { ...submission, data: JSON.parse(submission.data) };
}

export function noSuchSubmission(id: string): AppError {
  return new AppError("not_found", `submission "${id}" does not exist`, {
    reason: "submission-not-found",
  });
}
