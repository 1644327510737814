import { describe, expect, test } from "bun:test";
import { type Release, planRelease } from "../../../src/flags/release/release.ts";
import { getsInShort, releaseInWords, whoGets } from "../../../src/flags/release/release-words.ts";

const NOW = Date.UTC(2026, 10, 30, 9);
const saying = { now: NOW, timeZone: "UTC" };
const DAY = 86_400;

const flag = (enabled: boolean, rules: object | null = null) => ({
  enabled,
  rules: rules === null ? null : JSON.stringify(rules),
  expiresAt: null,
  requires: "",
});
const SWITCH = { variants: { on: true, off: false }, defaultVariant: "off" };
const STAFF = { if: [{ $ref: "staff" }, "on"] };

const release = (given: Partial<Release>): Release => ({
  variant: "on",
  who: "all",
  share: 50,
  segment: "",
  condition: "",
  how: "now",
  at: null,
  span: 8 * 3600,
  steps: [1, 10, 50],
  every: DAY,
  thenEveryone: false,
  guards: [],
  onGuard: "pause",
  metric: "",
  days: 14,
  ...given,
});

const share = (percent: number) => ({
  fractional: [
    ["on", percent],
    ["off", 100 - percent],
  ],
});

describe("a release", () => {
  test.each<[Partial<Release>, string]>([
    [{}, "From now on, everyone gets on."],
    [{ who: "share", share: 25 }, "From now on, 25 % of users get on."],
    [{ who: "segment", segment: "staff" }, "From now on, Staff get on."],
    [
      { who: "rule", condition: "country is one of AT, DE", how: "at", at: NOW + 25 * 3_600_000 },
      "Tomorrow, 10:00, users where country is one of AT, DE get on.",
    ],
    [{ who: "none" }, "From now on, nobody gets on."],
    [{ how: "while" }, "For the next 8 hours, everyone gets on, then it is as it is now."],
    [
      { how: "steps" },
      "From now on 1 %, tomorrow 10 %, on Wed 2 Dec 50 %, and on Thu 3 Dec everyone gets on.",
    ],
    [
      { who: "share", share: 5, how: "steps", guards: ["event:error rises 10%"] },
      "From now on 1 %, and tomorrow 5 % of users get on. It stops, and tells you, if errors rise more than 10 %.",
    ],
    [
      { who: "segment", segment: "staff", how: "steps", steps: [25, 50], thenEveryone: true },
      "From now on 25 % of Staff, tomorrow 50 %, and on Wed 2 Dec everyone gets on.",
    ],
    [
      {
        who: "segment",
        segment: "staff",
        how: "steps",
        steps: [25],
        every: 6 * 3600,
        onGuard: "rollback",
        guards: ["submissions:contact falls 5%"],
      },
      "From now on 25 %, and at 15:00 all of Staff get on. It goes back, and tells you, if submissions of contact fall more than 5 %.",
    ],
    [
      { how: "test", metric: "submissions:shop:contact" },
      "For 14 days, everyone gets on or off, split between them, and submissions of contact are compared.",
    ],
  ])("%j is said in one sentence", (given, sentence) => {
    expect(releaseInWords(release(given), flag(false), saying)).toBe(sentence);
  });

  test("to everyone turns a plain flag on, and makes the variant the default of another behind its conditions", () => {
    expect(planRelease(release({}), flag(false), NOW)).toEqual({
      operation: "set",
      patch: { enabled: true },
    });
    const ruled = flag(false, { ...SWITCH, targeting: STAFF });
    expect(planRelease(release({}), ruled, NOW)).toMatchObject({
      patch: { enabled: true, defaultVariant: "on", targeting: STAFF },
    });
  });

  test("to nobody turns the flag off", () => {
    expect(planRelease(release({ who: "none" }), flag(true, SWITCH), NOW)).toEqual({
      operation: "set",
      patch: { enabled: false },
    });
  });

  test("to a share keeps conditions, and is for a time or at a time as one operation", () => {
    const ruled = flag(true, { ...SWITCH, targeting: STAFF });
    const patch = { enabled: true, defaultVariant: "off", targeting: { if: [...STAFF.if, share(25)] } };
    const of = (given: Partial<Release>) =>
      planRelease(release({ who: "share", share: 25, ...given }), ruled, NOW);
    expect(of({})).toMatchObject({ operation: "set", patch });
    const until = new Date(NOW + 8 * 3_600_000).toISOString();
    expect(of({ how: "while" })).toMatchObject({ operation: "setFor", until, patch });
    expect(of({ how: "at", at: NOW + 1000 })).toMatchObject({ operation: "schedule", patch });
  });

  test("to a segment comes first, and leaves others what they have unless they have the same", () => {
    const of = (record: ReturnType<typeof flag>) =>
      planRelease(release({ who: "segment", segment: "staff" }), record, NOW);
    const quarter = flag(true, { ...SWITCH, targeting: share(25) });
    expect(of(quarter)).toMatchObject({ patch: { targeting: { if: [...STAFF.if, share(25)] } } });
    // Everyone has it, or would once the flag is on again.
    for (const on of [flag(true), flag(false, { ...SWITCH, defaultVariant: "on", targeting: share(25) })])
      expect(of(on)).toMatchObject({ patch: { enabled: true, defaultVariant: "off", targeting: STAFF } });
    const twice = flag(true, { ...SWITCH, targeting: { if: [{ $ref: "staff" }, "off"] } });
    expect(of(twice)).toMatchObject({ patch: { targeting: STAFF } });
  });

  test("step by step is a ramp, within a condition if it is for some", () => {
    const given = {
      who: "segment",
      segment: "staff",
      how: "steps",
      steps: [25, 50, 75],
      thenEveryone: true,
    } as const;
    expect(planRelease(release({ ...given, guards: ["event:error rises 10%"] }), flag(false), NOW)).toEqual({
      operation: "ramp",
      course: {
        variant: "on",
        to: [25, 50, 75, 100],
        every: DAY,
        within: { $ref: "staff" },
        thenEveryone: true,
        guards: ["event:error rises 10%"],
        onGuard: "pause",
      },
    });
  });

  test("as an experiment splits everyone, or a share from the others", () => {
    const of = (given: Partial<Release>) =>
      planRelease(release({ how: "test", metric: "event:order", ...given }), flag(true, SWITCH), NOW);
    expect(of({})).toMatchObject({ design: { control: "off", split: { on: 1, off: 1 }, minDays: 14 } });
    expect(of({ who: "share", share: 20 })).toMatchObject({ design: { split: { on: 20, off: 80 } } });
  });

  test.each<[Partial<Release>, field: string]>([
    [{ who: "share", share: 0 }, "share"],
    [{ who: "share", share: Number.NaN }, "share"],
    [{ who: "segment" }, "segment"],
    [{ who: "rule", condition: "country" }, "condition"],
    [{ how: "at" }, "at"],
    [{ how: "at", at: NOW - 1 }, "at"],
    [{ how: "steps", steps: [50, 10] }, "step"],
    [{ how: "test" }, "metric"],
    [{ how: "test", metric: "event:order", who: "segment", segment: "staff" }, "how"],
    [{ variant: "blue" }, "variant"],
    [{ who: "none", how: "steps" }, "how"],
  ])("that is not complete, %j, says what is missing at %s", (given, field) => {
    const wrong = () => planRelease(release(given), flag(false), NOW);
    expect(wrong).toThrow(
      expect.objectContaining({ code: "invalid", errors: [expect.objectContaining({ field })] }),
    );
  });
});

