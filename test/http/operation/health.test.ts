import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { AppError } from "../../../src/base/errors.ts";
import type { RequestRecord } from "../../../src/http/request-record.ts";
import { createSite } from "../../../src/http/site.ts";
import { openServices, openTestApp, siteOptions } from "../../support/app.ts";
import { eventually } from "../../support/eventually.ts";
import { BASE, openSites, PEER } from "../../support/site.ts";

const { openSite } = openSites();

test("a database that does not answer is a 503 at /healthz and /readyz", async () => {
  const closed = openTestApp();
  const { report, reported } = openServices(closed);
  const site = createSite({}, { ...siteOptions(closed), report });
  await closed.store.close();
  for (const path of ["/healthz", "/readyz"]) {
    const answer = await site.fetch(new Request(`${BASE}${path}`), () => PEER);
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ error: true, code: 503 });
  }
  expect(reported).toHaveLength(2);
});

test("storage that is not ready is reported, and does not decide the status", async () => {
  const app = openTestApp();
  const { report, reported } = openServices(app);
  const read = async () => {
    const site = createSite({}, { ...siteOptions(app), report });
    const answer = await site.fetch(new Request(`${BASE}/readyz`), () => PEER);
    return { status: answer.status, body: await answer.json() };
  };
  const both = { database: "ready", blobs: "ready" };
  expect(await read()).toEqual({ status: 200, body: { status: "ready", ...both } });
  rmSync(join(app.directory, "uploads"), { recursive: true });
  expect(await read()).toEqual({ status: 200, body: { status: "ready", ...both, blobs: "unavailable" } });
  expect(reported).toMatchObject([{ code: "unavailable" }]);
  await app.store.close();
  const states = { database: "unavailable", blobs: "unavailable" };
  expect(await read()).toMatchObject({ status: 503, body: { error: true, code: 503, ...states } });
});

test("storage that does not answer is unavailable, is asked once at a time, and reported once", async () => {
  const app = openTestApp();
  const { report, reported } = openServices(app);
  const answered = Promise.withResolvers<void>();
  let checks = 0;
  const slow = { ...app, blobs: { ...app.blobs, ready: () => ((checks += 1), answered.promise) } };
  let databaseChecks = 0;
  const ready = app.store.ready.bind(app.store);
  const counted = { ...slow, store: { ...app.store, ready: () => ((databaseChecks += 1), ready()) } };
  const site = createSite({}, { ...siteOptions(counted), report });
  const read = async () => {
    const answer = await site.fetch(new Request(`${BASE}/readyz`), () => PEER);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ status: "ready", database: "ready", blobs: "unavailable" });
  };
  await read();
  await eventually("the next check", async () => {
    await read();
    return databaseChecks === 2;
  });
  expect(checks).toBe(1);
  expect(reported).toEqual([]);
  answered.reject(new AppError("unavailable", "the object storage is unavailable"));
  await eventually("the report", async () => reported.length === 1);
});

test("readiness is checked once a second, however often it is read", async () => {
  const app = openTestApp();
  let checks = 0;
  const ready = app.store.ready.bind(app.store);
  const counted = { ...app, store: { ...app.store, ready: () => ((checks += 1), ready()) } };
  const site = createSite({}, { ...siteOptions(counted), report: openServices(app).report });
  const read = async () => (await site.fetch(new Request(`${BASE}/readyz`), () => PEER)).status;
  expect(new Set(await Promise.all(Array.from({ length: 100 }, read)))).toEqual(new Set([200]));
  expect(checks).toBe(1);

  await app.store.close();
  await eventually("the next check", async () => (await read()) === 503);
  expect(checks).toBe(2);
});

test("an answer about health says whether the sender that a proxy names counts", async () => {
  const { ask, askHot } = openSite({}, [PEER]);
  const header = "x-formflag-forwarded";
  const init = { headers: { "x-forwarded-for": "203.0.113.9" } };
  for (const get of [
    ask,
    (path: string, ...rest: [RequestInit, string]) => askHot(path, "", path, ...rest),
  ]) {
    expect((await get("/healthz", init, PEER)).headers.get(header)).toBe("trusted");
    expect((await get("/healthz", init, "198.51.100.8")).headers.get(header)).toBe("ignored");
    expect((await get("/healthz", {}, PEER)).headers.get(header)).toBeNull();
  }
});

test("a server that is about to stop is not ready, which is no failure in the log", async () => {
  const { ask, records } = openSite({}, [], { isDraining: () => true });
  expect((await ask("/readyz")).status).toBe(503);
  expect(records).toMatchObject([{ route: "/readyz", status: 503, isFailure: false }]);
});

test("a server that is not ready for another reason is a failure in the log", async () => {
  const closed = openTestApp();
  await closed.store.close();
  const records: RequestRecord[] = [];
  const site = createSite({}, { ...siteOptions(closed), log: (record) => void records.push(record) });
  await site.fetch(new Request(`${BASE}/readyz`), () => PEER);
  expect(records).toMatchObject([{ route: "/readyz", status: 503, isFailure: true }]);
});
