import type { App } from "../../app.ts";
import { AppError } from "../../base/errors.ts";
import type { StagedBlob } from "../../blobs/blobs.ts";
import {
  type Fields,
  checkCount,
  checkName,
  createFields,
  emptySubmission,
  fieldLabel,
  fieldTooLong,
  overLimit,
  quoted,
} from "../../forms/intake/fields.ts";
import { isHoneypotName } from "../../forms/intake/control-fields.ts";
import { FILE_HEAD_BYTES, checkExtension, checkFileType } from "../../forms/intake/file-types.ts";
import type { Form } from "../../forms/form.ts";
import { SUBMISSION_LIMITS as LIMITS } from "../../forms/limits.ts";
import { type Entered, type Sent, type StagedFile, textSubmission } from "../../forms/intake/sent.ts";
import { createByteBuffer } from "../byte-buffer.ts";
import { DRAIN } from "../limits.ts";
import type { Body } from "../body.ts";
import { type Charset, charsetOf, decodeField, isCharsetField, isUtf8 } from "./charset.ts";
import { type Part, boundaryOf, createMultipartParser, decodePart } from "./multipart.ts";

/** A file whose bytes arrive. */
type Arriving = {
  /** Null for a file under the name of a control field, which is cut out. */
  blob: StagedBlob | null;
  size: number;
  /** The first bytes, if the form allows only some types. */
  head: Buffer | null;
};

/** A file that was refused, whose bytes are skipped. */
const REFUSED: Arriving = { blob: null, size: 0, head: null };

/**
 * Reads a multipart body as it arrives: files go to the blob store chunk by chunk, within the form's limits, and are
 * added to `staged` as they begin. Control fields are cut out, and files under their names. With `entered`, which gets what
 * can be shown again, the error of a file is thrown once the fields behind it are read. Throws `invalid`, `forbidden`,
 * `too_large`, `unsupported`.
 */
