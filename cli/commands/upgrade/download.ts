import { clock } from "../../../src/base/clock.ts";
import { AppError } from "../../../src/base/errors.ts";
import { chunksOf, failureOf, isLoopbackUrl, readAtMost } from "../../session/connection.ts";

/** How long a server may take to send more, in milliseconds. */
export const PATIENCE = 30_000;

/** The file at an address, of at most `limit` bytes. Throws `unavailable`. */
export async function download(
  url: string,
  limit: number,
  onBytes: (done: number, total: number) => void = () => {},
): Promise<Uint8Array<ArrayBuffer>> {
  const stop = new AbortController();
  const wait = async <T>(work: Promise<T>): Promise<T> => {
    const timer = clock.after(PATIENCE, () => stop.abort());
    try {
      return await work;
    } catch (error) {
      const text = stop.signal.aborted ? "did not answer for 30 seconds" : failureOf(error).text;
      throw new AppError("unavailable", `${url} ${text}`, { cause: error });
    } finally {
      timer.close();
    }
  };
  const answer = await wait(
    fetch(url, { signal: stop.signal, ...(isLoopbackUrl(url) ? { proxy: false } : {}) }),
  );
  if (!answer.ok) {
    await answer.body?.cancel();
    throw new AppError("unavailable", `${url} answered ${answer.status}`, {
      hint: "is this the address of a signed release? name it with --from",
    });
  }
  const total = Number(answer.headers.get("content-length") ?? 0);
  let done = 0;
  const counted = async function* () {
    for await (const chunk of chunksOf(answer.body, wait)) {
      onBytes((done += chunk.byteLength), total);
      yield chunk;
    }
  };
  const bytes = await readAtMost(counted(), limit);
  if (bytes === null) throw new AppError("unavailable", `${url} is larger than a file of a release`);
  return bytes;
}
