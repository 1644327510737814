import { describe, expect, test } from "bun:test";
import { isoTime } from "../../src/base/clock.ts";
import type { FlagRead } from "../../src/flags/store.ts";
import type { FlagPatch, FlagRecord } from "../../src/flags/flag.ts";
import { setFlag } from "../../src/flags/flags.ts";
import { removeReferences, uploadReferences } from "../../src/flags/code/code-references.ts";
import { READ_INTERVAL, createReads, neverRead } from "../../src/flags/reads/reads.ts";
import type { FlagRules } from "../../src/flags/rules/rules.ts";
import { findStale, judge } from "../../src/flags/stale.ts";
import { createFlagsService } from "../../src/http/flags/flags.ts";
import { createOfrepService } from "../../src/http/flags/ofrep.ts";
import { createProject } from "../../src/projects/projects.ts";
import { clientAt, openServices, openTestApp } from "../support/app.ts";
import { OPERATOR } from "../support/records/caller.ts";
import { flagRecord } from "../support/records/records.ts";

const DAY = 86_400_000;
const SPAN = 30 * DAY;
const NOW = 1000 * DAY;
/** A flag that was made, changed and read just now, unless told. */
const seen = (more: Partial<FlagRecord> & { readAt?: number | null } = {}) => {
  const { readAt = NOW, ...record } = more;
  return {
    readAt,
    record: flagRecord("flag", { enabled: true, createdAt: NOW, updatedAt: NOW, ...record }),
  };
};
/** Unchanged for as long as it takes. */
const old = (more: Parameters<typeof seen>[0] = {}) => seen({ updatedAt: NOW - SPAN, ...more });
const targeting = (rule: unknown, more: Partial<FlagRules> = {}) => ({
  rules: JSON.stringify({
    variants: { on: true, off: false },
    defaultVariant: "off",
    targeting: rule,
    ...more,
  }),
});
const reasons = (...all: ReturnType<typeof seen>[]) => judge(all, NOW, SPAN)?.reasons ?? [];

describe("a flag looks finished", () => {
  test("when it is expired in every environment, from the last expiry on", () => {
    expect(judge([seen({ expiresAt: NOW - 5 }), seen({ expiresAt: NOW - 2 })], NOW, SPAN)).toEqual({
      reasons: ["expired"],
      since: isoTime(NOW - 2),
    });
    expect(reasons(seen({ expiresAt: NOW - 5 }), seen())).toEqual([]);
    expect(reasons(seen({ expiresAt: NOW + 1 }))).toEqual([]);
  });

  test("when it is on or off everywhere and was not changed since", () => {
    expect(judge([old(), old({ updatedAt: NOW - SPAN - 7 })], NOW, SPAN)).toEqual({
      reasons: ["settled"],
      since: isoTime(NOW - SPAN),
    });
    expect(reasons(old({ enabled: false }), old({ enabled: false }))).toEqual(["settled"]);
    expect(reasons(old(), old({ enabled: false }))).toEqual([]);
    expect(reasons(old(), old({ updatedAt: NOW - SPAN + 1 }))).toEqual([]);
  });

  test("not by being on while it needs another, which others may get and not everyone", () => {
    const requires = '[{"flag":"cart"}]';
    expect(reasons(old({ requires }))).toEqual([]);
    expect(reasons(old({ ...targeting({}), requires }))).toEqual([]);
    expect(reasons(old({ requires, enabled: false }))).toEqual(["settled"]);
  });

  test("when it was not read since, where one that never was counts from when it was made", () => {
    expect(judge([seen({ readAt: NOW - SPAN })], NOW, SPAN)).toEqual({
      reasons: ["unread"],
      since: isoTime(NOW - SPAN),
    });
    expect(reasons(seen({ readAt: null, createdAt: NOW - SPAN }))).toEqual(["unread"]);
    expect(reasons(seen({ readAt: null }))).toEqual([]);
    expect(reasons(seen({ readAt: NOW - SPAN }), seen())).toEqual([]);
    expect(reasons(seen({ readAt: null, createdAt: NOW - SPAN }), seen({ createdAt: NOW - SPAN }))).toEqual(
      [],
    );
  });

  test("when no branch of the uploaded code names it, unless it is newer than every upload", () => {
    const code = (uploadedAt: number, ...slugs: string[]) => ({ uploadedAt, slugs: new Set(slugs) });
    expect(judge([seen(), seen()], NOW, SPAN, code(NOW + 4, "other"))).toEqual({
      reasons: ["unreferenced"],
      since: isoTime(NOW + 4),
    });
    expect(judge([seen()], NOW, SPAN, code(NOW + 4, "other", "flag"))).toBeUndefined();
    expect(judge([seen()], NOW, SPAN, code(NOW - 1))).toBeUndefined();
    expect(judge([seen()], NOW, SPAN, null)).toBeUndefined();
  });

  test("for every reason there is, since the first of them", () => {
    const all = old({ expiresAt: NOW - SPAN - 9, readAt: NOW - SPAN - 3 });
    expect(judge([all], NOW, SPAN)).toEqual({
      reasons: ["expired", "settled", "unread"],
      since: isoTime(NOW - SPAN - 9),
    });
  });

  test("and its expiry counts as a change", () => {
    expect(reasons(old({ expiresAt: NOW - 1 }))).toEqual(["expired"]);
    expect(reasons(old({ expiresAt: NOW + 1 }))).toEqual(["settled"]);
  });
});

