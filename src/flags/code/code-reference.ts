import { parseUrl } from "../../base/origins.ts";
import type * as z from "zod/mini";
import { AppError } from "../../base/errors.ts";
import type { codeReferencesSchema, uploadedSchema } from "./code-reference-schema.ts";
import { CODE_LIMITS } from "../limits.ts";

/** One line of source code that names a flag. */
export type CodeReference = { filePath: string; lineNumber: number; lineContent: string };

/** The source code at one branch, by the name that its sender gives it. */
export type CodePlace = { branch: string; projectName: string };

/** The same with the web address of its repository and the commit that was read; null where they are not known. */
type CodeOrigin = CodePlace & { repositoryUrl: string | null; commit: string | null };

/** The references in source code on one branch, by the slug of a flag, or by a name that is not a flag. */
export type CodeUpload = CodeOrigin & {
  references: ReadonlyMap<string, readonly CodeReference[]>;
};

/** An upload without its references; `uploadedAt` is in milliseconds since 1970. */
export type CodeUploadRecord = CodeOrigin & { uploadedAt: number };

/**
 * References to one slug as JSON text, a list of `[filePath, lineNumber, lineContent]`. The references to a slug in an
 * upload may be in several lists, numbered by `part`.
 */
export type CodeList = { slug: string; part: number; places: string };

/** The places where uploaded code names a slug, as the admin API shows them. */
export type CodeReferences = z.infer<typeof codeReferencesSchema>;

/** The result of an upload, as the admin API shows it. */
export type Uploaded = z.infer<typeof uploadedSchema>;

/** Whether a value is a text of 1 to `max` characters, without control characters and unpaired surrogates. */
export function isPlainText(value: unknown, max: number): value is string {
  return typeof value === "string" && value !== "" && value.length <= max && !/[\p{Cc}\p{Cs}]/u.test(value);
}

/** Whether a value is the address of a repository: http or https, without credentials. */
export function isRepositoryUrl(value: unknown): value is string {
  if (!isPlainText(value, CODE_LIMITS.repositoryUrl) || !/^https?:\/\/\S+$/i.test(value)) return false;
  const url = parseUrl(value);
  return url !== null && url.username === "" && url.password === "";
}

/** Whether a value is the number of a line. */
export function isLineNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

/** Whether a value is the text of a line. */
export function isLineContent(value: unknown): value is string {
  return typeof value === "string" && Buffer.byteLength(value) <= CODE_LIMITS.lineContent;
}

export function noSuchCode(place: { branch: string; projectName?: string | undefined }): AppError {
  const name = place.projectName === undefined ? "" : ` of ${place.projectName}`;
  return new AppError("not_found", `there are no code references for the branch ${place.branch}${name}`, {
    reason: "code-not-found",
  });
}

/** Names in a message. */
const SHOWN_NAMES = 10;

/** Describes the result of an upload in a sentence. */
export function describeUpload({ branch, projectName, references, slugs, unknown }: Uploaded): string {
  const stored = `stored ${counted(references, "reference")} to ${counted(slugs, "name")} on the branch ${branch} of ${projectName}`;
  if (unknown.length === 0) return stored;
  const names = unknown.slice(0, SHOWN_NAMES).join(", ");
  const others = unknown.length > SHOWN_NAMES ? ` and ${unknown.length - SHOWN_NAMES} more` : "";
  return `${stored}; not flags of this project: ${names}${others}`;
}

function counted(count: number, what: string): string {
  return `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
}
