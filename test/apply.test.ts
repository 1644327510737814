import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { createToken } from "../src/access/tokens.ts";
import { documentSchema } from "../src/documents/document-schema.ts";
import type { Difference, Document } from "../src/documents/document.ts";
import { planOf } from "../src/documents/plan-document.ts";
import type { Setup } from "../src/documents/setup.ts";
import { createForm } from "../src/forms/forms.ts";
import { storeSubmission } from "../src/forms/submissions.ts";
import { createProject } from "../src/projects/projects.ts";
import { stageText } from "./contracts/blobs.ts";
import { openServices, openTestApp } from "./support/app.ts";

const EMPTY: Setup = { version: 0, projects: [], forms: [] };

/** An empty server and ways to use documents on it. */
async function openWorld() {
  const app = openTestApp();
  const admin = await openServices(app).admin();
  const ask = (path: string, body?: object, token?: string) =>
    admin.request(
      `/api/admin/v1${path}`,
      {
        method: body ? "POST" : "GET",
        headers: {
          "content-type": "application/json",
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      },
      token === undefined ? { operator: () => "ann" } : {},
    );
  const apply = async (document: object, options: object = {}) => {
    const answer = await ask("/apply", { document, ...options });
    const body = (await answer.json()) as {
      changes: Difference[];
      error?: { code: string; message: string };
    };
    if (body.error) throw new Error(`${body.error.code}: ${body.error.message}`);
    return body.changes;
  };
  const shown = async () => (await (await ask("/export")).json()) as Document;
  return { app, ask, apply, shown };
}

/** `+ path`, `~ path` or `- path`. */
const told = (changes: Difference[]) =>
  changes.map(({ action, path }) => `${{ create: "+", update: "~", delete: "-" }[action]} ${path}`);

const shop = (flags: object, environments: object = { develop: {}, production: {} }) => ({
  projects: { shop: { environments, flags } },
});

describe("a plan", () => {
  const app = openTestApp();
  const plan = (document: object, setup = EMPTY) => planOf(app, setup, documentSchema.parse(document), false);

  test("makes a project with the usual environments where it names none", () => {
    expect(told(plan({ projects: { shop: {} } }).differences)).toEqual([
      "+ projects.shop",
      "+ projects.shop.environments.develop",
      "+ projects.shop.environments.staging",
      "+ projects.shop.environments.production",
    ]);
  });

  test("makes a flag in the environments named, with its description once", () => {
    const flag = { description: "A sale", environments: { develop: { enabled: true }, production: {} } };
    const { changes, differences } = plan(shop({ sale: flag }));
    expect(changes.slice(-2)).toEqual([
      {
        change: "setFlag",
        place: { project: "shop", environment: "develop", flag: "sale" },
        patch: { enabled: true, description: "A sale" },
      },
      { change: "setFlag", place: { project: "shop", environment: "production", flag: "sale" }, patch: {} },
    ]);
    expect(differences.at(-1)).toMatchObject({
      kind: "flag",
      before: null,
      after: { description: "A sale" },
    });
  });

  test("needs an environment for a flag", () => {
    expect(() => plan(shop({ sale: {} }, {}))).toThrow(
      "projects.shop.flags.sale: the project has no environment",
    );
  });
});

const SEGMENT = { ends_with: [{ var: "email" }, "@example.com"] };
const RULE = { if: [{ ends_with: [{ var: "email" }, "@example.com"] }, "on", null] };

/** What may stand in a document, names that look like something else among it. */
const name = fc.constantFrom("a", "b.c", "1", "null", "yes", "A-b_c");
const entry = fc.oneof(
  fc.record(
    {
      enabled: fc.boolean(),
      payload: fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown),
      expiredAt: fc.constantFrom(null, "2027-01-31T12:00:00+01:00", "2020-01-01T00:00:00Z"),
    },
    { requiredKeys: [] },
  ),
  fc.record(
    {
      enabled: fc.boolean(),
      variants: fc.constant({ on: true, off: false }),
      defaultVariant: fc.constantFrom("on", "off", null),
      targeting: fc.constantFrom(RULE, { $ref: "a" }, {}, null),
      metadata: fc.constant({ team: "x" }),
    },
    { requiredKeys: ["variants"] },
  ),
);
const project = fc.record({
  name: fc.string({ minLength: 1, maxLength: 20 }),
  environments: fc.constant({ one: { segments: { a: SEGMENT } }, two: { segments: { a: SEGMENT } } }),
  flags: fc.dictionary(
    name,
    fc.record(
      {
        description: fc.string(),
        environments: fc.dictionary(fc.constantFrom("one", "two"), entry, { noNullPrototype: true }),
      },
      { requiredKeys: [] },
    ),
    { noNullPrototype: true },
  ),
});
const document = fc.record({
  projects: fc.dictionary(name, project, { noNullPrototype: true, maxKeys: 2 }),
  forms: fc.dictionary(name, fc.record({ uploads: fc.boolean(), maxFiles: fc.constantFrom(null, 3) }), {
    noNullPrototype: true,
  }),
});

