import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import type { Origin } from "./commits.ts";
import { type Outcome, versionOf } from "./page.ts";
import type { Subject } from "./subjects.ts";

/**
 * Writes what a provider of this repository passed of a suite to `file`, in the envelope for reports that the specification drafts
 * (open-feature/spec, pull request 425), and each scenario to a file of JUnit beside it.
 */
export async function saveReport(
  file: string,
  subject: Subject,
  outcomes: readonly Outcome[],
  origin: Origin,
): Promise<void> {
  const own = outcomes.filter((each) => each.subject === subject.name && !each.isOwn);
  const results = junit(subject.name, own);
  const tags = new Set(own.flatMap(({ scenario }) => scenario.tags));
  const envelope = {
    schemaVersion: "1",
    provider: { name: subject.name, version: versionOf(subject.name), language: "javascript" },
    sdk: { name: subject.sdk, version: versionOf(subject.sdk!) },
    tck: {
      implementation: "formflag/scripts/conformance",
      version: versionOf("formflag"),
      specRevision: origin.revision,
    },
    backend: { description: "formflag serve" },
    declaration: { declared: [...tags].filter((tag) => !(tag in subject.lacks)).toSorted() },
    results: {
      format: "junit-xml",
      location: basename(resultsFile(file)),
      digest: `sha256:${createHash("sha256").update(results).digest("hex")}`,
    },
  };
  await Bun.write(resultsFile(file), results);
  await Bun.write(file, `${JSON.stringify(envelope, null, 2)}\n`);
}

const resultsFile = (file: string) => join(file, "..", `${basename(file, ".json")}.xml`);

function junit(name: string, outcomes: readonly Outcome[]): string {
  const cases = outcomes.map(({ scenario, skipped, failure }) => {
    const title = [scenario.name, scenario.row].filter((each) => each !== "").join(": ");
    const about = `<testcase classname="${escaped(scenario.feature)}" name="${escaped(title)}"`;
    if (failure !== null) return `${about}><failure message="${escaped(failure)}"/></testcase>`;
    return skipped === null ? `${about}/>` : `${about}><skipped message="${escaped(skipped)}"/></testcase>`;
  });
  const failures = outcomes.filter(({ failure }) => failure !== null).length;
  const skips = outcomes.filter(({ skipped }) => skipped !== null).length;
  const counts = `tests="${outcomes.length}" failures="${failures}" errors="0" skipped="${skips}"`;
  const suite = [`<testsuite name="${escaped(name)}" ${counts}>`, ...cases, "</testsuite>"];
  return ['<?xml version="1.0" encoding="UTF-8"?>', ...suite, ""].join("\n");
}

function escaped(text: string): string {
  return Bun.escapeHTML(text);
}
