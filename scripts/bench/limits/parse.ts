/** The least that takes a submission in and forgets it: parses the body, makes an id, answers. */
const [port] = process.argv.slice(2);

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(port),
  development: false,
  async fetch(request) {
    const isJson = request.headers.get("content-type") === "application/json";
    const data = isJson
      ? await request.json()
      : Object.fromEntries(new URLSearchParams(await request.text()));
    return Response.json({ success: typeof data === "object", id: Bun.randomUUIDv7() });
  },
});
process.once("SIGTERM", () => void server.stop(true));
