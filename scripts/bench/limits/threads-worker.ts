declare const self: Worker;

self.onmessage = ({ data: port }: MessageEvent<number>) => {
  Bun.serve({
    hostname: "127.0.0.1",
    port,
    reusePort: true,
    development: false,
    async fetch(request) {
      if (request.method === "POST") await request.json();
      return new Response('{"enabled":true}', { headers: { "Content-Type": "application/json" } });
    },
  });
};
