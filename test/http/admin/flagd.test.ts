import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { createProject } from "../../../src/projects/projects.ts";
import { clientAt, openServices, openTestApp } from "../../support/app.ts";
import { OPERATOR } from "../../support/records/caller.ts";

type Json = Record<string, unknown>;
type Imported = {
  flags: { key: string; result: string }[];
  segments: { name: string; result: string }[];
  metadata: string;
};

const app = openTestApp();
const { reported, ...services } = openServices(app);
const admin = await services.admin();
let projects = 0;

/** A project of its own, with two environments. */
async function openProject() {
  const project = `project-${(projects += 1)}`;
  await createProject(app, OPERATOR, { slug: project, environments: ["develop", "staging"] });
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await admin.request(
      `/api/admin/v1/projects/${project}/environments/${path}`,
      body === undefined
        ? { method }
        : { method, body: JSON.stringify(body), headers: { "content-type": "application/json" } },
      { operator: () => "ann" },
    );
    return { status: answer.status, text: await answer.text() };
  };
  const read = async <T>(...args: Parameters<typeof ask>): Promise<T> => {
    const { status, text } = await ask(...args);
    if (status !== 200) throw new Error(`${status}: ${text}`);
    return JSON.parse(text) as T;
  };
  return {
    project,
    ask,
    read,
    set: (flag: string, patch: Json, environment = "develop") =>
      read<Json>("PATCH", `${environment}/flags/${flag}`, patch),
    list: async (environment = "develop") =>
      (await read<{ flags: Json[] }>("GET", `${environment}/flags`)).flags,
    import: (document: unknown, environment = "develop", query = "") =>
      read<Imported>("POST", `${environment}/flagd${query}`, document),
    exported: async (environment = "develop") => (await ask("GET", `${environment}/flagd`)).text,
  };
}

const results = ({ flags, segments }: Imported) =>
  Object.fromEntries(
    [...segments, ...flags].map((each) => ["key" in each ? each.key : each.name, each.result]),
  );
const flagOf = (more: Json = {}) => ({ state: "ENABLED", variants: { a: 1, b: 2 }, ...more });
const BOOLEAN = { variants: { on: true, off: false } };