export async function readMultipart(
  app: App,
  form: Form,
  contentType: string,
  body: Body,
  staged: StagedBlob[],
  controlNames: ReadonlySet<string>,
  entered: Entered | null = null,
): Promise<Sent> {
  const parser = createMultipartParser(boundaryOf(contentType));
  /** Decoded at the end, as any part may name the encoding of the form. */
  const texts: { part: Part; bytes: Uint8Array }[] = [];
  let charset: Charset = charsetOf(contentType);
  const files: { part: Part; blob: StagedBlob; head: Uint8Array | null }[] = [];
  let textBytes = 0;
  let unusedInputs = 0;
  let hasHoneypotFile = false;
  /** The part, and its file, that the next bytes belong to. */
  let part: Part | undefined;
  let file: Arriving | undefined;
  const text = createByteBuffer();
  /** The error of the first file that was refused. */
  let refusal: AppError | undefined;
  let refusedBytes = 0;

  /** The part in the encoding of the form. */
  const decoded = (part: Part) => (isUtf8(charset) && !isBroken(part) ? part : decodePart(part, charset));
  const addTexts = (fields: Fields) => {
    for (const { part, bytes } of texts) {
      const { name, type } = decoded(part);
      const own = type === null ? null : charsetOf(type);
      if (!isCharsetField(name)) fields.add(name, decodeField(bytes, own ?? charset, name));
    }
  };
  if (entered) entered.fields = () => readable(addTexts);

  const countUnused = () => {
    unusedInputs += 1;
    if (unusedInputs > LIMITS.fields) throw new AppError("too_large", "too many empty file inputs");
  };
  const beginFile = async (begun: Part) => {
    const { name, fileName } = begun;
    if (controlNames.has(name)) {
      countUnused();
      hasHoneypotFile ||= isHoneypotName(name);
      file = { blob: null, size: 0, head: null };
      return;
    }
    entered?.files.push({ field: name, error: null });
    checkFile(form, files.length, fileName ?? "");
    const isLimited = form.allowedTypes.length > 0;
    if (isLimited) checkExtension(fileName ?? "", form.allowedTypes);
    const blob = await app.blobs.stage();
    staged.push(blob);
    files.push({ part: begun, blob, head: null });
    file = { blob, size: 0, head: isLimited ? Buffer.alloc(FILE_HEAD_BYTES) : null };
  };
  const endHead = async () => {
    const head = file!.head!.subarray(0, file!.size);
    file!.head = null;
    files.at(-1)!.head = head;
    await checkFileType(part!.fileName ?? "", head, form.allowedTypes);
  };
  const begin = async (begun: Part) => {
    part = begun;
    file = undefined;
    text.drop(text.size());
    if (begun.fileName) await beginFile(begun);
  };
  const addText = (bytes: Uint8Array) => {
    textBytes += bytes.byteLength;
    if (text.size() + bytes.byteLength > LIMITS.fieldValue) throw fieldTooLong(part!.name);
    if (textBytes > LIMITS.multipartText) throw textTooLarge();
    text.append(bytes);
  };
  const addToFile = (bytes: Uint8Array) => {
    if (file === REFUSED) {
      refusedBytes += bytes.byteLength;
      if (refusedBytes > DRAIN.bytes) throw refusal!;
      return undefined;
    }
    const { blob, head, size } = file!;
    file!.size += bytes.byteLength;
    if (file!.size > form.maxFileSize) throw fileTooLarge(form, part!);
    if (head) {
      head.set(bytes.subarray(0, head.length - size), size);
      if (file!.size >= head.length) return endHead().then(() => blob?.write(bytes));
    }
    return blob?.write(bytes);
  };
  const add = (bytes: Uint8Array) => {
    if (part!.fileName === null) return addText(bytes);
    // A file input left empty is a part without a file name and without bytes.
    return file ? addToFile(bytes) : beginFile(part!).then(() => addToFile(bytes));
  };
  const end = async () => {
    if (part!.fileName === null) {
      checkCount(texts.length + 1);
      texts.push({ part: part!, bytes: new Uint8Array(text.bytes()) });
      if (isCharsetField(part!.name)) charset = text.bytes().toString("latin1").trim() || charset;
    } else if (file) {
      if (file.head) await endHead();
      await file.blob?.finish();
    } else countUnused();
  };

  /** If fields are kept for the page, the fields after a refused file are read too. */
  const refuseFile = (error: unknown) => {
    const isOfFile = entered && error instanceof AppError && part?.fileName && file !== REFUSED;
    if (!isOfFile) throw error;
    entered.files.push({ field: part!.name, error });
    refusal ??= error;
    file = REFUSED;
  };

  for (let chunk = await body.read(); chunk !== null; chunk = await body.read()) {
    for (const event of parser.push(chunk)) {
      try {
        if (event.kind === "part") await begin(event.part);
        else if (event.kind === "end") await end();
        else {
          const writing = add(event.bytes);
          if (writing) await writing;
        }
      } catch (error) {
        refuseFile(error);
      }
    }
  }
  parser.finish();
  if (refusal) throw refusal;
  const fields = createFields();
  addTexts(fields);
  const stagedFiles: StagedFile[] = [];
  for (const { part, blob, head } of files) {
    const { name, fileName, type } = decoded(part);
    checkName(name);
    // It was checked by the name that it has in UTF-8.
    if (fileName !== part.fileName) {
      checkFile(form, stagedFiles.length, fileName ?? "");
      if (head) await checkFileType(fileName ?? "", head, form.allowedTypes);
    }
    stagedFiles.push({ field: name, name: fileName ?? "", type: typeOf(fileName ?? "", type), blob });
  }
  const control = fields.cut(controlNames);
  if (fields.size() + files.length === 0) throw emptySubmission();
  return textSubmission(form, fields, control, stagedFiles, hasHoneypotFile);
}

function textTooLarge(): AppError {
  return overLimit("the text fields together are", LIMITS.multipartText);
}

/** Whether a name or type of a part may hold bytes that are not UTF-8. */
function isBroken({ name, fileName, type }: Part): boolean {
  return [name, fileName, type].some((text) => text?.includes("\ufffd"));
}

/** The fields before the first that is refused. */
function readable(addTo: (fields: Fields) => void): Record<string, unknown> {
  const fields = createFields();
  try {
    addTo(fields);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
  return fields.toData();
}

/** Checks a file that begins, the one behind `count` others. Throws `forbidden`, `too_large`. */
function checkFile(form: Form, count: number, fileName: string): void {
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
function fileTooLarge(form: Form, { name, fileName }: Part): AppError {
  const plainly = `the file in ${fieldLabel(name)} is`;
  return overLimit(`the file ${quoted(fileName ?? "")} is`, form.maxFileSize, plainly, "file-too-large");
}

/** A file's media type: that of its part, else that of its extension. Throws `too_large`, `invalid`. */
function typeOf(fileName: string, given: string | null): string {
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
