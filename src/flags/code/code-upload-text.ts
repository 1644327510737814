import { formatBytes, utf8Text } from "../../base/bytes.ts";
import { AppError } from "../../base/errors.ts";
import { createTurns } from "../../base/event-loop.ts";
import { MAX_JSON_LEVELS, isObject } from "../../base/json.ts";
import {
  type CodeReference,
  type CodeUpload,
  isLineContent,
  isLineNumber,
  isPlainText,
  isRepositoryUrl,
} from "./code-reference.ts";
import { CODE_LIMITS as LIMITS } from "../limits.ts";

/**
 * Parses an upload from JSON. References are parsed and checked one by one, in turns of at most 30 ms of the serving
 * thread: for 15 MB of empty lists, `JSON.parse` takes up to 0.6 s of CPU, and a schema overflows the stack. Unknown
 * members are ignored. Throws `invalid` with the wrong field, and `too_large` for too many references.
 */
export async function parseUpload(json: Uint8Array): Promise<CodeUpload> {
  const takeTurns = createTurns();
  const { outline, parts } = await splitParts(json, takeTurns);
  const body = parseJson(outline);
  if (!isObject(body)) throw new AppError("invalid", "the body is not a JSON object");
  const upload = {
    branch: textOf("branch", body["branch"], LIMITS.branch),
    projectName: textOf("projectName", body["projectName"], LIMITS.projectName),
    repositoryUrl: repositoryOf(body["repositoryUrl"]),
    commit: body["commit"] ? textOf("commit", body["commit"], LIMITS.commit) : null,
  };
  const named = body["references"];
  if (!isObject(named)) throw fault("references", "an object, with the slugs of flags as its members");
  const references = new Map<string, CodeReference[]>();
  for (const [slug, list] of Object.entries(named)) {
    if (!isPlainText(slug, LIMITS.slug))
      throw fault("references", `an object whose members have names of ${lengthOf(LIMITS.slug)}`);
    if (!Array.isArray(list)) throw fault(`references.${slug}`, "a list");
    const found: CodeReference[] = [];
    for (const [index, place] of list.entries()) {
      // A list in place of a reference holds the number of its part; any other value is not a reference.
      const part = Array.isArray(place) ? parts[Number(place[0])]! : undefined;
      found.push(referenceOf(`references.${slug}.${index}`, part && parseJson(decode(part))));
      await takeTurns();
    }
    if (found.length > 0) references.set(slug, found);
  }
  return { ...upload, references };
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
/** The level of a reference in the body. */
const LEVEL = 4;
/** Bytes between two looks at the clock. */
const STEP = 65_536;

/**
 * Cuts a JSON text into parts, the containers at the level of a reference, and the outline around them, in which `[3]`
 * stands for part 3. Each of them is valid JSON if the text is. Throws `invalid`, and `too_large` for too many parts.
 */
async function splitParts(
  json: Uint8Array,
  takeTurns: () => Promise<void> | undefined,
): Promise<{ outline: string; parts: Uint8Array[] }> {
  const parts: Uint8Array[] = [];
  let outline = "";
  let depth = 0;
  let start = 0;
  let end = 0;
  let pause = STEP;
  let members = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) at = endOfString(json, at);
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      depth += 1;
      if (depth > MAX_JSON_LEVELS)
        throw new AppError("invalid", `the body has more than ${MAX_JSON_LEVELS} levels`);
      if (depth === LEVEL) start = at;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      if (depth === LEVEL) {
        if (parts.length === LIMITS.references) throw tooMany();
        outline += `${decode(json.subarray(end, start))}[${parts.length}]`;
        parts.push(json.subarray(start, at + 1));
        end = at + 1;
      }
      depth -= 1;
    } else if (byte === COMMA && depth < LEVEL) {
      members += 1;
      // One for each reference and each slug: an outline of a million names is parsed for a second.
      if (members > 2 * LIMITS.references) throw tooMany();
    }
    if (at < pause) continue;
    pause = at + STEP;
    await takeTurns();
  }
  return { outline: outline + decode(json.subarray(end)), parts };
}

/** The position of the quote that closes the string starting at `at`, searched natively. */
function endOfString(json: Uint8Array, at: number): number {
  for (let end = json.indexOf(QUOTE, at + 1); end !== -1; end = json.indexOf(QUOTE, end + 1)) {
    let escapes = 0;
    while (json[end - 1 - escapes] === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return json.length;
}

function decode(bytes: Uint8Array): string {
  return utf8Text(bytes, "the body");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new AppError("invalid", "the body is not valid JSON", { cause: error });
  }
}

function referenceOf(path: string, value: unknown): CodeReference {
  if (!isObject(value)) throw fault(path, "an object");
  const { lineNumber, lineContent } = value;
  const filePath = textOf(`${path}.filePath`, value["filePath"], LIMITS.filePath);
  if (!isLineNumber(lineNumber)) throw fault(`${path}.lineNumber`, "a whole number from 1");
  if (!isLineContent(lineContent))
    throw fault(`${path}.lineContent`, `a text of at most ${formatBytes(LIMITS.lineContent)}`);
  return { filePath, lineNumber, lineContent: lineContent.toWellFormed() };
}

function textOf(path: string, value: unknown, max: number): string {
  if (!isPlainText(value, max)) throw fault(path, `a text of ${lengthOf(max)}`);
  return value;
}

/** An empty text is none: a variable of a pipeline that is not set. */
function repositoryOf(value: unknown): string | null {
  if (value === undefined || value === null || value === "") return null;
  if (isRepositoryUrl(value)) return value;
  throw fault(
    "repositoryUrl",
    `an address with http or https and without credentials, of at most ${LIMITS.repositoryUrl} characters`,
  );
}

function lengthOf(max: number): string {
  return `1 to ${max} characters, without control characters`;
}

function fault(path: string, what: string): AppError {
  return new AppError("invalid", `${path} has to be ${what}`);
}

function tooMany(): AppError {
  return new AppError(
    "too_large",
    `an upload has at most ${LIMITS.references.toLocaleString("en")} references`,
  );
}
