import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import type { Fields } from "../../../../src/http/dashboard/fields.ts";
import { setFlag } from "../../../../src/flags/flags.ts";
import { setSegment } from "../../../../src/flags/segments.ts";
import { createProject } from "../../../../src/projects/projects.ts";
import { openTestApp } from "../../../support/app.ts";
import { openDashboard } from "../../../support/pages/dashboard.ts";
import { OPERATOR } from "../../../support/records/caller.ts";
import { findFault } from "../../../../src/flags/flagd/check.ts";
import { conditionInWords } from "../../../../src/flags/rules/condition-words.ts";
import { ruleOfCondition } from "../../../../src/flags/rules/condition-parser.ts";
import { type RuleTable, ruleOfTable } from "../../../../src/flags/rules/rule-table.ts";
import { type Draft, isTyped, tableOf, typedTable } from "../../../../src/http/dashboard/flags/draft.ts";
import {
  type EditedServe,
  conditionsOf,
  editedServe,
  joinOf,
} from "../../../../src/http/dashboard/flags/rules.ts";

type Variants = Readonly<Record<string, unknown>>;
type Rule = Record<string, unknown>;

const SEGMENTS = new Map<string, unknown>([
  ["staff", true],
  ["beta", true],
]);

/** A text as a field of one line sends it back: https://html.spec.whatwg.org/multipage/input.html */
function sentByLine(text: string): string {
  return text
    .replaceAll(/[\r\n]/g, "")
    .replaceAll("\0", "\uFFFD")
    .toWellFormed();
}

/** What a browser sends of the rows of a rule that nobody has changed. */
function sentOf({ rows, rest }: RuleTable, variants: Variants): FormData {
  const fields = new FormData();
  const serve = (row: string, { serve: chosen, shares }: EditedServe) => {
    fields.append(`serve-${row}`, chosen);
    for (const { variant, percent } of shares) {
      fields.append(`of-${row}`, variant);
      for (const name of ["share", "was"]) fields.append(`${name}-${row}`, percent);
    }
  };
  fields.append("rules", String(rows.length));
  for (const [at, row] of rows.entries()) {
    const number = String(at + 1);
    const conditions = conditionsOf(row.condition);
    if (conditions === null) fields.append(`words-${number}`, sentByLine(row.condition));
    fields.append(`join-${number}`, joinOf(row.condition));
    for (const { attribute, operator, value } of conditions ?? []) {
      fields.append(`attribute-${number}`, sentByLine(attribute));
      fields.append(`operator-${number}`, operator);
      fields.append(`value-${number}`, sentByLine(value));
    }
    serve(number, editedServe(row.serve, variants));
  }
  serve("rest", editedServe(rest, variants));
  return fields;
}

function draftOf(targeting: unknown, variants: Variants): Draft {
  const draft = { variants: JSON.stringify(variants), targeting: JSON.stringify(targeting) };
  return draft as Partial<Draft> as Draft;
}

/** The rule that the rows of a rule are saved as; undefined for one without rows. */
function savedOf(targeting: unknown, variants: Variants): unknown {
  const table = tableOf(draftOf(targeting, variants));
  if (table === null) return undefined;
  const { rows, rest } = typedTable(sentOf(table, variants) as unknown as Fields, variants);
  return ruleOfTable({ rows: rows.filter(isTyped), rest }, variants);
}

/** A rule with weights in percent, and strict comparisons with texts that are no numbers. */
function meaningOf(rule: unknown): unknown {
  if (Array.isArray(rule)) return rule.map(meaningOf);
  const [name, args] = Object.entries(typeof rule === "object" && rule !== null ? rule : {})[0] ?? [];
  if (name === undefined) return rule;
  if (name === "fractional") {
    const total = (args as [string, number][]).reduce((sum, [, weight]) => sum + weight, 0);
    const served = (args as [string, number][]).filter(([, weight]) => weight > 0);
    return { fractional: served.map(([variant, weight]) => [variant, ((100 * weight) / total).toFixed(6)]) };
  }
  const value: unknown = Array.isArray(args) ? args[1] : undefined;
  const isStrict = typeof value === "string" && Number.isNaN(Number(value)) && /^[=!]=$/.test(name);
  return { [isStrict ? `${name}=` : name]: meaningOf(args) };
}