describe("an import", () => {
  test("sets what it names, keeps all else, and says what it did", async () => {
    const { set, list, import: take, read } = await openProject();
    await set("old", { enabled: true, payload: 1 });
    await set("other", { enabled: true, payload: 2 });
    await set("other", { enabled: true, payload: 3 }, "staging");
    await read("PUT", "develop/segments/kept", { rule: { "==": [1, 1] } });
    const document = {
      flags: { old: flagOf({ defaultVariant: "b" }), fresh: { state: "DISABLED", ...BOOLEAN } },
      $evaluators: { staff: { "==": [{ var: "a" }, 1] } },
      metadata: { version: "2" },
    };
    const imported = await take(document);
    expect(results(imported)).toEqual({ staff: "created", old: "updated", fresh: "created" });
    expect(imported.metadata).toBe("updated");
    expect(await list()).toMatchObject([
      { slug: "fresh", enabled: false },
      { slug: "old", enabled: true, payload: 2, variants: { a: 1, b: 2 } },
      { slug: "other", enabled: true, payload: 2 },
    ]);
    expect(await list("staging")).toMatchObject([
      { slug: "fresh", enabled: false, payload: {} },
      { slug: "old", enabled: false, payload: {} },
      { slug: "other", enabled: true, payload: 3 },
    ]);
    const again = await take(document);
    expect(results(again)).toEqual({ staff: "unchanged", old: "unchanged", fresh: "unchanged" });
    expect(again.metadata).toBe("unchanged");
    const { segments } = await read<{ segments: Json[] }>("GET", "develop/segments");
    expect(segments.map(({ name }) => name)).toEqual(["kept", "staff"]);
  });

  test("and an export know operators that flagd does not have, which a file for flagd leaves out", async () => {
    const { import: take, exported, list, ask, project } = await openProject();
    const flags = {
      by: flagOf({ targeting: { if: [{ $ref: "near" }, "a"] } }),
      own: flagOf({ targeting: { if: [{ before: [{ var: "at" }, 5] }, "a"] } }),
      plain: flagOf(),
    };
    const $evaluators = {
      near: { or: [{ $ref: "inside" }, { in: [{ var: "id" }, ["a"]] }] },
      inside: { in_cidr: [{ var: "ip" }, "10.0.0.0/8"] },
    };
    await take({ flags, $evaluators });
    expect((await list()).map(({ slug }) => slug)).toEqual(["by", "own", "plain"]);
    expect(JSON.parse(await exported())).toEqual({
      $schema: "https://flagd.dev/schema/v0/flags.json",
      flags: { plain: flags.plain },
    });
    const path = `/api/admin/v1/projects/${project}/environments/develop/flagd`;
    const answer = await admin.request(path, {}, { operator: () => "ann" });
    expect(answer.headers.get("x-formflag-omitted")).toBe("2");
    const wrong = { targeting: { if: [{ matches: [{ var: "a" }, "("] }, "a"] } };
    expect(await ask("PATCH", "develop/flags/own", wrong)).toMatchObject({
      status: 400,
      text: expect.stringContaining("/targeting/if/0/matches/1: the pattern does not compile"),
    });
    expect(await ask("PUT", "develop/segments/x", { rule: { after: [{ var: "a" }, "x"] } })).toMatchObject({
      status: 400,
      text: expect.stringContaining("/after/1: "),
    });
  });

  test("that is only tried says the same and changes nothing", async () => {
    const { import: take, exported } = await openProject();
    const document = { flags: { a: flagOf() }, $evaluators: { s: {} }, metadata: { a: 1 } };
    const [before, version] = [await exported(), (await app.store.readVersion()).version];
    const tried = await take(document, "develop", "?dryRun=true");
    expect(await exported()).toBe(before);
    expect((await app.store.readVersion()).version).toBe(version);
    expect(await take(document)).toEqual(tried);
  });

  test("puts its segments into their order in the file, among the places they have", async () => {
    const { import: take, exported } = await openProject();
    const [a, b, c, d] = [1, 2, 3, 4].map((value) => ({ "==": [1, value] }));
    const order = async () => Object.keys((JSON.parse(await exported()) as Json)["$evaluators"] as Json);
    await take({ flags: {}, $evaluators: { a, b, c } });
    expect(results(await take({ flags: {}, $evaluators: { d, c, a } }))).toEqual({
      d: "created",
      c: "unchanged",
      a: "updated",
    });
    expect(await order()).toEqual(["d", "b", "c", "a"]);
  });

  test("of a reference to a segment that there is not is taken, and is a PARSE_ERROR", async () => {
    const { import: take, read } = await openProject();
    await take({ flags: { f: flagOf({ targeting: { if: [{ $ref: "gone" }, "a"] } }) } });
    expect(await read<Json>("POST", "develop/flags/f/evaluate", {})).toMatchObject({
      key: "f",
      errorCode: "PARSE_ERROR",
    });
  });

  test("takes 2,000 flags in 2 MB", async () => {
    const { import: take, list } = await openProject();
    const targeting = { if: [{ "==": [{ var: "a" }, "x".repeat(800)] }, "a"] };
    const flags = Object.fromEntries(
      Array.from({ length: 2000 }, (_, index) => [`flag-${index}`, flagOf({ targeting })]),
    );
    expect((await take({ flags })).flags).toHaveLength(2000);
    expect(await list()).toHaveLength(2000);
  }, 60_000);

  test("is refused beyond 16 MB", async () => {
    const { ask } = await openProject();
    const { status } = await ask("POST", "develop/flagd", {
      flags: {},
      metadata: { a: "x".repeat(2 ** 24) },
    });
    expect(status).toBe(413);
  });

  test.each<[what: string, document: Json, ...faults: string[]]>([
    ["no flags", {}, "/flags: "],
    ["flags that are a list", { flags: [] }, "/flags: "],
    ["an unknown part", { flags: {}, other: 1 }, "/other: "],
    ["an unknown part of a flag", { flags: { a: flagOf({ note: 1 }) } }, "/flags/a/note: "],
    ["no state", { flags: { a: { variants: { a: 1 } } } }, "/flags/a/state: "],
    ["no variants", { flags: { a: { state: "ENABLED" } } }, "/flags/a/variants: "],
    ["empty variants", { flags: { a: flagOf({ variants: {} }) } }, "/flags/a/variants: "],
    [
      "variants of two types",
      { flags: { a: flagOf({ variants: { a: 1, b: true } }) } },
      "/flags/a/variants: ",
    ],
    ["a variant that is a list", { flags: { a: flagOf({ variants: { a: [] } }) } }, "/flags/a/variants/a: "],
    ["an unknown default", { flags: { a: flagOf({ defaultVariant: "c" }) } }, "/flags/a/defaultVariant: "],
    [
      "a default that is a number",
      { flags: { a: flagOf({ defaultVariant: 1 }) } },
      "/flags/a/defaultVariant: ",
    ],
    [
      "an unknown operation",
      { flags: { a: flagOf({ targeting: { if: [{ no: 1 }, "a"] } }) } },
      "/flags/a/targeting/if/0: ",
    ],
    ["metadata in metadata", { flags: { a: flagOf({ metadata: { a: {} } }) } }, "/flags/a/metadata/a: "],
    ["metadata in that of the set", { flags: {}, metadata: { a: [] } }, "/metadata/a: "],
    ["a key that is no slug", { flags: { "a/b~": flagOf() } }, "/flags/a~1b~0: "],
    ["a reserved key", { flags: { preview: flagOf() } }, "/flags/preview: "],
    ["a payload of nothing", { flags: { "a.payload": flagOf() } }, "/flags/a.payload: "],
    [
      "a payload of a flag with variants",
      { flags: { a: flagOf(), "a.payload": flagOf() } },
      "/flags/a.payload: ",
    ],
    [
      "a payload that is none",
      { flags: { a: { state: "ENABLED", ...BOOLEAN, defaultVariant: "on" }, "a.payload": flagOf() } },
      "/flags/a.payload: ",
    ],
    ["a segment whose name is none", { flags: {}, $evaluators: { "a b": {} } }, "/$evaluators/a b: "],
    ["a segment that is no rule", { flags: {}, $evaluators: { a: true } }, "/$evaluators/a: "],
    [
      "an unknown operation in a segment",
      { flags: {}, $evaluators: { a: { if: [{ no: 1 }, true] } } },
      "/$evaluators/a/if/0: ",
    ],
    [
      "a segment of too many values",
      { flags: {}, $evaluators: { a: { or: Array.from({ length: 30_000 }, () => 1) } } },
      "/$evaluators/a: ",
    ],
    [
      "several faults at once",
      { flags: { a: 1, good: flagOf(), b: flagOf({ state: "on" }) }, metadata: 1 },
      "/metadata: ",
      "/flags/a: ",
      "/flags/b/state: ",
    ],
    [
      "more faults than are named",
      { flags: Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`f${index}`, 1])) },
      "/flags/f19: ",
      "and 10 more",
    ],
  ])("refuses %s, names the place, and takes nothing", async (_, document, ...faults) => {
    const { ask, exported } = await openProject();
    const before = await exported();
    const { status, text } = await ask("POST", "develop/flagd", document);
    const { error } = JSON.parse(text) as { error: { message: string } };
    expect(status).toBe(400);
    for (const fault of faults) expect(`${error.message}\n`).toContain(`\n${fault}`);
    expect(await exported()).toBe(before);
  });

  test("refuses segments that make the rule of a flag it does not name too large", async () => {
    const { import: take, ask } = await openProject();
    const uses = { or: Array.from({ length: 150 }, () => ({ $ref: "part" })) };
    await take({ flags: { large: flagOf({ targeting: { if: [uses, "a"] } }) } });
    const document = { flags: {}, $evaluators: { part: { in: [{ var: "a" }, "x".repeat(2000)] } } };
    const { status, text } = await ask("POST", "develop/flagd", document);
    expect({ status, text }).toEqual({ status: 400, text: expect.stringContaining("large") });
  });
});

