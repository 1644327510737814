import type { ControlFields } from "../../forms/intake/control-fields.ts";
import { type Fields, checkJson } from "../../forms/intake/fields.ts";
import type { Form } from "../../forms/form.ts";
import { checkNoLostFile } from "../../forms/intake/lost-files.ts";
import type { Sent, StagedFile } from "../../forms/submission.ts";

/**
 * A submission of texts, without its control fields; `files` is null where no file can come with it. Throws
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