const text = fc.oneof(
  fc.constantFrom("", " ", "5", "007", "-0", "1e3", "1.50", "true", "null", "9007199254740993", "25 %"),
  fc.constantFrom(
    "a,b",
    "a, b",
    '"',
    "'",
    '"x"',
    `a"b'c`,
    " lead",
    "trail ",
    "a\nb",
    "a\r\nb",
    "\0",
    "\ud800",
    "ü😀",
  ),
  fc.constantFrom(
    "and",
    "or",
    "not",
    "is",
    "in",
    "segment",
    "x and y == z",
    "a&&b",
    "a||b",
    "a==b",
    "(x",
    "[x]",
    ">= 1",
  ),
  fc.string({ maxLength: 10 }),
);
const scalar = fc.oneof(
  text,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
);
const attribute = fc
  .oneof(
    fc.constantFrom(
      "email",
      "user.plan",
      "$flagd.timestamp",
      "and",
      "not",
      "or",
      "segment",
      "in",
      "is",
      "ü",
      "a:b",
    ),
    fc.string({ minLength: 1, maxLength: 6 }),
  )
  .map((name) => ({ var: name }));
const comparison = fc.oneof(
  fc.record({ "===": fc.tuple(attribute, scalar) }),
  fc.record({ "!==": fc.tuple(attribute, scalar) }),
  fc.record({ "==": fc.tuple(attribute, text) }),
  fc.record({ in: fc.tuple(attribute, fc.array(scalar, { maxLength: 3 })) }),
  fc.record({ in: fc.tuple(scalar, attribute) }),
  fc.record({ starts_with: fc.tuple(attribute, text) }),
  fc.record({ ends_with: fc.tuple(attribute, text) }),
  fc.record({ matches: fc.tuple(attribute, fc.oneof(text, fc.constant("^a{2,3}$"))) }),
  fc.record({
    sem_ver: fc.tuple(
      attribute,
      fc.constantFrom("=", "!=", "<", "<=", ">", ">=", "~", "^"),
      fc.constantFrom("1.2.3", "1.0.0-rc.1", "1.2", "v1.2.3"),
    ),
  }),
  fc.record({
    in_cidr: fc.tuple(
      attribute,
      fc.constantFrom<unknown>("10.0.0.0/8", "::1", ["10.0.0.0/8"], ["10.0.0.0/8", "::/0"]),
    ),
  }),
  fc.record({ before: fc.tuple(attribute, fc.constantFrom<unknown>("2026-01-31 12:00:00+01:00", 5, "5")) }),
  fc.record({ after: fc.tuple(attribute, fc.constantFrom<unknown>("2026-01-31T12:00:00Z", 1e13)) }),
  fc
    .tuple(attribute, fc.constantFrom("<", "<=", ">", ">="), scalar)
    .map(([name, operator, value]) => ({ and: [{ "!==": [name, null] }, { [operator]: [name, value] }] })),
  fc.constantFrom({ $ref: "staff" }, { "!": [{ $ref: "beta" }] }),
) as fc.Arbitrary<Rule>;
const { condition } = fc.letrec<{ condition: Rule }>((tie) => ({
  condition: fc.oneof(
    { depthSize: "small" },
    { weight: 4, arbitrary: comparison },
    { weight: 1, arbitrary: fc.record({ and: fc.array(tie("condition"), { minLength: 2, maxLength: 3 }) }) },
    { weight: 1, arbitrary: fc.record({ or: fc.array(tie("condition"), { minLength: 2, maxLength: 3 }) }) },
    { weight: 1, arbitrary: fc.record({ "!": fc.tuple(tie("condition")) }) },
  ),
}));

const VARIANTS: Variants[] = [
  { on: true, off: false },
  { off: false, on: true },
  { red: "r", blue: "b", "25 %": "c" },
  { shares: "a", b: "b" },
  { a: 1, "a,b": 2, c: 3 },
  { " on": true, on: false },
  { "10 % a": "x", a: "y" },
  { "a\nb": {}, ab: {} },
];
const weight = fc.oneof(fc.constantFrom(0, 1, 2, 25, 50, 75, 100, 9_999, 10_000), fc.nat(100));
const resultOf = (names: string[]) =>
  fc.oneof(
    fc.constantFrom(...names),
    fc
      .shuffledSubarray(names, { minLength: 1 })
      .chain((some) => fc.tuple(...some.map((name) => fc.tuple(fc.constant(name), weight))))
      .map((fractional) => ({ fractional })),
  );
const flag = fc.constantFrom(...VARIANTS).chain((variants) => {
  const result = resultOf(Object.keys(variants));
  const rows = fc.array(fc.tuple(condition, result), { minLength: 1, maxLength: 3 });
  const rule = fc.tuple(rows, fc.option(result)).map(([pairs, rest]) => ({
    if: [...pairs.flat(), ...(rest === null ? [] : [rest])],
  }));
  return fc.record({
    variants: fc.constant(variants),
    rule: fc.oneof(
      { weight: 3, arbitrary: rule },
      result.filter((each) => typeof each !== "string"),
    ),
  });
});