const slug = fc
  .stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,12}$/)
  .filter((text) => !["preview", "code-refs"].includes(text) && !text.endsWith(".payload"));
const line = fc
  .string({ minLength: 1, unit: "grapheme" })
  .filter((text) => !/[\n\r\u2028\u2029]/u.test(text));
const primitive = fc.oneof(fc.string(), fc.boolean(), fc.double({ noNaN: true, noDefaultInfinity: true }));
const metadata = fc.dictionary(line, primitive, { maxKeys: 3 });
const expiry = fc.date({ min: new Date(0), max: new Date("9999-01-01"), noInvalidDate: true }).map(String);
const isoExpiry = fc
  .date({ min: new Date(0), max: new Date("9999-01-01"), noInvalidDate: true })
  .map((date) => date.toISOString());
const condition = fc.oneof(
  // Of a segment that no file brings, or one could refer to itself.
  slug.map((name) => ({ $ref: `no-${name}` })),
  fc.tuple(fc.constantFrom("==", "!==", ">="), line, primitive).map(([operator, name, value]) => ({
    [operator]: [{ var: name }, value],
  })),
  fc.tuple(fc.constantFrom("starts_with", "ends_with"), line).map(([operator, text]) => ({
    [operator]: [{ var: "email" }, text],
  })),
);

