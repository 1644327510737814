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
