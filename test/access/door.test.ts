import { describe, expect, test } from "bun:test";
import { createToken, revokeToken } from "../../src/access/tokens.ts";
import type { App } from "../../src/app.ts";
import { AppError } from "../../src/base/errors.ts";
import { applyDocument } from "../../src/documents/apply.ts";
import { createEnvironment } from "../../src/flags/environments.ts";
import { rollbackFlag, setFlag } from "../../src/flags/flags.ts";
import { importFlags } from "../../src/flags/imports.ts";
import { promoteFlags } from "../../src/flags/promotions.ts";
import { applyDue } from "../../src/flags/schedule/schedule-job.ts";
import { scheduleChange } from "../../src/flags/schedule/schedule.ts";
import { setSegment } from "../../src/flags/segments.ts";
import { createForm, getForm } from "../../src/forms/forms.ts";
import { storeSubmission } from "../../src/forms/submissions.ts";
import { setEnvironment } from "../../src/projects/environments.ts";
import { createProject } from "../../src/projects/projects.ts";
import { openTestApp, type TestApp } from "../support/app.ts";
import { interrupted } from "../support/interrupted.ts";
import { apply } from "../support/records/apply.ts";
import { callerNamed, OPERATOR } from "../support/records/caller.ts";
import { reasonOf } from "../support/refusals.ts";

const CAUTIOUS = callerNamed("bob", { hasConfirmed: () => false });
const SEARCH = { project: "shop", environment: "live", flag: "search" };

async function openShop(): Promise<TestApp> {
  const app = openTestApp();
  await createProject(app, OPERATOR, { slug: "shop", environments: ["live", "test"] });
  await setFlag(app, OPERATOR, SEARCH, { enabled: false });
  return app;
}

const RULE = { if: [{ $ref: "staff" }, "on", "off"] };
const VARIANTS = { on: true, off: false };

describe("a change of the setup", () => {
  test("is refused where its environment was locked between its check and its write", async () => {
    const app = await openShop();
    const meanwhile = interrupted(app, () => setEnvironment(app, OPERATOR, "shop", "live", { locked: true }));
    expect(await reasonOf(setFlag(meanwhile, CAUTIOUS, SEARCH, { enabled: true }))).toBe(
      "unconfirmed environment-locked",
    );
    expect(await app.store.flags.find(SEARCH)).toMatchObject({ enabled: false });
  });

  test("whose answer was lost is not made again", async () => {
    const app = await openShop();
    const apply: App["store"]["apply"] = async (...args) => {
      await app.store.apply(...args);
      throw new AppError("unavailable", "the database does not answer");
    };
    const lossy = { ...app, store: { ...app.store, apply } };
    const { revision } = (await app.store.flags.find(SEARCH))!;
    expect(await reasonOf(setFlag(lossy, OPERATOR, SEARCH, { enabled: true }, revision))).toBe("unavailable");
    const patch = { enabled: false };
    const scheduled = scheduleChange(lossy, OPERATOR, SEARCH, { patch, at: app.clock.now + 1000 });
    expect(await reasonOf(scheduled)).toBe("unavailable");
    expect(await app.store.flags.find(SEARCH)).toMatchObject({ enabled: true });
    expect(await app.store.scheduled.next(null, 10)).toHaveLength(1);
  });

  test("of a whole file is refused where the environment was locked while it was planned", async () => {
    const app = await openShop();
    const meanwhile = interrupted(app, () => setEnvironment(app, OPERATOR, "shop", "live", { locked: true }));
    const file = { flags: { search: { state: "ENABLED", variants: { on: true }, defaultVariant: "on" } } };
    const place = { project: "shop", environment: "live" };
    expect(await reasonOf(importFlags(meanwhile, CAUTIOUS, place, file, false))).toBe(
      "unconfirmed environment-locked",
    );
    expect(await app.store.flags.find(SEARCH)).toMatchObject({ enabled: false });
  });

  test("is refused where the caller's token was revoked meanwhile", async () => {
    const app = await openShop();
    await createToken(app, OPERATOR, { name: "ci", scopes: ["flags:write"] });
    const verify = async () => {
      const tokens = await app.store.tokens.list();
      if (tokens.length === 0) throw new AppError("unauthenticated", "revoked");
    };
    const caller = callerNamed("ci", { scopes: ["flags:write"], verify });
    const meanwhile = interrupted(app, () => revokeToken(app, OPERATOR, "ci"));
    expect(await reasonOf(setFlag(meanwhile, caller, SEARCH, { enabled: true }))).toBe("unauthenticated");
    expect(await app.store.flags.find(SEARCH)).toMatchObject({ enabled: false });
  });

  test("is planned again on what somebody else changed meanwhile, and keeps both changes", async () => {
    const app = await openShop();
    const meanwhile = interrupted(app, () => setFlag(app, OPERATOR, SEARCH, { description: "theirs" }));
    const { record } = await setFlag(meanwhile, OPERATOR, SEARCH, { enabled: true });
    expect(record).toMatchObject({ enabled: true, description: "theirs" });
    expect(await app.store.flags.find(SEARCH)).toEqual(record);
  });

  test("at a revision that is no longer the newest is refused", async () => {
    const app = await openShop();
    const { revision } = (await app.store.flags.find(SEARCH))!;
    const meanwhile = interrupted(app, () => setFlag(app, OPERATOR, SEARCH, { description: "theirs" }));
    expect(await reasonOf(setFlag(meanwhile, OPERATOR, SEARCH, { enabled: true }, revision))).toBe(
      "conflict revision-differs",
    );
  });

  test("is made by each of many callers at the same moment", async () => {
    const app = openTestApp("thread");
    await createProject(app, OPERATOR, { slug: "shop", environments: ["live"] });
    const slugs = Array.from({ length: 200 }, (_, index) => `flag-${index}`);
    await Promise.all(slugs.map((flag) => setFlag(app, OPERATOR, { ...SEARCH, flag }, { enabled: true })));
    const flags = await app.store.flags.list("shop", "live");
    expect(flags.map(({ slug, enabled }) => [slug, enabled])).toEqual(
      slugs.toSorted().map((slug) => [slug, true]),
    );
    expect(new Set(flags.map(({ revision }) => revision)).size).toBe(slugs.length);
  });
});

