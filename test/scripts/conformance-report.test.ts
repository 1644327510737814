import { createHash } from "node:crypto";
import { join } from "node:path";
import { expect, test } from "bun:test";
import type { Outcome } from "../../scripts/conformance/page.ts";
import { saveReport } from "../../scripts/conformance/report.ts";
import { tempDirectory } from "../support/temp.ts";

const subject = {
  name: "@formflag/openfeature",
  report: "conformance",
  sdk: "@openfeature/server-sdk",
  lacks: { "@numbers": "has one type" },
  open: () => Promise.reject(new Error("unused")),
  close: () => Promise.resolve(),
};
const scenario = { feature: "Provider <values>", name: "A value", row: "", tags: [], steps: [] };
const outcome = { isOwn: false, subject: subject.name, scenario, skipped: null, failure: null };
const outcomes: Outcome[] = [
  { ...outcome, scenario: { ...scenario, row: 'a, "b"', tags: ["@object", "@events"] } },
  { ...outcome, scenario: { ...scenario, tags: ["@numbers"] }, skipped: "@numbers: has one type" },
  { ...outcome, failure: "1 & 2 differ" },
  { ...outcome, isOwn: true },
  { ...outcome, subject: "@openfeature/ofrep-provider" },
];

test("a report has the envelope that the specification drafts, and the results of the suite as JUnit beside it", async () => {
  const file = join(tempDirectory(), "conformance.json");
  await saveReport(file, subject, outcomes, { revision: "a".repeat(40), files: new Map() });
  const results = await Bun.file(join(file, "../conformance.xml")).text();
  expect(results.split("\n")).toEqual([
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuite name="@formflag/openfeature" tests="3" failures="1" errors="0" skipped="1">',
    '<testcase classname="Provider &lt;values&gt;" name="A value: a, &quot;b&quot;"/>',
    '<testcase classname="Provider &lt;values&gt;" name="A value"><skipped message="@numbers: has one type"/></testcase>',
    '<testcase classname="Provider &lt;values&gt;" name="A value"><failure message="1 &amp; 2 differ"/></testcase>',
    "</testsuite>",
    "",
  ]);
  expect(await Bun.file(file).json()).toEqual({
    schemaVersion: "1",
    provider: { name: subject.name, version: expect.any(String), language: "javascript" },
    sdk: { name: "@openfeature/server-sdk", version: expect.any(String) },
    tck: {
      implementation: "formflag/scripts/conformance",
      version: expect.any(String),
      specRevision: "a".repeat(40),
    },
    backend: { description: "formflag serve" },
    declaration: { declared: ["@events", "@object"] },
    results: {
      format: "junit-xml",
      location: "conformance.xml",
      digest: `sha256:${createHash("sha256").update(results).digest("hex")}`,
    },
  });
});
