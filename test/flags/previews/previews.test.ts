import { describe, expect, test } from "bun:test";
import { applyDocument, compareDocument } from "../../../src/documents/apply.ts";
import { documentOf } from "../../../src/documents/document.ts";
import { createEnvironment } from "../../../src/flags/environments.ts";
import { flagPatchSchema } from "../../../src/flags/flag-schema.ts";
import { importFlags } from "../../../src/flags/imports.ts";
import { PREVIEW_LIMITS } from "../../../src/flags/limits.ts";
import { promoteFlags } from "../../../src/flags/promotions.ts";
import { applyDue } from "../../../src/flags/schedule/schedule-job.ts";
import { scheduleChange } from "../../../src/flags/schedule/schedule.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { openTestApp } from "../../support/app.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { errorOf } from "../../support/refusals.ts";
import { openShop } from "../../support/records/shop.ts";

const PREVIEW = { isPreview: true, previewName: "Sale", previewContent: "# Sale" };
const NONE = { isPreview: false, previewName: "", previewContent: "" };

describe("a preview", () => {
  test("is set, changed and removed in one environment, and is part of the history", async () => {
    const { set, find, history, rollback } = await openShop();
    const { record, result } = await set("live", PREVIEW);
    expect(record).toMatchObject(PREVIEW);
    expect([result, await find("develop")]).toEqual(["created", expect.objectContaining(NONE)]);
    expect((await set("live", PREVIEW)).result).toBe("unchanged");
    await set("live", { isPreview: false });
    expect(await find("live")).toMatchObject({ ...PREVIEW, isPreview: false });
    await set("live", NONE);
    const states = (await history()).map(({ after }) => after as Record<string, unknown>);
    expect(states[0]).not.toContainKeys(["isPreview"]);
    expect(states[2]).toMatchObject(PREVIEW);
    await rollback(record.revision);
    expect(await find("live")).toMatchObject(PREVIEW);
  });

  test("is copied by a promotion and into a new environment, and kept by an import", async () => {
    const { app, set, find } = await openShop();
    await set("develop", PREVIEW);
    const order = { from: "develop", to: "live", flags: null, segments: false };
    expect((await promoteFlags(app, OPERATOR, "shop", order, false)).flags).toHaveLength(1);
    expect(await find("live")).toMatchObject(PREVIEW);
    await createEnvironment(app, OPERATOR, "shop", { slug: "eu", from: "live" });
    expect(await find("eu")).toMatchObject(PREVIEW);
    const file = { flags: { sale: { state: "ENABLED", variants: { on: true }, defaultVariant: "on" } } };
    await importFlags(app, OPERATOR, { project: "shop", environment: "eu" }, file, false);
    expect(await find("eu")).toMatchObject({ ...PREVIEW, imported: true });
  });

  test("is part of a document, where one that is left out stays", async () => {
    const { app, set, find } = await openShop();
    await set("live", PREVIEW);
    const document = await documentOf(await app.store.setup.read(["shop"], false), false);
    const { live, develop } = document.projects!["shop"]!.flags!["sale"]!.environments!;
    expect(live).toEqual({ enabled: false, payload: {}, expiredAt: null, ...PREVIEW });
    expect(develop).toEqual({ enabled: false, payload: {}, expiredAt: null });
    await set("live", { previewName: "Other" });
    expect((await compareDocument(app, OPERATOR, document, false)).changes).toMatchObject([
      { before: { previewName: "Other" }, after: { previewName: "Sale" } },
    ]);
    await applyDocument(app, OPERATOR, document, { prune: false, confirmed: false });
    expect(await find("live")).toMatchObject(PREVIEW);
    live!.previewContent = ">".repeat(PREVIEW_LIMITS.content);
    expect(await errorOf(compareDocument(app, OPERATOR, document, false))).toBe(
      "invalid: projects.shop.flags.sale.environments.live.previewContent: the content of a preview makes at most 256 KB of HTML",
    );
    const without = { projects: { shop: { flags: { sale: { environments: { live: {} } } } } } };
    expect((await compareDocument(app, OPERATOR, without, false)).changes).toEqual([]);
  });

  test("can be scheduled", async () => {
    const { app, set, find, place } = await openShop();
    await set("live", {});
    await scheduleChange(app, OPERATOR, place("live"), { patch: PREVIEW, at: app.now() + 1000 });
    app.clock.now += 1000;
    await applyDue(app, () => {});
    expect(await find("live")).toMatchObject(PREVIEW);
  });

  test("has a name and a content of limited size", async () => {
    const fits = (patch: object) => flagPatchSchema.safeParse(patch).success;
    const { name, content } = PREVIEW_LIMITS;
    expect(fits({ previewName: "✓".repeat(name), previewContent: "x".repeat(content) })).toBe(true);
    expect(fits({ previewName: "✓".repeat(name + 1) })).toBe(false);
    expect(fits({ previewContent: "✓".repeat(content / 2) })).toBe(false);
    expect(fits({ previewContent: null })).toBe(false);
    const { app, set, place } = await openShop();
    const large = { previewContent: ">".repeat(content) };
    const refused = "invalid: the content of a preview makes at most 256 KB of HTML";
    expect(await errorOf(set("live", large))).toBe(refused);
    await set("live", {});
    const planned = { patch: large, at: app.now() + 1000 };
    expect(await errorOf(scheduleChange(app, OPERATOR, place("live"), planned))).toBe(refused);
  });
});

test("thousands of flags are read in milliseconds beside previews of 64 KB", async () => {
  const app = openTestApp();
  await createProject(app, OPERATOR, { slug: "large", environments: ["live"] });
  const contents = { isPreview: true, previewContent: "a ".repeat(32_000) };
  const flags = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, index) => [
      `f${index}`,
      index % 100 === 0 ? { environments: { live: contents } } : {},
    ]),
  );
  const document = { projects: { large: { flags } } };
  await applyDocument(app, OPERATOR, document, { prune: false, confirmed: true });
  const before = process.cpuUsage();
  const { projects } = await app.store.setup.read(["large"], false);
  const { user, system } = process.cpuUsage(before);
  expect(projects[0]!.environments[0]!.flags.filter(({ isPreview }) => isPreview).length).toBe(100);
  expect((user + system) / 1000).toBeLessThan(300); // 30 ms; 600 ms where SQLite reads previews on its way.
}, 60_000);
