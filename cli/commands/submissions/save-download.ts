import { formatBytes } from "../../../src/base/bytes.ts";
import { progressBar } from "../../output/progress.ts";
import { saveTo, writeOut } from "../../output/save.ts";
import type { Answer } from "../../session/client.ts";
import type { Session } from "../../session/session.ts";

/** The progress of a download: `count` of its chunks adds up to `total`. */
type Size = { total: number; count: (bytes: Uint8Array) => number };

/**
 * Writes a download to a file, with a progress bar, or to standard output where `output` is `-`. Without a size, the bytes so
 * far are shown.
 */
export async function saveDownload(
  { io, progress }: Session,
  answer: Answer,
  output: string,
  size: Size | null,
): Promise<void> {
  if (output === "-") {
    await writeOut(io, answer);
    return;
  }
  const line = progress();
  let done = 0;
  await saveTo(output, answer, (chunk) => {
    done += size ? size.count(chunk) : chunk.byteLength;
    line.draw(size ? progressBar(done, size.total, output) : `${formatBytes(done)}  ${output}`);
  });
  line.draw(progressBar(1, 1, `${output} saved`));
  line.keep();
}
