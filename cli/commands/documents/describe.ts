import type { Difference } from "../../../src/documents/document.ts";
import type { Paint } from "../../output/color.ts";
import { type Diff, type Notation, printDiff } from "../../output/diff.ts";
import { printableLines, shown } from "../../output/text.ts";
import { printDocument } from "./document-file.ts";

/** Differences for a person, and how many: `1 to create`, or `1 created` where they `areApplied`. */
export function describeDifferences(differences: Difference[], paint: Paint, areApplied: boolean): string {
  const diffs = differences.map((each) => printDiff(diffOf(each), YAML_NOTATION, paint));
  return `${diffs.join("")}${countDifferences(differences, areApplied)}\n`;
}

function diffOf({ action, path, before, after }: Difference): Diff {
  if (action === "delete") return { head: shown`- ${path}`, color: "red" };
  if (action === "create") return { head: shown`+ ${path}`, color: "green", after };
  return { head: shown`~ ${path}`, color: "yellow", before, after };
}

/** Fields as a document has them. */
const YAML_NOTATION: Notation = {
  indent: "    ",
  linesOf(value, field) {
    if (value === undefined) return [];
    const text = printDocument(field === undefined ? value : { [field]: value }, "yaml");
    return printableLines(text.trimEnd()).split("\n");
  },
  isSame: (before, after) => Bun.deepEquals(before, after, true),
};

function countDifferences(differences: Difference[], areApplied: boolean): string {
  if (differences.length === 0) return "unchanged";
  return (["create", "update", "delete"] as const)
    .map((action) => [differences.filter((each) => each.action === action).length, action] as const)
    .filter(([count]) => count > 0)
    .map(([count, action]) => (areApplied ? `${count} ${action}d` : `${count} to ${action}`))
    .join(", ");
}
