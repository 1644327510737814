import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import type { App } from "../../src/app.ts";
import { applyDocument } from "../../src/documents/apply.ts";
import { setFlag } from "../../src/flags/flags.ts";
import { createForm } from "../../src/forms/forms.ts";
import { storeSubmission } from "../../src/forms/submissions.ts";
import { setEnvironment } from "../../src/projects/environments.ts";
import { createProject } from "../../src/projects/projects.ts";
import { stageText } from "../contracts/blobs.ts";
import { callerNamed, OPERATOR } from "../support/records/caller.ts";
import { openDocuments, shop, told } from "../support/records/documents.ts";
import { codeOf } from "../support/refusals.ts";

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
      payload: fc.constantFrom({}, [1], { color: "green" }),
    },
    { requiredKeys: ["variants"] },
  ),
);
const forms = fc.dictionary(name, fc.record({ uploads: fc.boolean(), maxFiles: fc.constantFrom(null, 3) }), {
  noNullPrototype: true,
});
const project = fc.record({
  forms,
  name: fc.string({ minLength: 1, maxLength: 20 }),
  accent: fc.constantFrom("#a02040", null),
  maxSubmissions: fc.constantFrom(1000, null),
  environments: fc.record({
    one: fc.record({ segments: fc.constant({ a: SEGMENT }), color: fc.constantFrom("red", "pink", null) }),
    two: fc.constant({ segments: { a: SEGMENT } }),
  }),
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
});

