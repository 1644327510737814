import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Scenario } from "./gherkin.ts";

export type Outcome = {
  /** Whether the scenario is one of this repository. */
  isOwn: boolean;
  subject: string;
  scenario: Scenario;
  /** Why it did not run. */
  skipped: string | null;
  failure: string | null;
};

/** The commits of https://github.com/open-feature/spec that its provider suite is taken from: the suite is a draft, and moves. */
const PINNED: [file: string, commit: string][] = [
  ["flags/canonical-flags.json", "009afe0617947121dcbebe4b66e0cc0c5cc4ada8"],
  ["gherkin/errors.feature", "77f7b89dc2721f551bd4b77a681fb7c9bb9337c8"],
  ["gherkin/evaluation.feature", "0df2397513c2a4a767851203ea900a4743c87bc8"],
  ["gherkin/events.feature", "86ca9ba3b06b122fb10295608fe9e3d613f11625"],
  ["gherkin/lifecycle.feature", "0f8c086487200bfb983b107c53f045b3ad702fa7"],
  ["gherkin/metadata.feature", "d0be8429178d816ca514082d1753de20aad21756"],
  ["gherkin/reason.feature", "86ca9ba3b06b122fb10295608fe9e3d613f11625"],
];

const ROOT = join(import.meta.dir, "../..");

/** Writes the page with the outcomes of a run. */
export async function savePage(file: string, outcomes: readonly Outcome[]): Promise<void> {
  const subjects = [...new Set(outcomes.map(({ subject }) => subject))];
  const sdks = ["@openfeature/server-sdk", "@openfeature/web-sdk"];
  const versions = [...subjects, ...sdks].map((name) => `| \`${name}\` | ${versionOf(name)} |`);
  const rows = PINNED.map(([path, commit]) => `| \`${path}\` | \`${commit}\` |`);
  const page = `# Conformance of the providers

The JavaScript providers of OpenFeature read flags from a running formflag server. Scenarios in Gherkin describe the value, variant, reason and error that an application gets, and the events that it receives when flags change or the server is down.

\`\`\`sh
npm run conformance
npm run conformance -- --scenarios DIR --save
\`\`\`

The first command runs the scenarios of this repository, in \`scripts/conformance/scenarios\`. The second also runs those in \`DIR\`, and writes this page. If a scenario fails, the command fails. \`DIR\` is \`specification/assets/provider-tck\` in a copy of [open-feature/spec](https://github.com/open-feature/spec), whose provider suite is a draft. This page was made with these commits of its files:

| file | commit |
| --- | --- |
${rows.join("\n")}

This run used Bun ${Bun.version} and these versions from \`package.json\`:

| package | version |
| --- | --- |
${versions.join("\n")}

A scenario is skipped if its tag names a feature that the provider or the SDK does not support. The numbers count the rows of its examples.

## The provider suite of OpenFeature

${tableOf(
  outcomes.filter(({ isOwn }) => !isOwn),
  subjects,
)}

## The scenarios of this repository

${tableOf(
  outcomes.filter(({ isOwn }) => isOwn),
  subjects,
)}

## Why some are skipped

${reasonsOf(outcomes).join("\n")}
`;
  await Bun.write(file, page);
}

function tableOf(outcomes: readonly Outcome[], subjects: readonly string[]): string {
  const heads = subjects.map((subject) => subject.replace("@openfeature/", ""));
  const lines = [`| scenario | ${heads.join(" | ")} |`, `| --- |${" --- |".repeat(subjects.length)}`];
  const byScenario = Map.groupBy(outcomes, ({ scenario }) => `${scenario.feature}: ${scenario.name}`);
  for (const [name, rows] of byScenario) {
    const cells = subjects.map((subject) => cellOf(rows.filter((row) => row.subject === subject)));
    lines.push(`| ${name} | ${cells.join(" | ")} |`);
  }
  return lines.join("\n");
}

function cellOf(rows: readonly Outcome[]): string {
  if (rows.every(({ skipped }) => skipped !== null)) return "skipped";
  const passed = rows.filter(({ failure }) => failure === null).length;
  return passed === rows.length
    ? passed === 1
      ? "passed"
      : `passed ${passed}`
    : `**failed ${rows.length - passed}**`;
}

function reasonsOf(outcomes: readonly Outcome[]): string[] {
  const reasons = outcomes.flatMap(({ subject, skipped }) =>
    skipped === null ? [] : [`- \`${subject}\`, ${skipped.replace(/^(@[^:]+):/, "`$1`:")}.`],
  );
  return [...new Set(reasons)];
}

function versionOf(name: string): string {
  const text = readFileSync(join(ROOT, "node_modules", name, "package.json"), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