/** Anything that flagd's schema takes. */
const definition = fc
  .oneof(
    fc.dictionary(line, fc.boolean(), { minKeys: 1, maxKeys: 4 }),
    fc.dictionary(line, fc.string(), { minKeys: 1, maxKeys: 4 }),
    fc.dictionary(
      line,
      fc.oneof(fc.integer(), fc.float({ noNaN: true, noDefaultInfinity: true, min: -1, max: 1 })),
      {
        minKeys: 1,
        maxKeys: 4,
      },
    ),
    fc.dictionary(line, fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 3 }), {
      minKeys: 1,
      maxKeys: 4,
    }),
    fc.constant({ on: true, off: false }),
  )
  .chain((variants) => {
    const name = fc.constantFrom(...Object.keys(variants));
    const targeting = fc.oneof(
      fc.constant({}),
      fc.tuple(condition, name).map(([rule, variant]) => ({ if: [rule, variant] })),
      fc.tuple(name, fc.nat(100)).map(([variant, weight]) => ({
        fractional: [
          [variant, weight],
          [variant, 7],
        ],
      })),
    );
    return fc.record(
      {
        state: fc.constantFrom("ENABLED", "DISABLED"),
        variants: fc.constant(variants),
        defaultVariant: fc.oneof(name, fc.constant(null), fc.constant("")),
        targeting,
        metadata: fc.oneof(
          metadata,
          fc.record(
            { description: fc.string(), expiredAt: fc.oneof(isoExpiry, expiry) },
            { requiredKeys: [] },
          ),
        ),
      },
      { requiredKeys: ["state", "variants"] },
    );
  });

const document = fc
  .record({
    flags: fc.dictionary(slug, definition, { maxKeys: 4 }),
    $evaluators: fc.dictionary(slug, condition, { minKeys: 1, maxKeys: 3 }),
    metadata: metadata.filter((object) => Object.keys(object).length > 0),
  })
  .map((value) => JSON.parse(JSON.stringify(value)) as Json & { $evaluators: Json });

test("what is imported is exported the same, and again byte by byte", async () => {
  await fc.assert(
    fc.asyncProperty(document, async (given) => {
      const { import: take, exported } = await openProject();
      await take(given);
      const text = await exported();
      const { $schema, ...rest } = JSON.parse(text) as typeof given;
      expect($schema).toBe("https://flagd.dev/schema/v0/flags.json");
      expect(rest).toEqual(given);
      expect(Object.keys(rest.$evaluators)).toEqual(Object.keys(given.$evaluators));
      const second = await take(JSON.parse(text));
      expect(new Set(Object.values(results(second)))).toEqual(
        new Set(Object.values(results(second)).map(() => "unchanged")),
      );
      await take(JSON.parse(text), "staging");
      expect(await exported("staging")).toBe(text);
    }),
    { numRuns: 40 },
  );
}, 60_000);

