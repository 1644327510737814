import { describe, expect, test } from "bun:test";
import { createProject } from "../../../src/projects/projects.ts";
import { openServices, openTestApp } from "../../support/app.ts";
import { OPERATOR } from "../../support/records/caller.ts";

type Json = Record<string, unknown>;

const app = openTestApp();
const admin = await openServices(app).admin();
let projects = 0;

const BOOLEAN = { variants: { on: true, off: false }, defaultVariant: "off" };
const TRUE = { "==": [1, 1] };
const uses = (name: string) => ({ if: [{ $ref: name }, "on"] });

/** A project of its own, with one environment. */
async function openProject() {
  const project = `project-${(projects += 1)}`;
  await createProject(app, OPERATOR, { slug: project, environments: ["live"] });
  const send = async (method: string, path: string, body?: unknown) => {
    const answer = await admin.request(
      `/api/admin/v1${path}`,
      body === undefined
        ? { method }
        : { method, body: JSON.stringify(body), headers: { "content-type": "application/json" } },
      { operator: () => "ann" },
    );
    const text = await answer.text();
    const json = (text === "" ? {} : JSON.parse(text)) as Json & { error?: { message: string } };
    return { status: answer.status, json, message: json.error?.message };
  };
  const ask = (method: string, path: string, body?: unknown) =>
    send(method, `/projects/${project}/environments/live/${path}`, body);
  return {
    ask,
    flag: (name: string, patch: Json) => ask("PATCH", `flags/${name}`, patch),
    segment: (name: string, rule: unknown) => ask("PUT", `segments/${name}`, { rule }),
    revisionOf: async (flag: string) =>
      (await app.store.flags.find({ project, environment: "live", flag }))!.revision,
    import: (document: Json) => ask("POST", "flagd", document),
    apply: ({ prune = false, ...live }: { prune?: boolean; segments?: Json; flags?: Json }) => {
      const flags = Object.entries(live.flags ?? {}).map(([name, flag]) => [
        name,
        { environments: { live: flag } },
      ]);
      const environments = { live: live.segments ? { segments: live.segments } : {} };
      const document = {
        projects: {
          [project]: { environments, ...(live.flags ? { flags: Object.fromEntries(flags) } : {}) },
        },
      };
      return send("POST", "/apply", { document, prune });
    },
  };
}

describe("a variant that the flag does not have", () => {
  test.each<[string, Json, place: string]>([
    ["an if", { if: [{ var: "a" }, "onn"] }, "/targeting/if/1"],
    ["an else", { if: [{ var: "a" }, "on", { var: "b" }, "off", "other"] }, "/targeting/if/4"],
    ["an if in an if", { if: [{ var: "a" }, { if: [{ var: "b" }, "x"] }, "on"] }, "/targeting/if/1/if/1"],
    ["a share", { fractional: [{ var: "email" }, ["on", 5], ["of", 5]] }, "/targeting/fractional/2/0"],
    ["true", { if: [{ var: "a" }, true] }, "/targeting/if/1"],
  ])("is refused where %s yields it, and in a file there is a warning", async (_, targeting, place) => {
    const { flag, apply, import: take } = await openProject();
    const set = await flag("search", { ...BOOLEAN, targeting });
    expect(set.status).toBe(400);
    expect(set.message).toStartWith(`${place}: "`);
    expect(set.message).toContain("is not one of the variants: on, off");
    const applied = await apply({ flags: { search: { ...BOOLEAN, targeting } } });
    expect(applied).toMatchObject({
      status: 200,
      json: { warnings: [expect.stringContaining("is not one of the variants: on, off")] },
    });
    const imported = await take({ flags: { search: { state: "ENABLED", ...BOOLEAN, targeting } } });
    expect(imported).toMatchObject({
      status: 200,
      json: { warnings: [`/flags/search${set.message!}`] },
    });
  });

  test("is refused where a change takes the variant away", async () => {
    const { flag } = await openProject();
    await flag("search", { ...BOOLEAN, targeting: { if: [{ var: "a" }, "on"] } });
    const { status, message } = await flag("search", { variants: { off: false } });
    expect({ status, message }).toEqual({ status: 400, message: expect.stringContaining('"on"') });
  });

  test.each<[string, Json]>([
    ["is never yielded", { if: [false, "other", "on"] }],
    ["is what shares are dealt by", { fractional: [{ cat: ["other"] }, ["on", 1], ["off", 1]] }],
    ["is only compared with", { if: [{ "==": [{ var: "a" }, "other"] }, "on", null] }],
    ["is only known at an evaluation", { var: "a" }],
  ])("is no fault where it %s", async (_, targeting) => {
    const { flag } = await openProject();
    expect(await flag("search", { ...BOOLEAN, targeting })).toMatchObject({ status: 200 });
  });

  test("of a flag that was imported so stops no change of anything but its rule", async () => {
    const { flag, apply, import: take } = await openProject();
    const targeting = { if: [{ $ref: "gone" }, "other"] };
    await take({ flags: { search: { state: "ENABLED", ...BOOLEAN, targeting } } });
    expect((await flag("search", { enabled: false })).status).toBe(200);
    expect((await flag("search", { defaultVariant: "on" })).status).toBe(200);
    const flags = { search: { ...BOOLEAN, enabled: true, targeting, defaultVariant: "on" } };
    expect((await apply({ flags })).status).toBe(200);
  });
});

