import { isObject } from "../../base/json.ts";
import { membersOf } from "../../base/json/json-members.ts";
import { SUBMISSION_LIMITS as LIMITS } from "../limits.ts";

/** Names of hidden inputs that people leave empty, as other form services and their snippets call them. */
export const HONEYPOT_NAMES = ["_gotcha", "_honeypot", "_trap", "botcheck"] as const;
/** The field in which the widget sends its solution. */
export const CHALLENGE_FIELD = "altcha";
/** The field that makes a double click one submission. */
export const IDEMPOTENCY_FIELD = "_idempotency";

/** The field with the signed assignment of the sender, and the header that stands for it. */
export const ASSIGNMENT_FIELD = "_formflag";
export const ASSIGNMENT_HEADER = "x-formflag-assignment";

/** The control fields that are not honeypots. */
const OTHER_CONTROLS: ReadonlySet<string> = new Set([CHALLENGE_FIELD, IDEMPOTENCY_FIELD, ASSIGNMENT_FIELD]);

/** The values of the control fields of a submission, in the order in which they were sent, by name. */
export type ControlFields = ReadonlyMap<string, readonly unknown[]>;

/** The names of all fields that are cut out of a form's submissions, given the honeypots of its own. */
export function controlNames(honeypots: readonly string[]): ReadonlySet<string> {
  return new Set([...HONEYPOT_NAMES, ...honeypots, ...OTHER_CONTROLS]);
}

/** Whether a text can be the name of a honeypot: 1 to 200 bytes, and not the name of a field with another purpose. */
export function isHoneypotName(text: string): boolean {
  if (OTHER_CONTROLS.has(text) || !text.isWellFormed()) return false;
  return text.trim() !== "" && Buffer.byteLength(text) <= LIMITS.fieldName;
}

/** Whether the sender filled a honeypot. A file under the name of a honeypot is not known here. */
export function isHoneypotFilled(control: ControlFields): boolean {
  for (const [name, values] of control) {
    if (!OTHER_CONTROLS.has(name) && isFilled(values)) return true;
  }
  return false;
}

/** The first value of a control field that is a text and not empty, or null. */
export function controlText(control: ControlFields, name: string): string | null {
  const value = control.get(name)?.find((value) => typeof value === "string" && value !== "");
  return (value as string | undefined) ?? null;
}

/**
 * Whether a value differs from what an untouched input sends. `botcheck` is a checkbox, for which scripts send false or,
 * urlencoded, "false".
 */
function isFilled(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isFilled);
  if (isObject(value)) return Object.keys(value).length > 0;
  return value !== null && value !== false && value !== "" && value !== "false";
}

/** A submission in JSON: its text, with numbers as they were written, and the object that the text parses to. */
export type JsonFields = { json: string; data: Record<string, unknown> };

/**
 * Removes the top-level members with these names from the JSON of a submission. `json` is the text of `data`: a valid
 * object within the limit of nesting and without repeated names. The rest of the text is unchanged, so numbers keep
 * every digit. Returns the same text if nothing is to be removed.
 */
export function cutMembers(
  { json, data }: JsonFields,
  names: ReadonlySet<string>,
): JsonFields & { control: ControlFields } {
  if (!hasOne(data, names)) return { json, data, control: NO_CONTROL_FIELDS };
  const control = new Map<string, unknown[]>();
  let kept = "";
  for (const { name, source, value } of membersOf(json)) {
    if (!names.has(name)) kept += kept === "" ? source : `,${source}`;
    else control.set(name, [JSON.parse(value)]);
  }
  // fromEntries keeps a field called `__proto__`, which an assignment would lose.
  const rest = Object.fromEntries(Object.entries(data).filter(([name]) => !names.has(name)));
  return { json: `{${kept}}`, data: rest, control };
}

const NO_CONTROL_FIELDS: ControlFields = new Map();

function hasOne(data: object, names: ReadonlySet<string>): boolean {
  for (const name of Object.keys(data)) if (names.has(name)) return true;
  return false;
}