describe("a document", () => {
  test("that was applied is unchanged, and its export makes the same elsewhere", async () => {
    await fc.assert(
      fc.asyncProperty(document, document, async (first, second) => {
        const [here, there] = [await openWorld(), await openWorld()];
        for (const each of [first, second]) {
          await here.apply(each);
          expect(await here.apply(each)).toEqual([]);
        }
        const exported = await here.shown();
        expect(await here.apply(exported, { prune: true })).toEqual([]);
        await there.apply(exported);
        expect(await there.shown()).toEqual(exported);
        // Complete: whatever was there before, it is what the export says.
        await there.apply(first);
        await there.apply(exported, { prune: true, confirmed: true });
        expect(await there.shown()).toEqual(exported);
      }),
      { numRuns: 15 },
    );
  }, 60_000);

  test("changes what it names, and nothing else", async () => {
    const { apply, shown } = await openWorld();
    const rule = { "==": [{ var: "staff" }, true] };
    const before = { enabled: true, payload: { a: 1 }, expiredAt: "2027-01-01T00:00:00.000Z" };
    await apply({
      ...shop(
        { sale: { description: "A sale", environments: { develop: before } }, other: {} },
        { develop: { segments: { staff: rule } }, production: {} },
      ),
      forms: { contact: { uploads: true } },
    });
    const all = await shown();
    expect(
      await apply({
        projects: { shop: { flags: { sale: { environments: { develop: { enabled: false } } } } } },
      }),
    ).toEqual([
      {
        action: "update",
        kind: "flag",
        path: "projects.shop.flags.sale.environments.develop",
        before,
        after: { ...before, enabled: false },
      },
    ]);
    all.projects!["shop"]!.flags!["sale"]!.environments!["develop"]!.enabled = false;
    expect(await shown()).toEqual(all);
  });

  test("that names variants is the whole definition; one that names a payload makes the flag plain", async () => {
    const { apply, shown } = await openWorld();
    const set = async (develop: object) => {
      await apply(shop({ sale: { environments: { develop } } }));
      const { projects } = await shown();
      return projects!["shop"]!.flags!["sale"]!.environments!["develop"];
    };
    const variants = { on: true, off: false };
    const whole = { variants, defaultVariant: "on", targeting: RULE, metadata: { team: "x" } };
    expect(await set(whole)).toEqual({ enabled: false, expiredAt: null, ...whole });
    expect(await set({ variants })).toEqual({ enabled: false, expiredAt: null, variants });
    expect(await set({ defaultVariant: "off" })).toMatchObject({ variants, defaultVariant: "off" });
    expect(await set({ payload: {} })).toEqual({ enabled: false, expiredAt: null, payload: {} });
  });

  test("prunes in the sections that it has, and nowhere else", async () => {
    const { apply } = await openWorld();
    await apply({
      projects: {
        shop: {
          environments: {
            develop: { segments: { a: true, b: false } },
            production: { segments: { c: true } },
          },
          flags: { one: {}, two: {} },
        },
        other: { flags: { kept: {} } },
      },
      forms: { contact: {} },
    });
    const environments = { develop: { segments: { a: true } }, production: {} };
    expect(told(await apply({ projects: { shop: { environments } } }, { prune: true }))).toEqual([
      "- projects.shop.environments.develop.segments.b",
    ]);
    expect(told(await apply({ projects: { shop: { flags: { one: {} } } } }, { prune: true }))).toEqual([
      "- projects.shop.flags.two",
    ]);
    expect(told(await apply({ forms: {} }, { prune: true }))).toEqual(["- forms.contact"]);
    expect(told(await apply({ projects: { shop: {} } }, { prune: true }))).toEqual([]);
  });

  test("deletes environments, and forms with submissions and their files, only where confirmed", async () => {
    const { app, apply } = await openWorld();
    await apply({ projects: { shop: {} } });
    const form = await createForm(app, { slug: "contact", uploads: true });
    const blob = await stageText(app.blobs, "bytes");
    const files = [{ field: "file", name: "a.txt", type: "text/plain", blob }];
    await storeSubmission(app, form, { data: "{}", files });
    const document = { ...shop({}, { develop: {} }), forms: {} };
    expect(apply(document, { prune: true })).rejects.toThrow(
      "unconfirmed: this deletes projects.shop.environments.production with its flag values; " +
        "this deletes projects.shop.environments.staging with its flag values; " +
        "this deletes forms.contact with 1 submission",
    );
    expect((await app.store.environments.list("shop")).length).toBe(3);
    const dryRun = await apply(document, { prune: true, dryRun: true });
    expect(told(await apply(document, { prune: true, confirmed: true }))).toEqual(told(dryRun));
    expect((await app.store.environments.list("shop")).length).toBe(1);
    const left: string[] = [];
    for await (const keys of app.blobs.list()) left.push(...keys);
    expect(left).toEqual([]);
  });

  test("is recorded in the history with its author", async () => {
    const { app, apply } = await openWorld();
    await apply(shop({ sale: {} }));
    const changed = { develop: { segments: { staff: true } } };
    await apply(shop({ sale: { environments: { develop: { enabled: true } } } }, changed));
    const { Database } = await import("bun:sqlite");
    const database = new Database(`${app.directory}/formflag.db`, { readonly: true });
    const sql =
      "SELECT kind, name, environment, who FROM changes WHERE kind != 'environment' ORDER BY revision";
    expect(database.query(sql).all()).toEqual([
      { kind: "flag", name: "sale", environment: "develop", who: "ann" },
      { kind: "segment", name: "staff", environment: "develop", who: "ann" },
      { kind: "flag", name: "sale", environment: "develop", who: "ann" },
    ]);
    database.close();
  });

  test("that meets a change made meanwhile is a conflict, and nothing of it is applied", async () => {
    const { app, apply, shown } = await openWorld();
    await createProject(app, { slug: "shop" });
    const before = await shown();
    const { setup } = app.store;
    app.store.setup = {
      ...setup,
      async read(...args) {
        const found = await setup.read(...args);
        await createForm(app, { slug: "meanwhile" });
        return found;
      },
    };
    expect(apply({ projects: { shop: { flags: { sale: {} } } } })).rejects.toThrow(
      "conflict: something was changed",
    );
    app.store.setup = setup;
    expect((await shown()).projects).toEqual(before.projects);
  });

  test("that fails halfway leaves nothing", async () => {
    const { app, shown } = await openWorld();
    await createProject(app, { slug: "shop", environments: ["develop"] });
    const { version } = await app.store.setup.read([], false);
    const place = { project: "shop", environment: "develop", flag: "sale" };
    const changes = [
      { change: "setFlag" as const, place, patch: { enabled: true } },
      { change: "deleteForm" as const, form: "nope", key: "nope" },
    ];
    expect(app.store.setup.apply(changes, version, { who: "ann", at: 1 })).rejects.toThrow("does not exist");
    expect((await shown()).projects!["shop"]!.flags).toEqual({});
  });

  test("asks for a confirmation where an environment is locked", async () => {
    const { app, apply } = await openWorld();
    await apply(shop({ sale: {} }));
    const { Database } = await import("bun:sqlite");
    const database = new Database(`${app.directory}/formflag.db`);
    database.run("UPDATE environments SET locked = 1 WHERE slug = 'production'");
    database.close();
    const inside = (environment: string) => ({
      projects: { shop: { flags: { sale: { environments: { [environment]: { enabled: true } } } } } },
    });
    expect(apply(inside("production"))).rejects.toThrow(/^unconfirmed: .*production.* locked/);
    expect(apply({ projects: { shop: { flags: {} } } }, { prune: true })).rejects.toThrow("unconfirmed");
    expect((await apply(inside("production"), { dryRun: true })).length).toBe(1);
    expect((await apply(inside("develop"))).length).toBe(1);
    const described = shop({
      sale: { description: "Of spring" },
      news: { description: "New", environments: { develop: { enabled: true } } },
    });
    expect((await apply(described)).length).toBe(2);
    expect((await apply(inside("production"), { confirmed: true })).length).toBe(1);
  });
});

