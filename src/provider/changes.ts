/** Reads server-sent events until the stream ends, and calls `listen` with the name and data of each; `alive` for all that comes. */
export async function readEvents(
  body: ReadableStream<Uint8Array>,
  { listen, alive }: { listen: (name: string, data: string) => void; alive: () => void },
): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    alive();
    text += decoder.decode(part.value, { stream: true });
    const events = text.split(/\r?\n\r?\n/);
    text = events.pop()!;
    if (text.length > MAX_EVENT) throw new Error("it is no stream of events");
    for (const event of events) {
      const name = /^event: ?(.*)$/m.exec(event)?.[1] ?? "message";
      const data = /^data: ?(.*)$/m.exec(event)?.[1];
      if (data !== undefined) listen(name, data);
    }
  }
}

/** Most characters of an event. */
const MAX_EVENT = 65_536;
