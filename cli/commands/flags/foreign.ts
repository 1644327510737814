import { formatBytes, MiB } from "../../../src/base/bytes.ts";
import { isDeeper, isLargerThan, MAX_JSON_LEVELS } from "../../../src/base/json.ts";
import { type Choice, WrongFile } from "../../../src/flags/importers/choice.ts";
import type { Converted } from "../../../src/flags/importers/draft.ts";
import { convert, type ForeignFormat } from "../../../src/flags/importers/importers.ts";
import { shown } from "../../output/text.ts";
import type { Input } from "../../session/input.ts";
import { parseJson } from "../../session/json.ts";
import { readText } from "../../session/sources.ts";
import { usage } from "../../session/usage.ts";

/** Bytes of a file of another service, also with what aliases of YAML repeat. */
const MAX_FILE = 16 * MiB;

/** Reads a file of another service as one of flagd, with its report. Throws `invalid`. */
export async function readForeign(
  file: string,
  input: Input,
  format: ForeignFormat,
  choice: Choice,
): Promise<Converted> {
  const text = file === "-" ? await input.readStdin() : await readText(file, "import");
  const name = file === "-" ? "standard input" : file;
  if (Buffer.byteLength(text) > MAX_FILE) throw usage(`${name} has more than ${formatBytes(MAX_FILE)}`);
  const value = await parse(text, name, format);
  if (isLargerThan(MAX_FILE, value)) throw usage(`${name} repeats so much that it is too large`);
  try {
    return await convert(format, value, choice);
  } catch (error) {
    if (error instanceof WrongFile) throw usage(`${name}: ${error.message}`, HINT);
    throw error;
  }
}

const HINT = "--format names the service from which the file comes; --from-environment the environment in it";

async function parse(text: string, name: string, format: ForeignFormat): Promise<unknown> {
  if (/^\s*[[{]/.test(text)) {
    if (isDeeper(Buffer.from(text), MAX_JSON_LEVELS))
      throw usage(`${name} has more than ${MAX_JSON_LEVELS} levels`);
    try {
      return parseJson(text, name);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  const { parseYaml, parseYamlStream } = await import("../../session/yaml.ts");
  // An export of Flipt has a document for each namespace.
  return format === "flipt" ? parseYamlStream(text, name) : parseYaml(text, name);
}

/** A line for each flag that is skipped, and for each note. */
export function describeReport({ notes, skipped }: Pick<Converted, "notes" | "skipped">): string {
  return [
    ...skipped.map(({ flag, message }) => shown`skipped flag ${flag}: ${message}\n`),
    ...notes.map(({ flag, path, message }) => shown`note on flag ${flag}: ${path}: ${message}\n`),
  ].join("");
}