describe("a rule is the same for everybody", () => {
  test.each<[unknown]>([
    [undefined],
    [{}],
    ["on"],
    [true],
    [{ fractional: [["on", 100]] }],
    [{ fractional: [{ var: "email" }, ["on", 100], ["off", 0]] }],
    [{ fractional: [["on"], ["on"]] }],
    [{ if: [{ var: "beta" }, "on", "on"] }],
    [{ if: [{ var: "beta" }, "off"] }],
    [{ if: [true, "on", "off"] }],
    [{ if: [false, "on", { if: [{ var: "beta" }, "off", null] }] }],
  ])("%j", (rule) => {
    expect(reasons(old(targeting(rule)))).toEqual(["settled"]);
  });

  test.each<[unknown]>([
    [
      {
        fractional: [
          ["on", 99],
          ["off", 1],
        ],
      },
    ],
    [{ fractional: [["on"], ["off"]] }],
    [{ if: [{ var: "beta" }, "on"] }],
    [{ if: [{ var: "beta" }, "on", "off"] }],
    [{ if: [{ var: "a" }, "on", { var: "b" }, "off", "on"] }],
    [{ $ref: "staff" }],
    [{ var: "variant" }],
  ])("but not %j", (rule) => {
    expect(reasons(old(targeting(rule)))).toEqual([]);
  });

  test("only where it yields the same in every environment", () => {
    const [on, off] = [old(targeting("on")), old(targeting("off"))];
    expect(reasons(on, on, old())).toEqual(["settled"]);
    expect(reasons(off, old({ enabled: false }))).toEqual(["settled"]);
    expect(reasons(on, off)).toEqual([]);
  });
});

/** A project with flags `a` and `b`, readers that are counted, and what was counted. */
async function openShop() {
  const app = openTestApp();
  const { key, environments } = await createProject(app, OPERATOR, {
    slug: "shop",
    environments: ["develop", "live"],
  });
  const set = (flag: string, environment = "live", patch: FlagPatch = { enabled: true }) =>
    setFlag(app, OPERATOR, { project: "shop", environment, flag }, patch);
  await set("a");
  await set("b");
  const { report } = openServices(app);
  const reads = createReads(app.store);
  const service = createFlagsService(app, report, undefined, reads.note);
  const client = () => clientAt("127.0.0.1");
  const live = environments.find(({ slug }) => slug === "live")!;
  const ask = (slug: string | null, more: Record<string, string> = {}) => {
    const headers = { "x-project-key": key, "x-environment-key": live.key, ...more };
    const request = new Request("http://localhost/", { headers });
    return slug === null ? service.readFlags(request, client) : service.readFlag(request, slug, client);
  };
  const ofrep = createOfrepService(app, report, { noteRead: reads.note });
  const evaluate = (flag: string | null) => {
    const headers = { "x-project-key": key, "x-environment-key": live.key };
    const request = new Request("http://localhost/", { method: "POST", headers, body: "{}" });
    return flag === null ? ofrep.evaluateAll(request, client) : ofrep.evaluateOne(request, flag, client);
  };
  const kept = async () => Object.fromEntries(await app.store.flags.reads("shop", "live"));
  return { app, set, ask, evaluate, kept, flush: reads.flush };
}

