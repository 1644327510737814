import { open } from "node:fs/promises";

/** The least that keeps an upload: streams the body to one file, hashed unless `no-hash` is given, and syncs it. */
const [port, directory, hashing] = process.argv.slice(2);
let count = 0;

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(port),
  development: false,
  maxRequestBodySize: 1 << 30,
  async fetch(request) {
    if (!request.body) return new Response(null, { status: 400 });
    const path = `${directory}/${process.pid}-${(count += 1)}`;
    const file = await open(path, "wx");
    const hash = new Bun.CryptoHasher("sha256");
    const reader = request.body.getReader();
    try {
      for (let step = await reader.read(); !step.done; step = await reader.read()) {
        if (hashing !== "no-hash") hash.update(step.value);
        await file.write(step.value);
      }
      await file.sync();
    } finally {
      await file.close();
    }
    return Response.json({ success: true, sha256: hash.digest("hex") });
  },
});
process.once("SIGTERM", () => void server.stop(true));