describe("a rule on the page of its flag", () => {
  test("is saved from its rows with the meaning it had, or has none", () => {
    fc.assert(
      fc.property(flag, ({ variants, rule }) => {
        const targeting = JSON.parse(JSON.stringify(rule)) as Rule;
        const [defaultVariant] = Object.keys(variants);
        fc.pre(findFault({ variants, defaultVariant, targeting }, SEGMENTS) === undefined);
        const saved = savedOf(targeting, variants);
        if (saved !== undefined) expect(meaningOf(saved)).toEqual(meaningOf(targeting));
      }),
      { numRuns: 150 },
    );
  });

  test("has words for its conditions that the command line reads as the same", () => {
    fc.assert(
      fc.property(condition, (rule) => {
        const words = conditionInWords(rule);
        if (words !== null) expect(meaningOf(ruleOfCondition(words))).toEqual(meaningOf(rule));
      }),
    );
  });

  const SWITCH = { on: true, off: false };
  const COLOURS = { red: 1, blue: 2, green: 3 };

  test.each<[rule: Rule, variants: Variants]>([
    [
      {
        fractional: [
          ["off", 75],
          ["on", 25],
        ],
      },
      SWITCH,
    ],
    [
      {
        fractional: [
          ["on", 25],
          ["off", 75],
        ],
      },
      { off: false, on: true },
    ],
    [
      {
        fractional: [
          ["blue", 10],
          ["red", 90],
        ],
      },
      COLOURS,
    ],
    [
      {
        if: [
          { $ref: "staff" },
          {
            fractional: [
              ["green", 0],
              ["blue", 1],
              ["red", 9999],
            ],
          },
          "red",
        ],
      },
      COLOURS,
    ],
  ])("keeps the order of shares, by which users get their variant: %j", (rule, variants) => {
    expect(meaningOf(savedOf(rule, variants))).toEqual(meaningOf(rule));
  });

  test.each<[what: string, rule: Rule, variants: Variants]>([
    ["a text of two lines", { if: [{ "===": [{ var: "a" }, "b\nc"] }, "on"] }, SWITCH],
    ["a text with a zero", { if: [{ "===": [{ var: "a" }, "b\0c"] }, "on"] }, SWITCH],
    ["half a character", { if: [{ "===": [{ var: "a" }, "\ud800"] }, "on"] }, SWITCH],
    [
      "shares beside a variant of that name",
      {
        fractional: [
          ["shares", 1],
          ["b", 1],
        ],
      },
      { shares: 1, b: 2 },
    ],
    [
      "shares beside a name with a comma",
      {
        fractional: [
          ["a", 1],
          ["c", 1],
        ],
      },
      { a: 1, "a, b": 2, c: 3 },
    ],
    ["a variant whose name begins with a space", { if: [{ $ref: "staff" }, " on"] }, { " on": 1, on: 2 }],
    [
      "thirds",
      {
        fractional: [
          ["red", 1],
          ["blue", 1],
          ["green", 1],
        ],
      },
      COLOURS,
    ],
  ])("has no rows, which fields would change, with %s", (_, rule, variants) => {
    expect(savedOf(rule, variants)).toBeUndefined();
  });
});

describe("fields of one line, which browsers take line ends from,", () => {
  const place = { project: "shop", environment: "staging", flag: "search" };

  async function openShop(patch: Parameters<typeof setFlag>[3]) {
    const app = openTestApp();
    await createProject(app, OPERATOR, { slug: "shop" });
    await setFlag(app, OPERATOR, place, patch);
    const ann = await openDashboard(app).signIn("editor");
    return { app, ann, page: (await ann.get("/projects/shop/flags/search?environment=staging")).text };
  }

  test("do not hold variants of several lines, which are typed as JSON", async () => {
    const { page } = await openShop({ variants: { a: "one\ntwo", b: "" }, defaultVariant: "a" });
    expect(page).toContain('<option value="JSON" selected="">');
    expect(page).toContain("&quot;one\\ntwo&quot;");
  });

  test("do not hold names of variants with spaces around them", async () => {
    const { page } = await openShop({ variants: { " on": true, on: false }, defaultVariant: "on" });
    expect(page).toMatch(/<textarea[^>]* name="variants"/);
    expect(page).not.toContain("Edit as rows");
  });

  test("do not hold a description of several lines", async () => {
    const { page } = await openShop({ description: "one\ntwo" });
    expect(page).toMatch(/<textarea[^>]* name="description"[^>]*>\s*one\ntwo/);
  });

  test("do not hold a condition of a segment on several lines", async () => {
    const { app, ann } = await openShop({});
    const rule = { and: [{ "===": [{ var: "a" }, "b"] }, { "===": [{ var: "c" }, "d\ne"] }] };
    await setSegment(app, OPERATOR, { ...place, segment: "staff" }, rule);
    const { text: page } = await ann.get("/projects/shop/environments/staging/segments/staff");
    expect(page).toContain('name="as" value="json"');
  });
});
