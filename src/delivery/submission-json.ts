import { isoTime } from "../base/clock.ts";
import { withoutRepeats } from "../base/json/json-members.ts";
import type { DeliveryFile } from "./store.ts";

/** A submission as a webhook sends it. */
export type SentSubmission = {
  id: string;
  /** A JSON object, as it was sent. */
  data: string;
  /** Milliseconds since 1970. */
  createdAt: number;
  files: readonly DeliveryFile[];
  /** Everything else that the admin API shows of it. */
  [column: string]: unknown;
};

type FileUrl = (submission: string, position: number) => Promise<string>;

/** A submission as the admin API shows it, with its numbers as they were sent and a signed link to each file. */
export async function submissionJson(
  form: { project: string; slug: string },
  submission: SentSubmission,
  url: FileUrl,
): Promise<string> {
  const { id, data, createdAt, files: _, ...columns } = submission;
  const rest = { files: await linkedFiles(submission, url), createdAt: isoTime(createdAt), ...columns };
  // Joined, because parsing the data would round its numbers. Names repeat in what older versions stored.
  return `{"id":${JSON.stringify(id)},"project":${JSON.stringify(form.project)},"form":${JSON.stringify(form.slug)},"data":${withoutRepeats(data)},${JSON.stringify(rest).slice(1)}`;
}

/** The files of a submission, with a signed link to each. */
export function linkedFiles({ id, files }: Pick<SentSubmission, "id" | "files">, url: FileUrl) {
  return Promise.all(files.map(async (file, index) => ({ ...file, url: await url(id, index + 1) })));
}
