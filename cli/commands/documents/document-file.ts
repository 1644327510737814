import type { Io } from "../../output/terminal.ts";
import { parseJson } from "../../session/json.ts";
import { readText } from "../../session/sources.ts";
import { usage } from "../../session/usage.ts";
import { parseYaml, printYaml } from "../../session/yaml.ts";

/** Reads a document in YAML 1.2 or JSON from a file, or from standard input for `-`. Throws `invalid` with the place. */
export async function readDocument(file: string, io: Pick<Io, "readStdin">): Promise<object> {
  const text = file === "-" ? await io.readStdin() : await readText(file, "-f");
  const name = file === "-" ? "standard input" : file;
  const document = parseJsonOrYaml(text, name);
  if (typeof document !== "object" || document === null || Array.isArray(document))
    throw usage(
      `${name} holds no document`,
      "it begins with projects: or forms:, as formflag export prints it",
    );
  return document;
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
