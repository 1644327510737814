import { clock } from "../../base/clock.ts";
import { networkError } from "./errors.ts";

/** The body of an answer; `abort` ends the connection. */
type Source = { response: Response; abort: () => void; stallMs: number; what: string };

/** The bytes of an answer as they are read. The stream fails with `unavailable` if the connection is cut or stalls. */
export function streamOf({
  response,
  abort,
  stallMs,
  what,
}: Source): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = response.body?.getReader();
  const size = Number(response.headers.get("content-length") ?? 0);
  let received = 0;
  const read = async () => {
    const timer = clock.after(stallMs, abort);
    try {
      return (await reader?.read())?.value;
    } finally {
      timer.close();
    }
  };
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        try {
          const chunk = await read();
          if (chunk) {
            received += chunk.byteLength;
            return controller.enqueue(chunk);
          }
          // A connection that was cut may look like an end.
          if (received < size) throw new CutShort();
          controller.close();
        } catch (error) {
          abort();
          throw networkError(error, what);
        }
      },
      cancel: abort,
    },
    { highWaterMark: 0 },
  );
}

class CutShort extends Error {
  override name = "CutShort";
}
