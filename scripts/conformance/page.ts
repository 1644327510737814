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

const ROOT = join(import.meta.dir, "../..");

/** Writes the page with the outcomes of a run of a suite whose files are of these commits. */
export async function savePage(
  file: string,
  outcomes: readonly Outcome[],
  commits: ReadonlyMap<string, string>,
): Promise<void> {
  const subjects = [...new Set(outcomes.map(({ subject }) => subject))];
  const sdks = ["@openfeature/server-sdk", "@openfeature/web-sdk"];
  const packages = [...subjects, ...sdks].filter((name) => name.startsWith("@openfeature/"));
  const versions = packages.map((name) => `| \`${name}\` | ${versionOf(name)} |`);
  const rows = [...commits].map(([path, commit]) => `| \`${path}\` | \`${commit}\` |`);
  const page = `# Conformance of the providers

For developers who choose a provider: the JavaScript provider of formflag and those of OpenFeature read flags from a running formflag server. Scenarios in Gherkin describe the value, variant, reason and error that an application gets, and the events that it receives when flags change or the server is down.

\`\`\`sh
npm run conformance
npm run conformance -- --scenarios DIR --save
\`\`\`

The first command runs the scenarios of this repository, in \`scripts/conformance/scenarios\`. The second also runs those in \`DIR\`, and writes this page. If a scenario fails, the command fails. \`DIR\` is \`specification/assets/provider-tck\` in a clone of [open-feature/spec](https://github.com/open-feature/spec). Its provider suite is a draft that no package on npm contains. The scenarios of this repository are its own, and not a copy of these. \`--save\` needs a clone without changes, from which it takes the commit of each file, or their commits by path in \`DIR/commits.json\`:

| file | commit |
| --- | --- |
${rows.join("\n")}

[conformance.json](conformance.json) and [conformance-web.json](conformance-web.json) are the reports of the providers of formflag's own package, for servers and for pages, in the [envelope](https://github.com/open-feature/spec/pull/425) that the specification drafts. [conformance.xml](conformance.xml) and [conformance-web.xml](conformance-web.xml) have each scenario as JUnit.

This run used Bun ${Bun.version} and these versions from \`package.json\`:

| package | version |
| --- | --- |
${versions.join("\n")}

A scenario is skipped if its tag names a feature that the provider or the SDK does not support. The numbers count scenarios, each row of their examples by itself.

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
  const lines = [`| feature | ${heads.join(" | ")} |`, `| --- |${" --- |".repeat(subjects.length)}`];
  for (const [name, rows] of Map.groupBy(outcomes, ({ scenario }) => scenario.feature)) {
    const cells = subjects.map((subject) => cellOf(rows.filter((row) => row.subject === subject)));
    lines.push(`| ${name} | ${cells.join(" | ")} |`);
  }
  return lines.join("\n");
}

function cellOf(rows: readonly Outcome[]): string {
  const ran = rows.filter(({ skipped }) => skipped === null);
  const failed = ran.filter(({ failure }) => failure !== null).length;
  if (failed > 0) return `**failed ${failed}**`;
  if (ran.length === 0) return "skipped";
  return `passed ${ran.length}${ran.length < rows.length ? ", others skipped" : ""}`;
}

function reasonsOf(outcomes: readonly Outcome[]): string[] {
  const reasons = outcomes.flatMap(({ subject, skipped }) =>
    skipped === null ? [] : [`- \`${subject}\`, ${skipped.replace(/^(@[^:]+):/, "`$1`:")}.`],
  );
  return [...new Set(reasons)];
}

/** The version of a package; those of this repository have one version. */
export function versionOf(name: string): string {
  const folder = name.startsWith("@openfeature/") ? join("node_modules", name) : "";
  const text = readFileSync(join(ROOT, folder, "package.json"), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
