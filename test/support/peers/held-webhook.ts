/** A webhook that holds every request until it is opened, and counts them by the id of their submission. */
export function openHeldWebhook() {
  const received = new Map<string, string[]>();
  const gate = Promise.withResolvers<void>();
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const delivery = request.headers.get("webhook-id")!;
      const { data } = (await request.json()) as { data: { id: string } };
      received.set(data.id, [...(received.get(data.id) ?? []), delivery]);
      await gate.promise;
      return new Response();
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/hook`,
    received,
    open: () => gate.resolve(),
    [Symbol.dispose]: () => void server.stop(true),
  };
}