test("a flag that uploaded code no longer names on any branch looks finished", async () => {
  const { app } = await openShop();
  const upload = (branch: string, ...slugs: string[]) => {
    const place = { filePath: "a.ts", lineNumber: 1, lineContent: "" };
    const references = Object.fromEntries(slugs.map((slug) => [slug, [place]]));
    const body = JSON.stringify({ branch, projectName: "web", references });
    return uploadReferences(app, OPERATOR, "shop", Buffer.from(body));
  };
  const stale = async () =>
    (await findStale(app, { project: "shop", environment: null, days: 30 })).map(({ slug }) => slug);
  expect(await stale()).toEqual([]);
  const others = Array.from({ length: 1500 }, (_, index) => String(index).padStart(4, "0"));
  await upload("main", "a");
  await upload("next", ...others, "b");
  expect(await stale()).toEqual([]);
  await upload("next", "a");
  expect(await stale()).toEqual(["b"]);
  await removeReferences(app, OPERATOR, "shop", { branch: "main" });
  await removeReferences(app, OPERATOR, "shop", { branch: "next", projectName: "web" });
  expect(await stale()).toEqual([]);
});

test("a flag that another one needs is not finished by never being read or named itself", async () => {
  const { app, set } = await openShop();
  const references = { c: [{ filePath: "a.ts", lineNumber: 1, lineContent: "" }] };
  const body = JSON.stringify({ branch: "main", projectName: "web", references });
  const requires = [{ flag: "b" }];
  await set("c", "live", { enabled: true, requires });
  app.clock.now += SPAN;
  await set("b", "live", { enabled: true, payload: 1 });
  await uploadReferences(app, OPERATOR, "shop", Buffer.from(body));
  const reasonsOf = async (slug: string, environment: string | null = null) =>
    (await findStale(app, { project: "shop", environment, days: 30 })).find((each) => each.slug === slug)
      ?.reasons ?? [];
  expect(await reasonsOf("b")).toEqual([]);
  expect(await reasonsOf("b", "develop")).toEqual(["settled", "unread", "unreferenced"]);
  app.clock.now += SPAN;
  expect(await reasonsOf("b", "live")).toEqual(["settled"]);
  await set("c", "live", { requires: null });
  expect(await reasonsOf("b")).toEqual(["unread", "unreferenced"]);
});

