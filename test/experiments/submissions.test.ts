import { describe, expect, test } from "bun:test";
import { createToken } from "../../src/access/tokens.ts";
import { exportSubmissions } from "../../src/forms/transfer/export.ts";
import { deleteProject } from "../../src/forms/keeping/project-deletion.ts";
import { createSite } from "../../src/http/site.ts";
import { createProject } from "../../src/projects/projects.ts";
import { setFlag } from "../../src/flags/flags.ts";
import { openServices, openTestApp, siteOptions } from "../support/app.ts";
import { createForm } from "../../src/forms/forms.ts";
import { OPERATOR } from "../support/records/caller.ts";

const DAY = 86_400_000;
const app = openTestApp();
const services = openServices(app);
const site = createSite(services, { ...siteOptions(app), report: services.report });

await createProject(app, OPERATOR, { slug: "shop", environments: ["live"] });
const place = { project: "shop", environment: "live" };
const variants = { variants: { a: 1, b: 2 }, defaultVariant: "b" };
await setFlag(app, OPERATOR, { ...place, flag: "hero" }, { enabled: true, browser: true, ...variants });
await setFlag(app, OPERATOR, { ...place, flag: "search" }, { enabled: true, browser: true });
await setFlag(app, OPERATOR, { ...place, flag: "hidden" }, { enabled: true });
const { token: key } = await createToken(app, OPERATOR, {
  name: "site",
  scopes: ["flags:browser"],
  ...place,
});
const form = await createForm(app, OPERATOR, { slug: "contact" });

async function ask(init: { headers?: Record<string, string>; token?: string } = {}) {
  const request = new Request("http://site.test/ofrep/v1/evaluate/flags", {
    method: "POST",
    headers: { "x-api-key": init.token ?? key, ...init.headers },
    body: JSON.stringify({ context: { targetingKey: "u1" } }),
  });
  return site.fetch(request, () => "198.51.100.7");
}
const assigned = async () => (await ask()).headers.get("x-formflag-assignment")!;

async function submit(body: object, headers: Record<string, string> = {}, to = form.key) {
  const request = new Request(`http://site.test/v1/s/${to}?mode=rest`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const answer = await site.fetch(request, () => "198.51.100.7");
  return { status: answer.status, json: (await answer.json()) as { id: string } };
}
async function stored(body: object, headers: Record<string, string> = {}) {
  const { status, json } = await submit(body, headers);
  expect(status).toBe(200);
  return (await app.store.submissions.find(json.id))!;
}

const SEEN = {
  ...place,
  at: "2026-01-02T03:04:00.000Z",
  variants: { hero: "b", search: "on" },
};

describe("a bulk answer to a browser key", () => {
  test("has an assignment outside its entity tag, on 304 too", async () => {
    const first = await ask();
    const etag = first.headers.get("etag")!;
    expect(first.headers.get("access-control-expose-headers")).toContain("X-Formflag-Assignment");
    app.clock.now += 60_000;
    const second = await ask({ headers: { "if-none-match": etag } });
    expect(second.status).toBe(304);
    const before = first.headers.get("x-formflag-assignment")!;
    const after = second.headers.get("x-formflag-assignment")!;
    expect(before).toMatch(/^[\w-]{40,4096}$/);
    expect(after).not.toBe(before);
    app.clock.now -= 60_000;
  });

  test("is the only one that has an assignment", async () => {
    const { token } = await createToken(app, OPERATOR, {
      name: "server",
      scopes: ["flags:evaluate"],
      ...place,
    });
    expect((await ask({ token })).headers.has("x-formflag-assignment")).toBe(false);
  });
});

describe("a submission", () => {
  test("has the variants of the assignment in its field or header, and the field nowhere in its data", async () => {
    const text = await assigned();
    const inField = await stored({ name: "Ann", _formflag: text });
    expect([inField.flags, inField.data]).toEqual([SEEN, { name: "Ann" }]);
    expect((await stored({ name: "Ben" }, { "x-formflag-assignment": text })).flags).toEqual(SEEN);
  });

  test("takes the first valid assignment, and ignores others", async () => {
    const text = await assigned();
    for (const field of ["", "nonsense", 7, { a: 1 }, [`${text}x`, text]]) {
      const { flags, data } = await stored(
        { name: "Ann", _formflag: field },
        { "x-formflag-assignment": text },
      );
      expect([flags, data]).toEqual([SEEN, { name: "Ann" }]);
    }
    for (const field of ["", "nonsense", null, text.slice(1), text.toUpperCase()]) {
      const { flags, spam } = await stored({ name: "Ann", _formflag: field });
      expect([flags, spam]).toEqual([null, null]);
    }
  });

  test("of an assignment older than seven days, or of an environment that is gone, has none", async () => {
    const text = await assigned();
    app.clock.now += 7 * DAY - 60_000;
    expect((await stored({ name: "Ann", _formflag: text })).flags).toEqual(SEEN);
    app.clock.now += 2 * 60_000;
    expect((await stored({ name: "Ann", _formflag: text })).flags).toBeNull();
    app.clock.now -= 7 * DAY + 60_000;
    await createProject(app, OPERATOR, { slug: "gone", environments: ["live"] });
    const there = { project: "gone", environment: "live" };
    const { token } = await createToken(app, OPERATOR, { name: "g", scopes: ["flags:browser"], ...there });
    const of = (await ask({ token })).headers.get("x-formflag-assignment")!;
    await deleteProject(app, { ...OPERATOR, hasConfirmed: () => true }, "gone");
    expect((await stored({ name: "Ann", _formflag: of })).flags).toBeNull();
  });

  test("is the same repeat with another assignment", async () => {
    const key = { "idempotency-key": "one" };
    const first = await submit({ name: "Ann", _formflag: await assigned() }, key);
    const again = await submit({ name: "Ann" }, key);
    expect([again.status, again.json.id]).toEqual([200, first.json.id]);
  });

  test("is exported with its variants: a member of JSONL, the last column of CSV", async () => {
    const text = await assigned();
    const own = await createForm(app, OPERATOR, { slug: "signup" });
    await submit({ name: "Ann", _formflag: text }, {}, own.key);
    await submit({ name: "Ben" }, {}, own.key);
    const exported = async (format: "jsonl" | "csv") =>
      (await Array.fromAsync(exportSubmissions(app, own, format, { states: ["inbox"] }))).join("");
    const lines = (await exported("jsonl")).trim().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { flags: unknown }).flags)).toEqual([null, SEEN]);
    expect((await exported("csv")).split("\r\n").map((line) => line.split(",").slice(2))).toEqual([
      ['"name"', "files", "flags"],
      ['"Ben"', "", ""],
      ['"Ann"', "", '"hero=b search=on"'],
      [],
    ]);
  });
});
