import { AppError } from "../../base/errors.ts";
import { fieldLabel, overLimit, quoted } from "../../forms/intake/fields.ts";
import type { Form } from "../../forms/form.ts";
import { SUBMISSION_LIMITS as LIMITS } from "../../forms/limits.ts";
import type { Part } from "./multipart.ts";

/** Checks a file that begins, the one behind `count` others. Throws `forbidden`, `too_large`. */
export function checkFile(form: Form, count: number, fileName: string): void {
  if (!form.uploads) {
    throw new AppError("forbidden", `this form takes no files: ${quoted(fileName)} was not accepted`, {
      plain: "this form takes no files",
      reason: "files-not-accepted",
    });
  }
  if (count >= form.maxFiles) {
    throw new AppError(
      "too_large",
      `the submission has more than the limit of ${form.maxFiles} file${form.maxFiles === 1 ? "" : "s"}`,
      { reason: "too-many-files" },
    );
  }
  if (Buffer.byteLength(fileName) > LIMITS.fileName) {
    throw new AppError(
      "too_large",
      `the file name ${quoted(fileName)} is longer than the limit of ${LIMITS.fileName} bytes`,
      { plain: `a file name is longer than the limit of ${LIMITS.fileName} bytes` },
    );
  }
}

/** The error for a file with more bytes than the form accepts. */
export function fileTooLarge(form: Form, { name, fileName }: Part): AppError {
  const plainly = `the file in ${fieldLabel(name)} is`;
  return overLimit(`the file ${quoted(fileName ?? "")} is`, form.maxFileSize, plainly, "file-too-large");
}

/** A file's media type: that of its part, else that of its extension. Throws `too_large`, `invalid`. */
export function typeOf(fileName: string, given: string | null): string {
  if (given !== null) {
    if (given.length > LIMITS.fileType) {
      const limit = `is longer than the limit of ${LIMITS.fileType} characters`;
      throw new AppError("too_large", `the type of the file ${quoted(fileName)} ${limit}`, {
        plain: `the type of a file ${limit}`,
      });
    }
    // A folded header line leaves a tab.
    const type = given.replaceAll("\t", " ");
    if (/^\P{C}*$/u.test(type)) return type;
    throw new AppError("invalid", `the type of the file ${quoted(fileName)} holds control characters`, {
      plain: "the type of a file holds control characters",
    });
  }
  const extension = /\.[A-Za-z0-9]{1,12}$/.exec(fileName)?.[0];
  return extension === undefined
    ? "application/octet-stream"
    : Bun.file(`file${extension}`).type.split(";")[0]!;
}
