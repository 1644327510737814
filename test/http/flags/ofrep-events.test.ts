import { join } from "node:path";
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { createToken, revokeToken } from "../../../src/access/tokens.ts";
import type { App } from "../../../src/app.ts";
import { watchChanges } from "../../../src/base/watch.ts";
import type { FlagPatch } from "../../../src/flags/flag.ts";
import { setFlag } from "../../../src/flags/flags.ts";
import { createOfrepService } from "../../../src/http/flags/ofrep.ts";
import { MAX_STREAMS_OF_CLIENT } from "../../../src/http/limits.ts";
import { createSite } from "../../../src/http/site.ts";
import { deleteEnvironment } from "../../../src/projects/environments.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { openServices, openTestApp, siteOptions } from "../../support/app.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { eventually } from "../../support/eventually.ts";

const app = openTestApp();
const { report, reported } = openServices(app);
const PEER = "198.51.100.7";

let shops = 0;
/** A project of which the flags are evaluated, with its two keys or with a token. */
async function openShop(on: App = app) {
  const slug = `shop-${(shops += 1)}`;
  const { key, environments } = await createProject(app, OPERATOR, { slug, environments: ["develop"] });
  const ofrep = createOfrepService(on, report);
  const site = createSite({ ofrep: async () => ofrep }, { ...siteOptions(app), report });
  const ask = async (path: string, init: RequestInit = {}, peer = PEER) =>
    site.fetch(new Request(`http://site.test${path}`, init), () => peer);
  const addressFor = async (headers: Record<string, string>) => {
    const answer = await ask("/ofrep/v1/evaluate/flags", { method: "POST", headers, body: "{}" });
    type Bulk = { eventStreams: [{ endpoint: { requestUri: string } }] };
    return ((await answer.json()) as Bulk).eventStreams[0].endpoint.requestUri;
  };
  const scope = { scopes: ["flags:evaluate" as const], project: slug, environment: "develop" };
  return {
    ask,
    streams: ofrep.streams,
    close: ofrep.close,
    ofKeys: () => addressFor({ "x-project-key": key, "x-environment-key": environments[0]!.key }),
    ofToken: async (name: string, expiresAt?: string) => {
      const { token } = await createToken(app, OPERATOR, { name: `${slug}-${name}`, expiresAt, ...scope });
      return addressFor({ "x-api-key": token });
    },
    revoke: (name: string) => revokeToken(app, OPERATOR, `${slug}-${name}`),
    remove: () => deleteEnvironment(app, OPERATOR, slug, "develop"),
    change: (patch: FlagPatch = {}) =>
      setFlag(app, OPERATOR, { project: slug, environment: "develop", flag: "sale" }, patch),
  };
}

/** Reads a stream; `events` grows, `isOver` tells of its end. */
function follow(answer: Response) {
  expect(answer.status).toBe(200);
  const state = { events: 0, isOver: false };
  void (async () => {
    for await (const chunk of answer.body!) state.events += Buffer.from(chunk).includes("event:") ? 1 : 0;
    state.isOver = true;
  })();
  return state;
}

describe("a stream of a token", () => {
  test("ends when the token is revoked, as its address does, and no other stream", async () => {
    const { ask, streams, ofKeys, ofToken, revoke, close } = await openShop();
    const addresses = [await ofToken("gone"), await ofToken("stays"), await ofKeys()];
    expect(new Set(addresses).size).toBe(3);
    const [gone, ...others] = await Promise.all(addresses.map(async (each) => follow(await ask(each))));
    expect(streams()).toBe(3);
    await revoke("gone");
    await eventually("the end of the stream", () => gone!.isOver);
    expect((await ask(addresses[0]!)).status).toBe(401);
    expect([streams(), others.some(({ isOver }) => isOver)]).toEqual([2, false]);
    close();
  });

  test("ends when the token expires", async () => {
    const { ask, streams, ofToken } = await openShop();
    const address = await ofToken("short", new Date(app.clock.now + 1000).toISOString());
    const stream = follow(await ask(address));
    await eventually("its first event", () => stream.events === 1);
    app.clock.now += 1000;
    await eventually("its end", () => stream.isOver);
    expect([streams(), (await ask(address)).status]).toEqual([0, 401]);
  });

  test("has an address that another server on the same data knows too", async () => {
    const first = await openShop();
    const address = await first.ofToken("shared");
    const second = await openShop();
    const answer = await second.ask(address);
    expect(answer.status).toBe(200);
    await answer.body?.cancel();
  });
});

describe("the place of a stream", () => {
  test("is taken by no HEAD request", async () => {
    const { ask, streams, ofKeys } = await openShop();
    const address = await ofKeys();
    for (let count = 0; count <= MAX_STREAMS_OF_CLIENT; count += 1) {
      const { status, body } = await ask(address, { method: "HEAD" });
      expect([status, body]).toEqual([200, null]);
    }
    expect(streams()).toBe(0);
    const answer = await ask(address);
    expect(answer.status).toBe(200);
    await answer.body?.cancel();
    expect(streams()).toBe(0);
  });

  test("is free again once the server has ended the stream", async () => {
    const gone = await openShop();
    const address = await gone.ofKeys();
    for (let count = 0; count < MAX_STREAMS_OF_CLIENT; count += 1)
      expect((await gone.ask(address)).status).toBe(200);
    expect((await gone.ask(address)).status).toBe(429);
    await gone.remove();
    await eventually("the end of all streams", () => gone.streams() === 0);
    const answer = await gone.ask(await (await openShop()).ofKeys());
    expect(answer.status).toBe(200);
    await answer.body?.cancel();
  });
});

test("an unknown error while changes are looked for is reported once, and later changes are told", async () => {
  let isBroken = false;
  const select: App["store"]["flags"]["select"] = async (environmentKey) => {
    if (isBroken) throw new TypeError("no such thing");
    return app.store.flags.select(environmentKey);
  };
  const { ask, ofKeys, change, close } = await openShop({
    ...app,
    store: { ...app.store, flags: { ...app.store.flags, select } },
  });
  const stream = follow(await ask(await ofKeys()));
  await eventually("its first event", () => stream.events === 1);
  isBroken = true;
  await change();
  await eventually("the report", () => reported.length > 0);
  isBroken = false;
  await eventually("the change", () => stream.events === 2);
  expect(reported).toEqual([new TypeError("no such thing")]);
  close();
});

test("an event of a shared database comes once no server trusts what it knew before the change", async () => {
  const store: App["store"] = { ...app.store, staleness: 100 };
  const [near, far] = [watchChanges(store), watchChanges(store)];
  const { ask, ofKeys, change, close } = await openShop({ ...app, store, watch: near });
  const stream = follow(await ask(await ofKeys()));
  await eventually("the first event", () => stream.events === 1);
  for (let round = 2; round < 5; round += 1) {
    await near.current(true);
    const before = (await far.current(true)).version;
    await change({ enabled: round % 2 === 0 });
    await eventually("the event", () => stream.events >= round);
    expect(far.known()?.version).not.toBe(before);
  }
  close();
  near.close();
  far.close();
});

test("a database that went back is told, although the flags have the same revision", async () => {
  const { ask, ofKeys, change, close } = await openShop();
  await change();
  const stream = follow(await ask(await ofKeys()));
  await eventually("its first event", () => stream.events === 1);
  using db = new Database(join(app.directory, "formflag.db"));
  db.run("UPDATE setup_version SET access = access - 1");
  await eventually("another event", () => stream.events === 2);
  close();
});