describe("a document", () => {
  test("that was applied is unchanged, and its export makes the same elsewhere", async () => {
    await fc.assert(
      fc.asyncProperty(document, document, async (first, second) => {
        const [here, there] = [await openDocuments(), await openDocuments()];
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
    const { apply, shown } = await openDocuments();
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
    const { apply, shown } = await openDocuments();
    const set = async (develop: object) => {
      await apply(shop({ sale: { environments: { develop } } }));
      const { projects } = await shown();
      return projects!["shop"]!.flags!["sale"]!.environments!["develop"];
    };
    const variants = { on: true, off: false };
    const whole = { variants, defaultVariant: "on", targeting: RULE, metadata: { team: "x" } };
    expect(await set(whole)).toEqual({ enabled: false, expiredAt: null, ...whole });
    expect(await set({ variants, payload: [1] })).toEqual({
      enabled: false,
      expiredAt: null,
      variants,
      payload: [1],
    });
    expect(await set({ variants })).toEqual({ enabled: false, expiredAt: null, variants });
    expect(await set({ defaultVariant: "off" })).toMatchObject({ variants, defaultVariant: "off" });
    expect(await set({ payload: {} })).toEqual({ enabled: false, expiredAt: null, payload: {} });
  });

  test("sets what a project has, and says where a value is wrong", async () => {
    const { app, apply, shown } = await openDocuments();
    const settings = { name: "Our shop", mailFrom: "Shop <shop@example.com>", maxStorage: 5_000 };
    await apply({ projects: { shop: settings } });
    expect((await shown()).projects!["shop"]).toMatchObject({ ...settings, accent: null });
    const changed = { accent: "#A02040", maxStorage: null };
    expect(await apply({ projects: { shop: { ...settings, ...changed } } })).toEqual([
      {
        action: "update",
        kind: "project",
        path: "projects.shop",
        before: { accent: null, maxStorage: 5_000 },
        after: { accent: "#a02040", maxStorage: null },
      },
    ]);
    const wrong = apply({ projects: { shop: { accent: "#ffffff" } } }).catch(String);
    expect(await wrong).toContain("invalid: projects.shop.accent: #ffffff has a contrast of");
    const admin = callerNamed("ben", { project: "shop" });
    const apart = (shop: object) =>
      applyDocument(app, admin, { projects: { shop } }, { prune: false, confirmed: false });
    expect(await codeOf(apart({ mailFrom: null }))).toBe("forbidden");
    expect((await apart({ name: "Shop" })).changes).toHaveLength(1);
  });

  test("has its forms at the top in `default`, or in the only project if none is called so", async () => {
    const { app, apply, shown } = await openDocuments();
    const forms = { contact: {} };
    expect(told(await apply({ projects: { shop: { environments: {} } }, forms }))).toEqual([
      "+ projects.shop",
      "+ forms.contact",
    ]);
    expect(await apply({ forms })).toEqual([]);
    expect(await apply(await shown(), { prune: true })).toEqual([]);
    await createProject(app, OPERATOR, { slug: "default" });
    expect(told(await apply({ forms }))).toEqual(["+ forms.contact"]);
  });

  test("prunes in the sections that it has, and nowhere else", async () => {
    const { apply } = await openDocuments();
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
    const { app, apply } = await openDocuments();
    await apply({ projects: { shop: {} } });
    await createProject(app, OPERATOR, { slug: "default" });
    const form = await createForm(app, OPERATOR, { slug: "contact", uploads: true });
    const blob = await stageText(app.blobs, "bytes");
    const files = [{ field: "file", name: "a.txt", type: "text/plain", blob }];
    await storeSubmission(app, form, { data: "{}", files });
    const document = { ...shop({}, { develop: {} }), forms: {} };
    expect(await apply(document, { prune: true }).catch(String)).toContain(
      "unconfirmed: this deletes projects.shop.environments.staging with its flag values; " +
        "this deletes projects.shop.environments.production with its flag values; " +
        "this deletes forms.contact with 1 submission",
    );
    expect((await app.store.environments.list("shop")).length).toBe(3);
    const dryRun = await apply(document, { prune: true, dryRun: true });
    expect(told(await apply(document, { prune: true, confirmed: true }))).toEqual(told(dryRun));
    expect((await app.store.environments.list("shop")).length).toBe(1);
    const left: string[] = [];
    for await (const files of app.blobs.list()) left.push(...files.map(({ key }) => key));
    expect(left).toEqual([]);
  });

  test("is recorded in the history with its author", async () => {
    const { app, apply } = await openDocuments();
    await apply(shop({ sale: {} }));
    const changed = { develop: { segments: { staff: true } } };
    await apply(shop({ sale: { environments: { develop: { enabled: true } } } }, changed));
    const history = (await app.store.changes.page("shop", { limit: 100 })).items;
    const own = history.filter(({ kind }) => kind !== "environment").toReversed();
    expect(own).toMatchObject([
      { kind: "flag", name: "sale", environment: "develop", who: "ann" },
      { kind: "segment", name: "staff", environment: "develop", who: "ann" },
      { kind: "flag", name: "sale", environment: "develop", who: "ann" },
    ]);
  });

  /** Has something happen each time after the setup was read for a plan. */
  function interrupt({ store }: App, happens: () => Promise<unknown>): void {
    const { setup } = store;
    store.setup = {
      async read(...args) {
        const found = await setup.read(...args);
        await happens();
        return found;
      },
    };
  }
  const sold = { projects: { shop: { flags: { sale: { environments: { develop: { enabled: true } } } } } } };

  test("that meets a change made meanwhile is planned again on it", async () => {
    const { app, apply } = await openDocuments();
    await createProject(app, OPERATOR, { slug: "shop" });
    const place = { project: "shop", environment: "develop", flag: "sale" };
    interrupt(app, () => setFlag(app, OPERATOR, place, { payload: 1 }));
    expect(told(await apply(sold))).toEqual(["~ projects.shop.flags.sale.environments.develop"]);
    expect(await app.store.flags.find(place)).toMatchObject({ enabled: true, payload: "1" });
  });

  test("that meets a change each time it is planned is a conflict, and nothing of it is applied", async () => {
    const { app, apply, shown } = await openDocuments();
    await createProject(app, OPERATOR, { slug: "shop" });
    const before = await shown();
    let forms = 0;
    interrupt(app, () => createForm(app, OPERATOR, { slug: `form-${(forms += 1)}` }));
    expect(await apply(sold).catch(String)).toStartWith("Error: conflict: another change was applied first");
    const { forms: _forms, ...shop } = (await shown()).projects!["shop"]!;
    expect(shop).toEqual(before.projects!["shop"]!);
  });

  test("asks for a confirmation where an environment is locked", async () => {
    const { app, apply } = await openDocuments();
    await apply(shop({ sale: {} }));
    await setEnvironment(app, OPERATOR, "shop", "production", { locked: true });
    const inside = (environment: string) => ({
      projects: { shop: { flags: { sale: { environments: { [environment]: { enabled: true } } } } } },
    });
    expect(await apply(inside("production")).catch(String)).toMatch(
      /^Error: unconfirmed: .*production.* locked/,
    );
    expect(await apply({ projects: { shop: { flags: {} } } }, { prune: true }).catch(String)).toContain(
      "unconfirmed",
    );
    expect((await apply(inside("production"), { dryRun: true })).length).toBe(1);
    expect((await apply(inside("develop"))).length).toBe(1);
    const described = shop({
      sale: { description: "Of spring" },
      news: { description: "New", environments: { develop: { enabled: true } } },
    });
    expect((await apply(described)).length).toBe(2);
    expect(await apply(inside("production"), { confirmed: true }).catch(String)).toMatch(
      /production.* locked/,
    );
    expect((await apply(inside("production"), {}, { "x-confirm": "production" })).length).toBe(1);
    const pruned = apply({ projects: { shop: { flags: {} } } }, { prune: true });
    expect(await pruned.catch(String)).toBe(
      "Error: unconfirmed: this deletes every flag of projects.shop; " +
        "the environment production of project shop is locked",
    );
  });

  describe("with prune asks before it deletes", () => {
    const flags = (...slugs: string[]) => ({
      projects: { shop: { flags: Object.fromEntries(slugs.map((slug) => [slug, {}])) } },
    });
    const prune = { prune: true };

    test("every flag of a project, and not one of several", async () => {
      const { apply } = await openDocuments();
      await apply(flags("a", "b", "c"));
      expect(told(await apply(flags("b", "c"), prune))).toEqual(["- projects.shop.flags.a"]);
      expect(await apply(flags(), prune).catch(String)).toBe(
        "Error: unconfirmed: this deletes every flag of projects.shop",
      );
      expect(told(await apply(flags(), { ...prune, confirmed: true }))).toHaveLength(2);
    });

    test("more than three things at once", async () => {
      const { apply } = await openDocuments();
      await apply(flags("a", "b", "c", "d", "e"));
      expect(await apply(flags("a"), prune).catch(String)).toBe("Error: unconfirmed: this deletes 4 flags");
      expect(told(await apply(flags("a", "b"), prune))).toHaveLength(3);
    });

    test("a flag that was read within a week", async () => {
      const { app, apply } = await openDocuments();
      await apply(flags("a", "b"));
      const [, production] = await app.store.environments.list("shop");
      const at = app.now();
      await app.store.flags.markRead([{ environmentKey: production!.key, slug: "a", at }]);
      app.clock.now += 7 * 86_400_000 - 1;
      expect(await apply(flags("b"), prune).catch(String)).toBe(
        "Error: unconfirmed: this deletes what was read within a week: projects.shop.flags.a",
      );
      app.clock.now += 1;
      expect(told(await apply(flags("b"), prune))).toEqual(["- projects.shop.flags.a"]);
    });
  });

  test("asks before a form keeps submissions for minutes, deletes some that are old, or takes files of 10 bytes", async () => {
    const { app, apply } = await openDocuments();
    const form = await createForm(app, OPERATOR, { slug: "contact" });
    await storeSubmission(app, form, { data: "{}", files: [] });
    app.clock.now += 31 * 86_400_000;
    await storeSubmission(app, form, { data: "{}", files: [] });
    const contact = (settings: object) => ({ forms: { contact: settings } });
    expect(await apply(contact({ retention: 30 * 86_400 })).catch(String)).toBe(
      "Error: unconfirmed: form contact would keep submissions for 30 days and delete 1 of 2",
    );
    expect(await apply(contact({ maxFileSize: 10 })).catch(String)).toBe(
      "Error: unconfirmed: forms.contact.maxFileSize is 10 bytes",
    );
    expect(await apply({ forms: { jobs: { retention: 360 } } }).catch(String)).toBe(
      "Error: unconfirmed: form jobs would keep submissions for 6 minutes",
    );
    expect(told(await apply(contact({ retention: 360, maxFileSize: 10 }), { confirmed: true }))).toEqual([
      "~ forms.contact",
    ]);
  });
});
