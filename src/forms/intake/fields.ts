import { formatBytes } from "../../base/bytes.ts";
import { AppError } from "../../base/errors.ts";
import { childrenOf, isDeeper } from "../../base/json.ts";
import type { ControlFields } from "./control-fields.ts";
import { SUBMISSION_LIMITS as LIMITS } from "../limits.ts";

/** Collects the text fields of a submission, within its limits. */
export type Fields = {
  /** Throws `too_large`. */
  add(name: string, value: string): void;
  size(): number;
  /** Removes the fields with these names and returns their values. */
  cut(names: ReadonlySet<string>): ControlFields;
  /** The fields as an object; a repeated field has an array of its values, in order. */
  toData(): Record<string, string | string[]>;
};

export function createFields(): Fields {
  const values = new Map<string, string | string[]>();
  let count = 0;
  return {
    add(name, value) {
      count += 1;
      checkCount(count);
      checkName(name);
      checkText(name, value);
      const earlier = values.get(name);
      if (earlier === undefined) values.set(name, value);
      else if (typeof earlier === "string") values.set(name, [earlier, value]);
      else earlier.push(value);
    },
    size: () => count,
    cut(names) {
      const control = new Map<string, string[]>();
      for (const name of names) {
        const value = values.get(name);
        if (value === undefined) continue;
        values.delete(name);
        const cut = [value].flat();
        control.set(name, cut);
        count -= cut.length;
      }
      return control;
    },
    // An assignment to `__proto__` would be lost; fromEntries keeps it.
    toData: () => Object.fromEntries(values),
  };
}

/** Throws `too_large` for JSON that is nested too deep. Call it before parsing, which is expensive for such JSON. */
export function checkDepth(json: Uint8Array): void {
  if (isDeeper(json, LIMITS.depth)) {
    throw new AppError("too_large", `the JSON is nested deeper than the limit of ${LIMITS.depth} levels`);
  }
}

/**
 * Checks the parsed JSON of a submission, after {@link checkDepth}. Throws `invalid` for anything but an object with
 * fields, `too_large` past a limit.
 */
export function checkData(data: unknown): void {
  if (typeof data !== "object" || data === null || Array.isArray(data)) {
    throw new AppError("invalid", "the JSON of a submission is an object of fields");
  }
  const names = Object.keys(data);
  if (names.length === 0) throw emptySubmission();
  checkCount(names.length);
  for (const name of names) {
    checkName(name);
    checkTexts(name, (data as Record<string, unknown>)[name]);
  }
}

export function emptySubmission(): AppError {
  return new AppError("invalid", "the submission is empty: send at least one field or file", {
    reason: "submission-empty",
  });
}

/** A name that a sender chose, for a message: in quotes, with control characters escaped, shortened to 80 characters. */
export function quoted(name: string): string {
  const short = name.length > 80 ? `${name.slice(0, 80)}…` : name;
  return JSON.stringify(short.toWellFormed());
}

/** A field as an HTML page names it: only by a plain identifier, so that a link cannot put other text on the page. */
export function fieldLabel(name: string): string {
  return isPlainName(name) ? `the field ${name}` : "a field";
}

/** Whether a page may show a name that the sender chose: at most 40 characters of an identifier or a path. */
export function isPlainName(name: string): boolean {
  return /^[A-Za-z_][\w.[\]-]{0,39}$/.test(name);
}

/** Throws `too_large` for text fields that are too large as JSON. */
export function checkJson(json: string): void {
  if (isLonger(json, LIMITS.json)) throw overLimit("the text fields together, as JSON, are", LIMITS.json);
}

/** Throws `too_large` for a field name past its limit. */
export function checkName(name: string): void {
  if (isLonger(name, LIMITS.fieldName)) {
    throw new AppError(
      "too_large",
      `the field name ${quoted(name)} is longer than the limit of ${LIMITS.fieldName} bytes`,
      { plain: `a field name is longer than the limit of ${LIMITS.fieldName} bytes` },
    );
  }
}

/** Throws `too_large` for more fields than a submission may have. */
export function checkCount(count: number): void {
  if (count > LIMITS.fields) {
    throw new AppError("too_large", `the submission has more than the limit of ${LIMITS.fields} fields`);
  }
}

function checkTexts(name: string, value: unknown): void {
  if (typeof value === "string") checkText(name, value);
  else if (typeof value === "object" && value !== null) {
    for (const child of childrenOf(value)) checkTexts(name, child);
  }
}

function checkText(name: string, value: string): void {
  if (isLonger(value, LIMITS.fieldValue)) throw fieldTooLong(name);
}

export function fieldTooLong(name: string): AppError {
  return overLimit(`the field ${quoted(name)} is`, LIMITS.fieldValue, `${fieldLabel(name)} is`);
}

/** The error `too_large`. `what` ends in a verb: "the body is"; `plainly` is the same without text that the sender chose. */
export function overLimit(what: string, bytes: number, plainly = what, reason?: string): AppError {
  const exactly = bytes < 1024 ? "" : ` (${bytes} bytes)`;
  const limit = `larger than the limit of ${formatBytes(bytes)}${exactly}`;
  return new AppError("too_large", `${what} ${limit}`, { plain: `${plainly} ${limit}`, reason });
}

/** Whether a text is longer than `bytes` in UTF-8. One UTF-16 unit takes at most three, so most texts need no count. */
function isLonger(text: string, bytes: number): boolean {
  return text.length * 3 > bytes && Buffer.byteLength(text) > bytes;
}
