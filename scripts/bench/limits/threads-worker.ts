declare const self: Worker;

const bodies: Record<number, string> = {};

self.onmessage = ({ data: port }: MessageEvent<number>) => {
  Bun.serve({
    hostname: "127.0.0.1",
    port,
    reusePort: true,
    development: false,
    async fetch(request) {
      // As many bytes as the path says, or a 304 without any.
      const bytes = Number(request.url.slice(request.url.lastIndexOf("/") + 1));
      if (request.headers.has("if-none-match")) return new Response(null, { status: 304 });
      if (request.method === "POST") await request.json();
      const body = (bodies[bytes] ??= JSON.stringify("x".repeat(bytes)));
      return new Response(body, { headers: { "Content-Type": "application/json" } });
    },
  });
};
