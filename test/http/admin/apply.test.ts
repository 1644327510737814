import { describe, expect, test } from "bun:test";
import { createToken } from "../../../src/access/tokens.ts";
import type { Document } from "../../../src/documents/document.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { openDocuments, shop } from "../../support/records/documents.ts";

const worldOfFaults = await openDocuments();
const flagIn = (develop: object) => shop({ "a.b": { environments: { develop } } });
const variants = { on: true, off: false };
const deep = () => JSON.parse(`${'{"!":'.repeat(100)}1${"}".repeat(100)}`) as object;

test.each<[string, object]>([
  ["projects: it has to be an object, not a list", { projects: [] }],
  ['projects["a b"]: a project is named by', { projects: { "a b": {} } }],
  ['projects.shop: unknown key "flag"; the keys are name, mailFrom', { projects: { shop: { flag: {} } } }],
  ["projects.shop.flags.preview: this name is reserved", shop({ preview: {} })],
  ['projects.shop.flags["a.b"].environments.develop.enabled', flagIn({ enabled: "on" })],
  ['projects.shop.flags["a.b"].environments.develop.expiredAt', flagIn({ expiredAt: "2027-01-01" })],
  [
    'projects.shop.flags["a.b"].environments.develop: the default variant "x" is not one of the variants',
    flagIn({ variants, defaultVariant: "x" }),
  ],
  [
    'projects.shop.flags["a.b"].environments.develop.targeting.if[0]: "foo" is not an operator',
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
    "projects.shop.flags.sale.environments.nope: this environment does not exist",
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
  ["forms.contact.spamWords[1]: a spam word is", { forms: { contact: { spamWords: ["a", "*"] } } }],
  [
    "forms.contact.schema: the schema is invalid at #/properties/a/pattern",
    { forms: { contact: { schema: { properties: { a: { pattern: "(?=a)" } } } } } },
  ],
  [
    'forms["a.b"].closesAt: the form would close at',
    { forms: { "a.b": { opensAt: "2027-01-02T00:00:00Z", closesAt: "2027-01-01T00:00:00Z" } } },
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

test("keys that begin with x- are left out at every level, and names that do so are names", async () => {
  const { apply, shown } = await openDocuments();
  const environments = { develop: { enabled: true, payload: { "x-a": 1 }, "x-b": 2 } };
  const document = {
    projects: { shop: { ...shop({ "x-flag": { environments, "x-c": null } }).projects.shop, "x-d": [] } },
    forms: { "x-form": { "x-e": {} } },
    "x-g": { deep: { enabled: "yes" } },
  };
  expect((await apply(document)).map(({ kind, path }) => [kind, path])).toContainValues([
    ["flag", "projects.shop.flags.x-flag"],
    ["form", "forms.x-form"],
  ]);
  expect(await apply(document)).toEqual([]);
  const stored = JSON.stringify(await shown());
  expect(stored).toContain('"payload":{"x-a":1}');
  for (const name of ["x-b", "x-c", "x-d", "x-e", "x-g"]) expect(stored).not.toContain(name);
  const error = await apply({ "x-g": 1, X: 1 }).catch((error: unknown) => error);
  expect(String(error)).toContain('unknown key "X"; the keys are');
});

describe("over HTTP", () => {
  test("a dry run and an export take the scope read, an apply takes admin", async () => {
    const { app, ask } = await openDocuments();
    const { token } = await createToken(app, OPERATOR, { name: "ci", scopes: ["read"] });
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
    const { ask, apply } = await openDocuments();
    await apply({ projects: { one: {}, two: {}, three: {} }, forms: { contact: {} } });
    const keys = async (query: string) => {
      const { projects, forms } = (await (await ask(`/export${query}`)).json()) as Document;
      return [Object.keys(projects!), forms && Object.keys(forms)];
    };
    expect(await keys("?project=one&project=two")).toEqual([["one", "two"], undefined]);
    expect(await keys("?project=one&forms=true")).toEqual([["one"], ["contact"]]);
    expect(await keys("")).toEqual([["default", "one", "three", "two"], ["contact"]]);
    expect((await ask("/export?project=nope")).status).toBe(404);
  });

  test("five thousand flags fit, and sixteen megabytes are the end", async () => {
    const { ask, apply } = await openDocuments();
    const environments = { develop: { enabled: true, payload: { text: "x".repeat(500) } } };
    const flags = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`flag-${n}`, { environments }]));
    expect((await apply(shop(flags))).length).toBe(5003);
    expect(await apply(shop(flags))).toEqual([]);
    const large = await ask("/apply", { document: { $schema: "x".repeat(16 * 1024 * 1024) } });
    expect(large.status).toBe(413);
  }, 60_000);

  test("a fault is named in a document of megabytes too", async () => {
    const { ask } = await openDocuments();
    const payload = { text: "x".repeat(100_000) };
    const flags = Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [`flag-${n}`, { environments: { develop: { payload } } }]),
    );
    const wrong = await ask("/apply", { document: shop({ ...flags, last: { description: 1 } }) });
    expect(wrong.status).toBe(400);
    expect(await wrong.text()).toContain("projects.shop.flags.last.description");
  });
});