describe("a rule whose segment is missing in an environment does not get there", () => {
  /** `search` has a rule that refers to the segment `staff` in `test`; `live` has neither. */
  async function openRuled() {
    const app = await openShop();
    const test = { project: "shop", environment: "test" };
    await setSegment(app, OPERATOR, { ...test, segment: "staff" }, { "==": [1, 1] });
    await setFlag(app, OPERATOR, { ...test, flag: "search" }, { variants: VARIANTS, targeting: RULE });
    return app;
  }
  const order = { from: "test", to: "live", flags: ["search"], segments: false };

  test("by promotion, which says so and copies it where that is asked for", async () => {
    const app = await openRuled();
    expect(await reasonOf(promoteFlags(app, OPERATOR, "shop", order, false))).toBe(
      "conflict segment-missing",
    );
    expect(await app.store.flags.find(SEARCH)).toMatchObject({ rules: null });
    await promoteFlags(app, OPERATOR, "shop", { ...order, segments: true }, false);
    expect((await app.store.flags.find(SEARCH))?.rules).toContain("staff");
    expect((await app.store.segments.list("shop", "live")).map(({ name }) => name)).toEqual(["staff"]);
  });

  test("by rollback", async () => {
    const app = await openRuled();
    await promoteFlags(app, OPERATOR, "shop", { ...order, segments: true }, false);
    const { revision } = (await app.store.flags.find(SEARCH))!;
    await setFlag(app, OPERATOR, SEARCH, { variants: null });
    const document = { projects: { shop: { environments: { live: { segments: {} }, test: {} } } } };
    await applyDocument(app, OPERATOR, document, { prune: true, confirmed: true });
    expect(await reasonOf(rollbackFlag(app, OPERATOR, SEARCH, revision))).toBe("conflict segment-missing");
    expect(await app.store.flags.find(SEARCH)).toMatchObject({ rules: null });
  });

  test("by a scheduled change, which is dropped and recorded", async () => {
    const app = await openShop();
    await setSegment(app, OPERATOR, { ...SEARCH, segment: "staff" }, { "==": [1, 1] });
    const at = app.now() + 1000;
    const patch = { variants: VARIANTS, targeting: RULE };
    await scheduleChange(app, OPERATOR, SEARCH, { patch, at });
    const drop = { change: "deleteSegment" as const, ...SEARCH, segment: "staff", history: null };
    await apply(app.store, drop);
    app.clock.now = at;
    const dropped: string[] = [];
    await applyDue(app, (text) => dropped.push(text));
    expect(dropped.join()).toContain('"staff"');
    expect(await app.store.flags.find(SEARCH)).toMatchObject({ rules: null });
    const { items } = await app.store.changes.page("shop", { limit: 1 });
    const [change] = items;
    expect(change).toMatchObject({ kind: "scheduled", name: "search" });
  });

  test("by a new environment with the values of one that lacks it", async () => {
    const app = await openShop();
    const place = { project: "shop", environment: "test" };
    const targeting = RULE;
    const flag = { state: "ENABLED", variants: VARIANTS, defaultVariant: "off", targeting };
    const { warnings } = await importFlags(app, OPERATOR, place, { flags: { search: flag } }, false);
    expect(warnings.join()).toContain('"staff"');
    expect(await reasonOf(createEnvironment(app, OPERATOR, "shop", { slug: "copy", from: "test" }))).toBe(
      "conflict segment-missing",
    );
    expect((await app.store.environments.list("shop")).map(({ slug }) => slug)).toEqual(["live", "test"]);
  });
});

/** A document in which the project has no form. */
const NO_FORMS = { projects: { shop: { forms: {} } } };

describe("apply", () => {
  const describes = { projects: { shop: { flags: { search: { description: "Full text" } } } } };

  test("goes on where something that it does not name was changed meanwhile", async () => {
    const app = await openShop();
    const meanwhile = interrupted(app, () => createForm(app, OPERATOR, { slug: "contact" }));
    await applyDocument(meanwhile, OPERATOR, describes, { prune: false, confirmed: false });
    expect(await app.store.flags.find(SEARCH)).toMatchObject({ description: "Full text" });
  });

  test("with prune asks again where a form took its first submission after the plan", async () => {
    const app = await openShop();
    await createForm(app, OPERATOR, { slug: "contact" });
    const meanwhile = interrupted(app, async () =>
      storeSubmission(app, await getForm(app, OPERATOR, "contact"), { data: '{"a":1}', files: [] }),
    );
    const pruning = applyDocument(meanwhile, OPERATOR, NO_FORMS, { prune: true, confirmed: false });
    expect(await reasonOf(pruning)).toBe("unconfirmed document-unconfirmed");
    const { key } = await getForm(app, OPERATOR, "contact");
    expect(await app.store.submissions.count(key)).toBe(1);
  });

  test("with prune deletes a form without submissions unasked", async () => {
    const app = await openShop();
    await createForm(app, OPERATOR, { slug: "contact" });
    await applyDocument(app, OPERATOR, NO_FORMS, { prune: true, confirmed: false });
    expect(await app.store.forms.list()).toEqual([]);
  });
});
