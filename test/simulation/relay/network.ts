import { createFollowingService } from "../../../src/http/flags/following.ts";
import { ask } from "../world/asking.ts";
import { outside } from "../world/outside.ts";
import type { Server, World } from "../world/world.ts";

export type Network = {
  /** Until when no connection is made, and until when nothing comes through those that are open, in virtual milliseconds. */
  cutUntil: number;
  frozenUntil: number;
  /** Once in so many requests a proxy answers instead, or the answer is lost; 0 for never. */
  faulty: number;
  /** The slot of the only server that requests reach; null for any. */
  only: number | null;
  /** Breaks off the streams that are open. */
  cut: () => void;
  /** The relay is gone, and its servers notice. */
  leave: () => void;
  close: () => void;
};

const CLIENT = { client: { address: "203.0.113.9", isLocal: false } };
/** Milliseconds that a part of an answer takes at most. */
const LATENCY = 30;

/** Replaces `fetch` until it is closed: each request goes to any server of the world. */
export function replaceFetch(world: World): Network {
  const { scheduler } = world;
  const { chance } = scheduler;
  const services = new WeakMap<Server, ReturnType<typeof createFollowingService>>();
  const streams = new Set<{ cut: (error: Error) => void; leave: () => void }>();
  const happens = () => network.faulty > 0 && chance.once(network.faulty);
  const travel = (label: string) => scheduler.sleep(chance.int(LATENCY), label);

  const serviceOf = (server: Server) => {
    const report = {
      refused: () => {},
      spam: () => {},
      error: (error: unknown) => scheduler.note(`reported ${String(error)}`),
    };
    const service = services.get(server) ?? createFollowingService(server.app, report, null);
    services.set(server, service);
    return service;
  };
  async function* delivered(server: Server, body: ReadableStream<Uint8Array>, signal: AbortSignal) {
    const reader = body.getReader();
    const broken = Promise.withResolvers<never>();
    broken.promise.catch(() => {});
    const leave = () => void scheduler.as(server.process, () => reader.cancel().catch(() => {}));
    const stream = { cut: broken.reject, leave };
    streams.add(stream);
    const abort = () => broken.reject(signal.reason);
    signal.addEventListener("abort", abort);
    void server.killed.then(() => broken.reject(new Error("the connection is reset")));
    try {
      for (;;) {
        const reading = scheduler.as(server.process, () => reader.read());
        const { done, value } = await Promise.race([reading, broken.promise]);
        if (done) return;
        const middle = chance.once(4) ? chance.int(value.length) : 0;
        for (const part of [value.subarray(0, middle), value.subarray(middle)]) {
          await Promise.race([travel("part"), broken.promise]);
          while (network.frozenUntil > scheduler.now())
            await Promise.race([
              scheduler.sleep(network.frozenUntil - scheduler.now(), "frozen"),
              broken.promise,
            ]);
          yield part;
        }
      }
    } finally {
      signal.removeEventListener("abort", abort);
      streams.delete(stream);
      leave();
    }
  }
  const answer = async (address: string, init: RequestInit): Promise<Response> => {
    await travel(init.method ?? "GET");
    const server = network.only === null ? chance.pick(world.servers) : world.servers[network.only];
    if (network.cutUntil > scheduler.now()) throw new Error("no connection");
    if (happens()) return new Response("<h1>Bad gateway</h1>", { status: 502 });
    const { signal, ...sent } = init;
    const outcome = await ask(world, server, async (own) =>
      serviceOf(own).routes.fetch(new Request(address, sent), CLIENT),
    );
    await travel(outcome.code);
    const response = outcome.value;
    if (!response || network.cutUntil > scheduler.now() || happens()) {
      world.troubled();
      response?.body?.cancel().catch(() => {});
      throw new Error("the answer is lost");
    }
    const { status, body, headers } = response;
    scheduler.note(`answered ${status}`);
    if (status === 200)
      return { status, headers, body: delivered(server!, body!, signal!) } as unknown as Response;
    return new Response(status === 204 ? null : await outside(response.text()), { status });
  };
  const { fetch } = globalThis;
  globalThis.fetch = answer as typeof fetch;
  const network: Network = {
    cutUntil: 0,
    frozenUntil: 0,
    faulty: 0,
    only: null,
    cut: () => streams.forEach(({ cut }) => cut(new Error("the stream is cut"))),
    leave: () => streams.forEach(({ leave }) => leave()),
    close: () => void (globalThis.fetch = fetch),
  };
  return network;
}