describe("reads", () => {
  test("that could not be stored are stored with the next ones, the newest of each flag", async () => {
    const { store } = openTestApp();
    const taken: FlagRead[][] = [];
    let isFull = true;
    const markRead = async (reads: FlagRead[]) => {
      if (isFull) throw new Error("the disk is full");
      taken.push(reads);
    };
    const reads = createReads({ ...store, flags: { ...store.flags, markRead } });
    const note = (slug: string, at: number) => reads.note(neverRead(), "key", slug, at);
    note("a", 1);
    note("b", 2);
    expect(await reads.flush().catch(String)).toContain("the disk is full");
    note("a", 3);
    isFull = false;
    await reads.flush();
    await reads.flush();
    expect(taken.map((reads) => reads.map(({ slug, at }) => [slug, at]))).toEqual([
      [
        ["a", 3],
        ["b", 2],
      ],
    ]);
  });

  test("of a flag count for it, in the environment that was asked", async () => {
    const { app, ask, kept, flush } = await openShop();
    await ask("a");
    expect(await kept()).toEqual({});
    await flush();
    expect(await kept()).toEqual({ a: app.clock.now });
    expect(await app.store.flags.reads("shop", "develop")).toEqual(new Map());
  });

  test("of all flags count for each of them, and so does an answer that nothing changed", async () => {
    const { app, ask, kept, flush } = await openShop();
    const etag = (await ask(null)).headers.get("etag")!;
    await flush();
    expect(await kept()).toEqual({ a: app.clock.now, b: app.clock.now });
    app.clock.now += READ_INTERVAL;
    expect((await ask(null, { "if-none-match": etag })).status).toBe(304);
    await flush();
    expect(await kept()).toEqual({ a: app.clock.now, b: app.clock.now });
  });

  test("over OFREP count too, and those of a payload for its flag", async () => {
    const { app, set, evaluate, kept, flush } = await openShop();
    await set("a", "live", { payload: 1 });
    expect((await evaluate("a.payload")).status).toBe(200);
    expect((await evaluate("c")).status).toBe(404);
    await flush();
    expect(await kept()).toEqual({ a: app.clock.now });
    app.clock.now += READ_INTERVAL;
    expect((await evaluate(null)).status).toBe(200);
    await flush();
    expect(await kept()).toEqual({ a: app.clock.now, b: app.clock.now });
  });

  test("of a flag that is not there, or with wrong keys, count for nothing", async () => {
    const { ask, kept, flush } = await openShop();
    expect((await ask("c")).status).toBe(404);
    expect((await ask("a", { "x-project-key": "wrong" })).status).toBe(401);
    await flush();
    expect(await kept()).toEqual({});
  });

  test("are stored once an hour at most, each time with what is new", async () => {
    const { app, ask, kept, flush } = await openShop();
    const first = app.clock.now;
    await ask("a");
    app.clock.now += READ_INTERVAL - 1;
    await ask("a");
    await ask("b");
    await flush();
    expect(await kept()).toEqual({ a: first, b: app.clock.now });
    app.clock.now += 1;
    await ask("a");
    await flush();
    expect(await kept()).toEqual({ a: app.clock.now, b: app.clock.now - 1 });
  });

  test("that are stored already are not stored again", async () => {
    const { app, ask, flush } = await openShop();
    await ask("a");
    await flush();
    const { commitWrites } = await app.store.stats();
    const before = commitWrites.sum;
    await flush();
    expect((await app.store.stats()).commitWrites.sum).toBe(before);
  });

  test("are not lost where a flag changes before they are stored", async () => {
    const { app, set, ask, kept, flush } = await openShop();
    await ask("a");
    await ask("b");
    const before = app.clock.now;
    app.clock.now += 5;
    await set("c");
    await ask("b");
    await flush();
    expect(await kept()).toEqual({ a: before, b: before + 5 });
  });

  test("stored while flags are read do not make the snapshots again", async () => {
    const { app, ask, flush } = await openShop();
    await ask("a");
    const version = (await app.store.readVersion()).version;
    await flush();
    expect((await app.store.readVersion()).version).toBe(version);
  });

  test("decide which flags are stale, in one environment and in all", async () => {
    const { app, set, ask, flush } = await openShop();
    app.clock.now += SPAN;
    await set("b", "develop");
    await ask("a");
    await flush();
    const stale = (environment: string | null) => findStale(app, { project: "shop", environment, days: 30 });
    const since = isoTime(app.clock.now - SPAN);
    expect(await stale(null)).toEqual([{ slug: "b", environment: null, reasons: ["unread"], since }]);
    expect(await stale("live")).toEqual([
      { slug: "a", environment: "live", reasons: ["settled"], since },
      { slug: "b", environment: "live", reasons: ["settled", "unread"], since },
    ]);
    expect((await stale("develop")).map(({ slug }) => slug)).toEqual(["a", "b"]);
  });
});