describe("a segment that does not exist", () => {
  test("is refused in the rule of a flag, of another segment, and in a scheduled change", async () => {
    const { flag, segment, ask } = await openProject();
    await flag("plain", BOOLEAN);
    const at = new Date(app.now() + 1000).toISOString();
    const answers = [
      await flag("search", { ...BOOLEAN, targeting: uses("staff") }),
      await segment("other", { "!": [{ $ref: "staff" }] }),
      await ask("POST", "flags/plain/scheduled", { at, patch: { targeting: uses("staff") } }),
    ];
    for (const { status, message } of answers)
      expect({ status, message }).toEqual({
        status: 400,
        message: expect.stringContaining('the segment "staff" does not exist'),
      });
  });

  test("is a warning in a document", async () => {
    const { apply } = await openProject();
    for (const document of [
      { flags: { search: { ...BOOLEAN, targeting: uses("staff") } } },
      { segments: { other: { "!": [{ $ref: "staff" }] } } },
    ])
      expect(await apply(document)).toMatchObject({
        status: 200,
        json: { warnings: [expect.stringContaining('the segment "staff" does not exist')] },
      });
  });

  test("may come in the same document, in any order", async () => {
    const { apply } = await openProject();
    const segments = { all: { "!": [{ $ref: "staff" }] }, staff: TRUE };
    expect(
      (await apply({ segments, flags: { search: { ...BOOLEAN, targeting: uses("all") } } })).status,
    ).toBe(200);
  });

  test("may come in the same file of flagd; where it does not, the import warns", async () => {
    const { import: take } = await openProject();
    const flags = { search: { state: "ENABLED", ...BOOLEAN, targeting: uses("all") } };
    const all = { "!": [{ $ref: "staff" }] };
    expect((await take({ flags, $evaluators: { all } })).json["warnings"]).toEqual([
      '/$evaluators/all: the segment "staff" does not exist',
      '/flags/search/targeting: the segment "staff" does not exist',
    ]);
    expect((await take({ flags, $evaluators: { all, staff: TRUE } })).json["warnings"]).toEqual([]);
  });

  test("is refused in what a rollback brings back", async () => {
    const { flag, segment, ask, revisionOf } = await openProject();
    await segment("staff", TRUE);
    await flag("search", { ...BOOLEAN, targeting: uses("staff") });
    const to = await revisionOf("search");
    await flag("search", { targeting: null });
    expect((await ask("DELETE", "segments/staff")).status).toBe(204);
    expect(await ask("POST", "flags/search/rollback", { to })).toMatchObject({
      status: 409,
      message: expect.stringContaining('"staff"'),
    });
    await segment("staff", TRUE);
    expect((await ask("POST", "flags/search/rollback", { to })).status).toBe(200);
  });
});

describe("a segment that is still used", () => {
  test("is not deleted, and its users are named", async () => {
    const { flag, segment, ask } = await openProject();
    await segment("staff", TRUE);
    await segment("all", { "!": [{ $ref: "staff" }] });
    await flag("search", { ...BOOLEAN, targeting: uses("staff") });
    expect(await ask("DELETE", "segments/staff")).toMatchObject({
      status: 409,
      message: 'segment "staff" is still used by flag search, segment all',
    });
  });

  test("is not pruned, unless what uses it goes too or has another rule", async () => {
    const { flag, segment, apply } = await openProject();
    await segment("staff", TRUE);
    await segment("kept", TRUE);
    await flag("search", { ...BOOLEAN, targeting: uses("staff") });
    const segments = { kept: TRUE };
    expect(await apply({ prune: true, segments })).toMatchObject({
      status: 400,
      message: expect.stringContaining('segments.staff: segment "staff" is still used by flag search'),
    });
    const flags = { search: { ...BOOLEAN, targeting: uses("kept") } };
    expect((await apply({ prune: true, segments, flags })).status).toBe(200);
  });
});

describe("segments that refer to each other", () => {
  const [toA, toB, toC] = ["a", "b", "c"].map((name) => ({ "!": [{ $ref: name }] }));

  test("in a circle are refused, with the way round", async () => {
    const { segment, apply, import: take } = await openProject();
    await segment("c", TRUE);
    await segment("b", toC);
    await segment("a", toB);
    const way = "it refers to itself: ";
    for (const [answer, place] of [
      [await segment("c", toA), `segment "c": ${way}c > a > b > c`],
      [await segment("c", toC), `segment "c": ${way}c > c`],
      [await apply({ segments: { c: toA } }), way],
      [await take({ flags: {}, $evaluators: { c: toA } }), `/$evaluators/c: ${way}c > a > b > c`],
      [await take({ flags: {}, $evaluators: { x: { $ref: "x" } } }), `/$evaluators/x: ${way}x > x`],
    ] as const)
      expect(answer).toMatchObject({ status: 400, message: expect.stringContaining(place) });
  });

  test("deeper than rules are put together are refused", async () => {
    const { segment } = await openProject();
    await segment("s1", TRUE);
    for (let index = 2; index <= 16; index += 1)
      expect((await segment(`s${index}`, { "!": [{ $ref: `s${index - 1}` }] })).status).toBe(200);
    expect(await segment("s17", { "!": [{ $ref: "s16" }] })).toMatchObject({
      status: 400,
      message: expect.stringContaining("at most 16 deep"),
    });
  });
});
