/** The least that answers a flag read: checks the two keys and sends a prepared answer, or with `unchanged` its 304. */
const [port, file, mode] = process.argv.slice(2);
const answer = (await Bun.file(file!).json()) as { headers: Record<string, string>; body: string };
const headers = new Headers(answer.headers);
const body = answer.body.length > 4096 ? Buffer.from(answer.body) : answer.body;
const [content, init] = mode === "unchanged" ? [null, { status: 304, headers }] : [body, { headers }];

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(port),
  development: false,
  fetch(request) {
    const known = request.headers.get("x-project-key") && request.headers.get("x-environment-key");
    return known ? new Response(content, init) : new Response(null, { status: 400 });
  },
});
process.once("SIGTERM", () => void server.stop(true));