const worldOfFaults = await openWorld();
const flagIn = (develop: object) => shop({ "a.b": { environments: { develop } } });
const variants = { on: true, off: false };
const deep = () => JSON.parse(`${'{"!":'.repeat(100)}1${"}".repeat(100)}`) as object;

test.each<[string, object]>([
  ["projects: Invalid input: expected record", { projects: [] }],
  ['projects["a b"]: a project is named by', { projects: { "a b": {} } }],
  ['projects.shop: Unrecognized key: "flag"', { projects: { shop: { flag: {} } } }],
  ["projects.shop.flags.preview: this name is reserved", shop({ preview: {} })],
  ['projects.shop.flags["a.b"].environments.develop.enabled', flagIn({ enabled: "on" })],
  ['projects.shop.flags["a.b"].environments.develop.expiredAt', flagIn({ expiredAt: "2027-01-01" })],
  [
    'projects.shop.flags["a.b"].environments.develop: the default variant "x" is none',
    flagIn({ variants, defaultVariant: "x" }),
  ],
  [
    'projects.shop.flags["a.b"].environments.develop.targeting.if[0]: "foo" is not known',
    flagIn({ variants, targeting: { if: [{ foo: 1 }, "on"] } }),
  ],
  [
    'projects.shop.flags["a.b"].environments.develop.targeting: a rule has',
    flagIn({ variants, targeting: deep() }),
  ],
  [
    'projects.shop.flags["a.b"].environments.develop.variants: a variant has',
    flagIn({ variants: { on: deep() } }),
  ],
  [
    "projects.shop.flags.sale.environments.nope: there is no such",
    shop({ sale: { environments: { nope: {} } } }),
  ],
  [
    "projects.shop.environments.develop.segments.staff: ",
    shop({}, { develop: { segments: { staff: { foo: 1 } } } }),
  ],
  [
    "projects.shop.environments.develop.segments.staff: a rule has",
    shop({}, { develop: { segments: { staff: deep() } } }),
  ],
  [
    "forms.contact.allowedOrigins[0]: an origin looks like",
    { forms: { contact: { allowedOrigins: ["x"] } } },
  ],
])("a fault is told with its place, %s, and nothing is applied", async (message, broken) => {
  const { apply, shown } = worldOfFaults;
  const sound = { forms: { sound: {} }, projects: { sound: {} } };
  const whole = {
    projects: { ...sound.projects, ...("projects" in broken ? (broken.projects as object) : {}) },
    forms: { ...sound.forms, ...("forms" in broken ? (broken.forms as object) : {}) },
  };
  const document = "projects" in broken && Array.isArray(broken.projects) ? broken : whole;
  const error = await apply(document).catch((error: unknown) => error);
  expect(String(error)).toStartWith(`Error: invalid: ${message}`);
  expect(await shown()).toEqual({ projects: {}, forms: {} });
});

