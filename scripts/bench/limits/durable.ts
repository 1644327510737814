/** As `parse.ts`, but answers once a writer thread has committed the submission, together with concurrent ones. */
const [port, file] = process.argv.slice(2);

const thread = new Worker(new URL("./durable-thread.ts", import.meta.url).href);
type Row = { id: string; data: string; stored: () => void };
let queue: Row[] = [];
let committing: Row[] = [];
const commit = () => {
  committing = queue;
  queue = [];
  if (committing.length > 0) thread.postMessage(committing.map(({ id, data }) => [id, data]));
};
thread.onmessage = () => {
  const done = committing;
  commit();
  for (const { stored } of done) stored();
};
thread.postMessage(file);

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(port),
  development: false,
  async fetch(request) {
    if (request.method === "GET") return Response.json({ enabled: true });
    const isJson = request.headers.get("content-type") === "application/json";
    const data = isJson
      ? await request.json()
      : Object.fromEntries(new URLSearchParams(await request.text()));
    const id = Bun.randomUUIDv7();
    await new Promise<void>((stored) => {
      queue.push({ id, data: JSON.stringify(data), stored });
      if (committing.length === 0 && queue.length === 1)
        setImmediate(() => committing.length === 0 && commit());
    });
    return Response.json({ success: true, id });
  },
});
process.once("SIGTERM", () => void server.stop(true).then(() => process.exit(0)));