test("plain flags are the same after an export and an import elsewhere", async () => {
  const plain = fc.record(
    {
      enabled: fc.boolean(),
      payload: fc.jsonValue({ maxDepth: 3 }),
      expiredAt: isoExpiry,
      description: fc.string({ unit: "grapheme" }),
    },
    { requiredKeys: [] },
  );
  const shown = (flags: Json[]) =>
    flags.map((flag) => ({ ...flag, createdAt: 0, updatedAt: 0, revision: 0 }));
  await fc.assert(
    fc.asyncProperty(fc.dictionary(slug, plain, { maxKeys: 4 }), async (given) => {
      const [here, there] = [await openProject(), await openProject()];
      for (const [name, patch] of Object.entries(given)) await here.set(name, patch);
      const text = await here.exported();
      for (const [project, environment] of [
        [here, "staging"],
        [there, "develop"],
      ] as const) {
        await project.import(JSON.parse(text), environment);
        expect(shown(await project.list(environment))).toEqual(shown(await here.list()));
        expect(await project.exported(environment)).toBe(text);
      }
    }),
    { numRuns: 25 },
  );
}, 60_000);

test("a flag that is rolled out takes its payload along", async () => {
  const { set, import: take, exported, list } = await openProject();
  const fractional = [
    ["on", 10],
    ["off", 90],
  ];
  const payload = { color: "green" };
  await set("nc", { enabled: true, payload, ...BOOLEAN, defaultVariant: "off", targeting: { fractional } });
  const text = await exported();
  await take(JSON.parse(text), "staging");
  expect((await list("staging"))[0]).toMatchObject({ payload, targeting: { fractional } });
  expect(await exported("staging")).toBe(text);
});

test("a segment that is only true or false is exported as a rule that flagd takes", async () => {
  const { read, exported, import: take } = await openProject();
  await read("PUT", "develop/segments/all", { rule: true });
  const text = await exported();
  await take(JSON.parse(text));
  expect(await exported()).toBe(text);
});

test("a flag with variants takes its description and its expiry along", async () => {
  const { set, import: take, exported, list } = await openProject();
  const expiredAt = "2030-01-02T03:04:05.678Z";
  await set("f", {
    enabled: true,
    description: "what it is for",
    expiredAt,
    variants: { a: 1 },
    metadata: { b: 2 },
  });
  const text = await exported();
  expect(JSON.parse(text)).toMatchObject({
    flags: { f: { metadata: { description: "what it is for", expiredAt, b: 2 } } },
  });
  await take(JSON.parse(text), "staging");
  expect((await list("staging"))[0]).toMatchObject({ expiredAt });
  expect(await exported("staging")).toBe(text);
});

test("every change is in the history, under the name of who made it", async () => {
  const { import: take, project } = await openProject();
  await take({ flags: { a: flagOf() }, $evaluators: { s: {} }, metadata: { b: 1 } });
  const { items } = await app.store.changes.page(project, { limit: 3 });
  const rows = items.toReversed().map(({ kind, name, who }) => ({ kind, name, who }));
  expect(rows).toEqual([
    { kind: "segment", name: "s", who: "ann" },
    { kind: "environment", name: "develop", who: "ann" },
    { kind: "flag", name: "a", who: "ann" },
  ]);
});

test("an imported flag is evaluated with the metadata of its definition and its set alone, until it is set here", async () => {
  const { import: take, set, project } = await openProject();
  await take({
    flags: {
      plain: { state: "ENABLED", ...BOOLEAN, defaultVariant: "on" },
      other: flagOf({ defaultVariant: "a" }),
    },
    metadata: { team: "web" },
  });
  const { key, environments } = (await app.store.projects.find(project))!;
  const headers = { "x-project-key": key, "x-environment-key": environments[0]!.key };
  const ofrep = await services.ofrep();
  const metadataOf = async (flag: string) => {
    const request = new Request("http://site.test/", { method: "POST", headers, body: "{}" });
    return ((await (await ofrep.evaluateOne(request, flag, () => clientAt("127.0.0.1"))).json()) as Json)[
      "metadata"
    ];
  };
  for (const flag of ["plain", "other"]) expect(await metadataOf(flag)).toEqual({ team: "web" });
  await set("plain", { enabled: false });
  expect(await metadataOf("plain")).toEqual({ description: "", updatedAt: expect.any(String) });
});

test("none of this was a bug to report", () => {
  expect(reported.filter((error) => !(error instanceof Error && error.name === "AppError"))).toEqual([]);
});
