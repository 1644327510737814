import { expect, test } from "bun:test";
import type { FlagValues } from "../../../src/flags/flag.ts";
import { type Compiled, compileRules } from "../../../src/flags/flagd/compiled.ts";
import { subjectOf } from "../../../src/flags/flagd/evaluate.ts";
import { rulesText } from "../../../src/flags/rules/rules.ts";
import type { SegmentRecord } from "../../../src/flags/segment.ts";

const times = { createdAt: 0, updatedAt: 0, revision: 1 };

function flagFor(segment: string, slug: string): FlagValues {
  const rules = rulesText({
    variants: { on: true, off: false },
    defaultVariant: "off",
    targeting: { if: [{ $ref: segment }, "on", "off"] },
  });
  return {
    slug,
    description: "",
    enabled: true,
    payload: null,
    expiresAt: null,
    rules,
    imported: false,
    browser: false,
    requires: "",
    ...times,
  };
}

function segmentOf(name: string, people: string[]): SegmentRecord {
  return { name, rule: JSON.stringify({ in: [{ var: "person" }, people] }), ...times };
}

test("rules keep no copy of large segments for each flag, and are compiled again when a segment changes", () => {
  const people = Array.from({ length: 10_000 }, (_, index) => `person-${index}`);
  const segments = Array.from({ length: 20 }, (_, index) => segmentOf(`s${index}`, people));
  const flags = Array.from({ length: 400 }, (_, index) => flagFor(`s${index % 20}`, `f${index}`));
  const first = compileRules<Compiled>(flags, segments, undefined);
  const size = first.values().reduce((sum, { source }) => sum + source.length, 0);
  expect(size).toBeLessThan(400 * 500);
  const changed = compileRules([flagFor("s1", "f0"), ...flags.slice(1)], segments, first);
  expect(changed.get("f0")).not.toBe(first.get("f0")!);
  for (const { slug } of flags.slice(1)) expect(changed.get(slug)).toBe(first.get(slug));

  const ann = subjectOf({ person: "ann" });
  expect(first.get("f0")!.decide(ann)).toMatchObject({ value: false });
  const withAnn = compileRules<Compiled>(flags, [segmentOf("s0", ["ann"]), ...segments.slice(1)], first);
  expect(withAnn.get("f0")!.decide(ann)).toMatchObject({ value: true });
});
