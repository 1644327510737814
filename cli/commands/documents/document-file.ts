import { segmentState } from "../../../src/flags/segment.ts";
import type { Difference } from "../../../src/documents/document.ts";
import type { Paint } from "../../output/color.ts";
import { type Diff, type Notation, printDiff } from "../../output/diff.ts";
import type { Io } from "../../output/terminal.ts";
import { printableLines, shown } from "../../output/text.ts";
import { parseJson } from "../../session/json.ts";
import { readText } from "../../session/sources.ts";
import { usage } from "../../session/usage.ts";
import type { Source } from "./fault.ts";
import { parseYaml, printYaml } from "../../session/yaml.ts";

/** Reads a document in YAML 1.2 or JSON from a file, or from standard input for `-`. Throws `invalid` with the place. */
export async function readDocument(
  file: string,
  io: Pick<Io, "readStdin">,
): Promise<{ document: object; source: Source }> {
  const text = file === "-" ? await io.readStdin() : await readText(file, "-f");
  const name = file === "-" ? "standard input" : file;
  const document = parseJsonOrYaml(text, name);
  if (typeof document !== "object" || document === null || Array.isArray(document))
    throw usage(
      `${name} holds no document`,
      "it begins with projects: or forms:, as formflag export prints it",
    );
  return { document, source: { text, name } };
}

/** A document as YAML 1.2 or as JSON. Ends with a line break. */
export function printDocument(document: unknown, format: "yaml" | "json"): string {
  return format === "json" ? `${JSON.stringify(document, null, 2)}\n` : printYaml(document);
}

/** Parses JSON or YAML 1.2. Throws `invalid` with the place in `name` for a text that is neither. */
export function parseJsonOrYaml(text: string, name: string): unknown {
  if (/^\s*\{/.test(text)) {
    try {
      return parseJson(text, name);
    } catch (error) {
      // Braces are valid YAML too, and the YAML parser names the line of an error.
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return parseYaml(text, name);
}

/** Differences for a person, and how many: `1 to create`, or `1 created` if they `areApplied`. */
export function describeDifferences(differences: Difference[], paint: Paint, areApplied: boolean): string {
  const diffs = differences.map((each) => printDiff(diffOf(each), YAML_NOTATION, paint));
  return `${diffs.join("")}${countDifferences(differences, areApplied)}\n`;
}

function diffOf({ action, path, kind, ...states }: Difference): Diff {
  const [before, after] = [states.before, states.after].map((state) =>
    kind === "segment" && state !== null ? segmentState(state) : state,
  );
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
