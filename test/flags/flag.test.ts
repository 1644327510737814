import { describe, expect, test } from "bun:test";
import { flagPatchSchema, flagSlug } from "../../src/flags/flag-schema.ts";
import { type FlagPatch, type FlagRecord, applyPatch } from "../../src/flags/flag.ts";
import { subjectOf } from "../../src/flags/flagd/evaluate.ts";
import { MAX_PAYLOAD, MAX_PAYLOAD_DEPTH } from "../../src/flags/limits.ts";
import { viewServed } from "../../src/flags/reads/standing.ts";
import { flagRecord } from "../support/records/records.ts";

const flag = (more: Partial<FlagRecord> = {}) =>
  flagRecord("flag", { createdAt: 1000, updatedAt: 1000, ...more });

describe("a patch", () => {
  test("of a flag that is new creates it, off unless it says otherwise", () => {
    expect(applyPatch("flag", undefined, {}, 1000)).toEqual({ result: "created", record: flag() });
    expect(applyPatch("flag", undefined, { enabled: true, payload: 1 }, 1000)).toEqual({
      result: "created",
      record: flag({ enabled: true, payload: "1" }),
    });
  });

  const full = flag({ enabled: true, payload: '{"a":1}', expiresAt: 5000, description: "Said" });

  test.each<[FlagPatch, Partial<FlagRecord>]>([
    [{ enabled: false }, { enabled: false }],
    [{ payload: null }, { payload: "null" }],
    [{ payload: {} }, { payload: null }],
    [{ payload: false }, { payload: "false" }],
    [{ expiredAt: null }, { expiresAt: null }],
    [{ expiredAt: "1970-01-01T00:00:06Z" }, { expiresAt: 6000 }],
    [{ expiredAt: "1970-01-01T01:00:06.5+01:00" }, { expiresAt: 6500 }],
    [{ description: "" }, { description: "" }],
  ])("%j changes only what it names, and the time of the change", (patch, changed) => {
    expect(applyPatch("flag", full, patch, 2000)).toEqual({
      result: "updated",
      record: { ...full, ...changed, updatedAt: 2000 },
    });
  });

  test.each<[FlagPatch]>([
    [{}],
    [{ enabled: true }],
    [{ payload: { a: 1 } }],
    [{ expiredAt: "1970-01-01T00:00:05.000Z" }],
    [{ expiredAt: "1970-01-01T02:00:05+02:00" }],
    [{ description: "Said" }],
    [{ enabled: undefined, payload: undefined, expiredAt: undefined, description: undefined }],
  ])("%j that says what is so already changes nothing, not even the time", (patch) => {
    expect(applyPatch("flag", full, patch, 2000)).toEqual({ result: "unchanged", record: full });
  });

  test("leaves the record it was given alone", () => {
    const before = flag();
    applyPatch("flag", before, { enabled: true }, 2000);
    expect(before).toEqual(flag());
  });
});

describe("a flag as readers see it", () => {
  const shared = { graph: undefined };
  const STANDINGS = { bySlug: new Map(), below: () => [], unfulfilled: () => undefined, shared };
  const viewFlag = (record: FlagRecord, now: number) =>
    viewServed(record, STANDINGS, subjectOf({}), now).flag;

  test("is off from the moment of its expiry", () => {
    const record = flag({ enabled: true, expiresAt: 5000 });
    expect(viewFlag(record, 4999)).toMatchObject({ enabled: true, expiredAt: "1970-01-01T00:00:05.000Z" });
    expect(viewFlag(record, 5000)).toMatchObject({ enabled: false, expiredAt: "1970-01-01T00:00:05.000Z" });
  });

  test("is not turned on by an expiry", () => {
    expect(viewFlag(flag({ expiresAt: 5000 }), 1).enabled).toBe(false);
  });

  test("has the payload {} only where none is set", () => {
    expect(viewFlag(flag(), 1).payload).toEqual({});
    for (const payload of [null, false, 0, "", []]) {
      expect(viewFlag(flag({ payload: JSON.stringify(payload) }), 1).payload).toEqual(payload);
    }
  });
});

describe("a flag's slug", () => {
  test.each(["a", "A", "0", "a.b_c-d", "x".repeat(150), "Preview", "previews", "code-refs2"])(
    "may be %s",
    (slug) => {
      expect(flagSlug.safeParse(slug).success).toBe(true);
    },
  );

  test.each([
    "",
    "x".repeat(151),
    "-a",
    ".a",
    "_a",
    "a b",
    "a/b",
    "é",
    "a\n",
    "preview",
    "code-refs",
    1,
    null,
  ])("may not be %j", (slug) => {
    expect(flagSlug.safeParse(slug).success).toBe(false);
  });
});

describe("what may be patched", () => {
  const messageOf = (patch: unknown) => flagPatchSchema.safeParse(patch).error?.issues[0]?.message;
  const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);

  test("has any JSON as its payload", () => {
    for (const payload of [null, false, 0, "", [], {}, { a: [null] }, nested(MAX_PAYLOAD_DEPTH)]) {
      expect(messageOf({ payload })).toBeUndefined();
    }
  });

  test("has no payload that is too deep or too large", () => {
    expect(messageOf({ payload: nested(MAX_PAYLOAD_DEPTH + 1) })).toContain(`${MAX_PAYLOAD_DEPTH} levels`);
    expect(messageOf({ payload: "x".repeat(MAX_PAYLOAD - 2) })).toBeUndefined();
    expect(messageOf({ payload: "x".repeat(MAX_PAYLOAD - 1) })).toContain("256 KB");
    expect(messageOf({ payload: "é".repeat(MAX_PAYLOAD / 2) })).toContain("256 KB");
  });

  test.each(["2027-01-31T12:00:00Z", "2027-01-31T12:00:00.123Z", "2027-01-31T12:00:00+02:00", null])(
    "expires at %s",
    (expiredAt) => {
      expect(messageOf({ expiredAt })).toBeUndefined();
    },
  );

  test.each(["", "tomorrow", "2027-01-31", "2027-01-31T12:00:00", "2027-02-30T12:00:00Z", 1, true])(
    "does not expire at %j, and the message shows a time that works",
    (expiredAt) => {
      expect(messageOf({ expiredAt })).toContain("2027-01-31T12:00:00Z");
    },
  );

  test("has nothing else", () => {
    expect(messageOf({ enable: true })).toBeDefined();
    expect(messageOf({ enabled: "true" })).toContain("true or false");
    expect(messageOf({ description: "x".repeat(2001) })).toContain("2000");
  });
});