describe("over HTTP", () => {
  test("a dry run and an export take the scope read, an apply takes admin", async () => {
    const { app, ask } = await openWorld();
    const { token } = await createToken(app, { name: "ci", scopes: ["read"] });
    const document = { projects: { shop: {} } };
    expect((await ask("/apply", { document, dryRun: true }, token)).status).toBe(200);
    const refused = await ask("/apply", { document, confirmed: true }, token);
    expect([refused.status, await refused.json()]).toMatchObject([
      403,
      { error: { message: 'the token "ci" lacks the scope admin' } },
    ]);
    expect(await (await ask("/export", undefined, token)).json()).toEqual({ projects: {}, forms: {} });
  });

  test("an export is of the projects named, without forms unless they are asked for", async () => {
    const { ask, apply } = await openWorld();
    await apply({ projects: { one: {}, two: {}, three: {} }, forms: { contact: {} } });
    const keys = async (query: string) => {
      const { projects, forms } = (await (await ask(`/export${query}`)).json()) as Document;
      return [Object.keys(projects!), forms && Object.keys(forms)];
    };
    expect(await keys("?project=one&project=two")).toEqual([["one", "two"], undefined]);
    expect(await keys("?project=one&forms=true")).toEqual([["one"], ["contact"]]);
    expect(await keys("")).toEqual([["one", "three", "two"], ["contact"]]);
    expect((await ask("/export?project=nope")).status).toBe(404);
  });

  test("five thousand flags fit, and sixteen megabytes are the end", async () => {
    const { ask, apply } = await openWorld();
    const environments = { develop: { enabled: true, payload: { text: "x".repeat(500) } } };
    const flags = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`flag-${n}`, { environments }]));
    expect((await apply(shop(flags))).length).toBe(5003);
    expect(await apply(shop(flags))).toEqual([]);
    const large = await ask("/apply", { document: { $schema: "x".repeat(16 * 1024 * 1024) } });
    expect(large.status).toBe(413);
  }, 60_000);
});
