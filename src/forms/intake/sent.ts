import { AppError } from "../../base/errors.ts";
import { isObject } from "../../base/json.ts";
import type { StagedBlob } from "../../blobs/blobs.ts";
import type { Form } from "../form.ts";
import type { SentAssignment } from "../seen-flags.ts";
import type { ControlFields } from "./control-fields.ts";
import { type Fields, checkJson, fieldLabel, quoted } from "./fields.ts";

/** A submission that was read and checked but is not yet stored. */
export type Draft = {
  /** A JSON object as text. */
  data: string;
  files: StagedFile[];
  /** Metadata of the sender: a JSON object as text. */
  meta?: string;
  assignment?: SentAssignment | null;
};

/** Content of a submission, as a draft without the form's control fields. */
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

/** Readable part of a refused submission, so that a page can show it again. */
export type Entered = {
  /** The fields by name, with or without control fields. */
  fields: () => Record<string, unknown>;
  /** The fields that files came in, with the error of each file that was refused itself. */
  files: { field: string; error: AppError | null }[];
};

/** Before anything is read. */
export function nothingEntered(): Entered {
  return { fields: () => ({}), files: [] };
}

/**
 * A submission of texts, without its control fields; `files` is null if no file can come with it. Throws
 * `unsupported` for a text instead of a file.
 */
export function textSubmission(
  form: Form,
  fields: Fields,
  control: ControlFields,
  files: StagedFile[] | null,
  hasHoneypotFile: boolean,
): Sent {
  const data = fields.toData();
  const json = JSON.stringify(data);
  checkJson(json);
  if (!files?.length) checkNoLostFile(form, { json, data }, files === null);
  return { data: json, fields: data, source: "text", control, files: files ?? [], hasHoneypotFile };
}

/** Text that a script sends by mistake for a file: the value of a file input, or a file as text. */
const NO_FILE = /^(?:C:\\fakepath\\|\[object (?:File|FileList|Blob)\](?:,\[object (?:File|Blob)\])*$)/;

/** Text that a browser sends for a file in a form without the encoding for files: a file name of a commonly uploaded type. */
const FILE_NAME =
  /^[^\\/:*?"<>|\p{Cc}]{1,250}\.(?:7z|aac|avi|avif|bmp|csv|docx?|dwg|dxf|eml|epub|flac|gif|gz|heic|heif|ics|jpe?g|json|key|log|m4a|m4v|mkv|mov|mp3|mp4|numbers|od[pst]|ogg|pages|pdf|png|pptx?|psd|rar|rtf|step|stl|svg|tar|tgz|tiff?|txt|vcf|wav|webm|webp|xlsx?|xml|zip)$/iu;

/**
 * Checks that no text stands for a file that was not sent: text that scripts send by mistake or, if `isUrlencoded`, the
 * name of a file in a form with uploads. For submissions without files; `json` is the text of `data`. Throws
 * `unsupported` with the field and the solution.
 */
export function checkNoLostFile(
  form: Form,
  { json, data }: { json: string; data: Record<string, unknown> },
  isUrlencoded: boolean,
): void {
  const namesFiles = isUrlencoded && form.uploads;
  // Almost every submission ends here.
  if (!namesFiles && !json.includes("fakepath") && !json.includes("[object ")) return;
  for (const [name, value] of Object.entries(data)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (typeof each !== "string" || each === "") continue;
      if (NO_FILE.test(each)) throw fileLost(name, each, "let the script send the FormData of the form");
      if (!namesFiles || !(FILE_NAME.test(each) || isFileField(form, name))) continue;
      throw fileLost(name, each, 'add enctype="multipart/form-data" to the form');
    }
  }
}

/** Whether the schema of a form describes a field as a file, or as a list of files. */
function isFileField({ schema }: Form, name: string): boolean {
  const properties = isObject(schema) && schema["properties"];
  const property = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : null;
  if (!isObject(property)) return false;
  const items = property["items"];
  return property["format"] === "binary" || (isObject(items) && items["format"] === "binary");
}

function fileLost(name: string, text: string, advice: string): AppError {
  const lost = "as text instead of a file";
  return new AppError("unsupported", `the field ${quoted(name)} came ${lost}, ${quoted(text)}: ${advice}`, {
    plain: `${fieldLabel(name)} came ${lost}: ${advice}`,
    reason: "file-lost",
  });
}
