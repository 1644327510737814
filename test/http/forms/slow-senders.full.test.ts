import { heapStats } from "bun:jsc";
import { connect } from "node:net";
import { expect, test } from "bun:test";
import { listen } from "../../../cli/serve/listen.ts";
import { eventually } from "../../support/eventually.ts";
import { createForm } from "../../../src/forms/forms.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { openSites } from "../../support/site.ts";

const SENDERS = 300;

/** Objects of requests and their bodies that nothing has given back. */
function living(): number {
  Bun.gc(true);
  const counts: Record<string, number> = heapStats().objectTypeCounts;
  const of = ["BunRequest", "Request", "ReadableStream", "AsyncFunctionGenerator", "AbortSignal"];
  return of.reduce((sum, type) => sum + (counts[type] ?? 0), 0);
}

test.each(["sends the rest", "leaves"])(
  "a slow sender that %s leaves nothing in memory",
  async (end) => {
    const { app, services, openSite } = openSites();
    const { key } = await createForm(app, OPERATOR, { slug: "contact" });
    const { site } = openSite(services, [], { log: () => {} });
    const server = listen({ hostname: "127.0.0.1", port: 0 }, site, null, () => {});
    const body = JSON.stringify({ message: "x".repeat(300) });
    const open = async () => {
      const socket = connect(server.port, "127.0.0.1");
      const closed = new Promise((resolve) => socket.on("close", resolve));
      socket.on("error", () => {});
      socket.resume();
      const head = `POST /v1/s/${key}?mode=rest HTTP/1.1\r\nHost: a\r\nConnection: close\r\n`;
      socket.write(`${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`);
      for (let at = 0; at < 30; at += 3) {
        socket.write(body.slice(at, at + 3));
        await Bun.sleep(5);
      }
      if (end === "leaves") socket.destroy();
      else socket.write(body.slice(30));
      return closed;
    };
    const round = () => Promise.all(Array.from({ length: SENDERS }, open));
    await round();
    const before = living();
    for (let turn = 0; turn < 3; turn += 1) await round();
    await eventually("the end of every request", () => living() <= before + SENDERS / 10);
    await server.end();
    expect(living()).toBeLessThan(before + SENDERS / 10);
  },
  60_000,
);