describe("who gets a flag", () => {
  test.each<[ReturnType<typeof flag>, who: string[], short: string]>([
    [flag(true), ["Everyone: on"], "On for everyone"],
    [flag(false), ["Everyone: off"], "Off for everyone"],
    [flag(true, { ...SWITCH, targeting: STAFF }), ["Staff: on", "Everyone else: off"], "On for Staff"],
    [
      flag(true, { ...SWITCH, targeting: share(25) }),
      ["25 % of users: on", "Everyone else: off"],
      "On for 25 %",
    ],
    [
      flag(true, { ...SWITCH, targeting: { if: [{ "!": [{ $ref: "staff" }] }, "off", share(25)] } }),
      ["25 % of Staff: on", "Everyone else: off"],
      "On for 25 % of Staff",
    ],
    [
      flag(true, { ...SWITCH, targeting: { if: [{ "!": [{ $ref: "staff" }] }, "off", "on"] } }),
      ["Staff: on", "Everyone else: off"],
      "On for Staff",
    ],
    [
      flag(false, { variants: { a: "x", b: "y" }, defaultVariant: "a" }),
      ["Everyone: what their code falls back to"],
      "Off for everyone",
    ],
  ])("%j is said by who gets what", (record, who, short) => {
    expect(whoGets(record, NOW)!.map((each) => `${each.who}: ${each.what}`)).toEqual(who);
    expect(getsInShort(record, NOW)).toBe(short);
  });

  test("has no words for a rule of another kind", () => {
    const own = flag(true, { ...SWITCH, targeting: { "===": [{ var: "a" }, "b"] } });
    expect([whoGets(own, NOW), getsInShort(own, NOW)]).toEqual([null, "On for a rule of its own"]);
  });
});
