import { withoutRepeats } from "../../base/json/json-members.ts";
import type { RawSubmission } from "../submission.ts";

/** One submission a line. `onPage` gets the submissions of a chunk before it is written. */
export async function* jsonLines(
  pages: AsyncIterable<RawSubmission[]>,
  onPage: (page: RawSubmission[]) => void = () => {},
): AsyncGenerator<string> {
  for await (const page of pages) {
    onPage(page);
    yield page.map((submission) => `${jsonOf(submission)}\n`).join("");
  }
}

/** One JSON array, with one submission a line. */
export async function* jsonArray(pages: AsyncIterable<RawSubmission[]>): AsyncGenerator<string> {
  let before = "[";
  for await (const page of pages) {
    yield `${before}\n${page.map(jsonOf).join(",\n")}`;
    before = ",";
  }
  yield before === "[" ? "[]\n" : "\n]\n";
}

/**
 * A submission as JSON in one line, with the text that was sent as its data: ids and slugs need no escapes. Names repeat in
 * submissions that older versions stored.
 */
function jsonOf({ id, project, form, data, ...rest }: RawSubmission): string {
  return `{"id":"${id}","project":"${project}","form":"${form}","data":${oneLine(withoutRepeats(data))},${JSON.stringify(rest).slice(1)}`;
}

/** In JSON, line ends stand only between tokens. */
function oneLine(json: string): string {
  return /[\r\n]/.test(json) ? json.replaceAll(/[\r\n]+/g, "") : json;
}
