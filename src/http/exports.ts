import type { ExportFormat } from "../forms/transfer/export-format.ts";
import { stringifyMembers } from "../base/json-turns.ts";

/** The media type of each format of an export. */
export const EXPORT_TYPES: Record<ExportFormat, string> = {
  jsonl: "application/jsonl",
  csv: "text/csv; charset=utf-8",
  json: "application/json",
  zip: "application/zip",
};

/** A stream that produces chunks as fast as the receiver reads them. An error breaks it off, and goes to `report`. */
export function streamOf(
  chunks: AsyncGenerator<string | Uint8Array>,
  report: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  let isCancelled = false;
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await chunks.next();
        // A receiver that went away in the meantime has closed the stream.
        if (isCancelled) return;
        if (done) controller.close();
        else controller.enqueue(typeof value === "string" ? Buffer.from(value) : value);
      } catch (error) {
        report(error);
        throw error;
      }
    },
    async cancel() {
      isCancelled = true;
      await chunks.return(undefined);
    },
  });
}

/** An answer with an object that may have megabytes, written in turns with other requests, as `stringifyMembers` does. */
export async function membersAnswer(object: object, levels: number): Promise<Response> {
  const body = await stringifyMembers(object, levels);
  return new Response(body, { headers: { "Content-Type": "application/json" } });
}
