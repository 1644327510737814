import { readFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import { expect, test } from "bun:test";
import { type Listener, type Tls, listen } from "../../../cli/serve/listen.ts";
import { socketOptions } from "../../../cli/serve/socket-options.ts";
import { createRenewal } from "../../../cli/serve/renewal.ts";
import type { Site } from "../../../src/http/site.ts";
import { eventually } from "../../support/eventually.ts";

const PAIRS = join(import.meta.dir, "../../support/tls");
const pair = (name: string): Tls => ({
  cert: readFileSync(join(PAIRS, `${name}.cert.pem`), "utf8"),
  key: readFileSync(join(PAIRS, `${name}.key.pem`), "utf8"),
});

/** The common name of the certificate that a new connection gets. */
function nameAt(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.on("error", reject);
  });
}

/** Sites of some threads at one address, with a renewal that closes old sockets after so many milliseconds. */
function openThreads(count: number, retirement: number) {
  const site: Site = { hot: [], fetch: () => new Response(), warm: async () => {} };
  const reported: unknown[] = [];
  const report = (error: unknown) => void reported.push(error);
  let port = 0;
  const listeners = Array.from({ length: count }, (_, index): Listener => {
    const role = count === 1 ? "alone" : index === 0 ? "first" : "other";
    const listener = listen({ hostname: "127.0.0.1", port }, site, pair("one"), report, role);
    ({ port } = listener);
    return listener;
  });
  const open = { count };
  const sockets = listeners.map(({ sockets }) => ({
    ...sockets,
    add: async (tls: Tls) => {
      await sockets.add(tls);
      open.count += 1;
    },
    closeNewest: async () => {
      await sockets.closeNewest();
      open.count -= 1;
    },
    closeOldest: async () => {
      await sockets.closeOldest();
      open.count -= 1;
    },
  }));
  return { port, listeners, sockets, open, reported, renewal: createRenewal(sockets, retirement, report) };
}

test.each([1, 3])(
  "every connection to %p threads gets the newest certificate while sockets with old ones close",
  async (count) => {
    const { port, listeners, open, reported, renewal } = openThreads(count, 30);
    for (let turn = 1; turn <= 12; turn += 1) {
      const name = turn % 2 === 1 ? "two" : "one";
      await renewal.renew(pair(name));
      const names = await Promise.all(Array.from({ length: 12 }, () => nameAt(port)));
      expect([...new Set(names)]).toEqual([name]);
    }
    await eventually("the old sockets to close", () => open.count === count);
    expect(new Set(await Promise.all(Array.from({ length: 30 }, () => nameAt(port))))).toEqual(
      new Set(["one"]),
    );
    expect(reported).toEqual([]);
    renewal.stop();
    for (const listener of listeners) await listener.end();
  },
);

test.each([1, 3])(
  "if the kernel no longer spreads connections to %p threads, only the newest certificate is left at once",
  async (count) => {
    const { port, listeners, open, renewal } = openThreads(count, 3_600_000);
    await renewal.renew(pair("two"));
    const options = socketOptions();
    const { set } = options;
    options.set = () => false;
    try {
      await renewal.renew(pair("one"));
    } finally {
      options.set = set;
    }
    const names = await Promise.all(Array.from({ length: 30 }, () => nameAt(port)));
    expect([open.count, ...new Set(names)]).toEqual([count, "one"]);
    renewal.stop();
    for (const listener of listeners) await listener.end();
  },
);

test("a certificate that one of the threads cannot use changes nothing", async () => {
  const { port, listeners, sockets, open, renewal } = openThreads(3, 30);
  await renewal.renew(pair("two"));
  sockets[2]!.add = () => Promise.reject(new Error("no more files"));
  expect(await renewal.renew(pair("one")).catch(String)).toBe("Error: no more files");
  expect(new Set(await Promise.all(Array.from({ length: 12 }, () => nameAt(port))))).toEqual(
    new Set(["two"]),
  );
  await eventually("the old sockets to close", () => open.count === 3);
  expect(new Set(await Promise.all(Array.from({ length: 12 }, () => nameAt(port))))).toEqual(
    new Set(["two"]),
  );
  renewal.stop();
  for (const listener of listeners) await listener.end();
});
