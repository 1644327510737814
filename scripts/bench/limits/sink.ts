// A webhook that accepts everything.
Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.argv[2]),
  async fetch(request) {
    await request.arrayBuffer();
    return new Response();
  },
});
