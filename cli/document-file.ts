import { YAMLException, load } from "js-yaml";
import type { Io } from "./io.ts";
import { usage } from "./values.ts";

/** Values that a document may hold, counting what anchors repeat, and containers inside containers. */
const MAX_VALUES = 5_000_000;
const MAX_LEVELS = 200;

/** Reads a document in YAML 1.2 or JSON from a file, or from standard input for `-`. Throws `invalid` with the line. */
export async function readDocument(file: string, io: Io): Promise<object> {
  const text = file === "-" ? await io.readStdin() : await readText(file);
  const name = file === "-" ? "standard input" : file;
  const document = parse(text, name);
  if (typeof document !== "object" || document === null || Array.isArray(document))
    throw usage(
      `${name} holds no document`,
      "it begins with projects: or forms:, as formflag export prints it",
    );
  requireJson(document, name, { left: MAX_VALUES }, []);
  return document;
}

/** A document as YAML 1.2, which quotes what YAML 1.1 would take for true or false, or as JSON. Ends with a line break. */
export function printDocument(document: unknown, format: "yaml" | "json"): string {
  return `${format === "json" ? JSON.stringify(document, null, 2) : Bun.YAML.stringify(document, null, 2)}\n`;
}

async function readText(file: string): Promise<string> {
  try {
    return await Bun.file(file).text();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw usage(`the file ${file} cannot be read (${code})`);
  }
}

function parse(text: string, name: string): unknown {
  if (/^\s*\{/.test(text)) {
    try {
      return JSON.parse(text);
    } catch {
      // Braces are YAML too, and its reader says where something is wrong.
    }
  }
  try {
    return load(text);
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const { reason, mark } = error;
    const where = mark ? ` line ${mark.line + 1}, column ${mark.column + 1}` : "";
    throw usage(`${name}${where}: ${reason}`);
  }
}

/** YAML knows what JSON does not: numbers that are none, and values that hold themselves. */
function requireJson(value: unknown, name: string, budget: { left: number }, path: string[]): void {
  if ((budget.left -= 1) < 0) throw usage(`${name} holds more than ${MAX_VALUES} values`);
  if (path.length > MAX_LEVELS)
    throw usage(
      `${name} has more than ${MAX_LEVELS} levels, or refers to itself: ${path.slice(0, 5).join(".")}`,
    );
  if (typeof value === "number" && !Number.isFinite(value))
    throw usage(`${name}: ${path.join(".")}: ${value} is no number in JSON`);
  if (typeof value !== "object" || value === null) return;
  for (const [key, each] of Object.entries(value)) {
    path.push(key);
    requireJson(each, name, budget, path);
    path.pop();
  }
}
