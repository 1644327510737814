/** The least that listens. */
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.argv[2]),
  development: false,
  fetch: () => Response.json({ status: "ok" }),
});
process.once("SIGTERM", () => void server.stop(true));
