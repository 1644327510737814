import { AppError } from "../../base/errors.ts";
import { createTurns } from "../../base/event-loop.ts";
import { SUBMISSION_ID, timedId } from "../../base/ids.ts";
import { endOfString, isDeeper, isObject } from "../../base/json.ts";
import { withoutRepeats } from "../../base/json/json-members.ts";
import type { ClockAndRandom } from "../../base/clock.ts";
import { cutMembers } from "../intake/control-fields.ts";
import { checkData, checkDepth, overLimit } from "../intake/fields.ts";
import { readTime } from "./import-time.ts";
import { membersOf } from "../../base/json/json-members.ts";
import { IMPORT_LIMITS, SUBMISSION_LIMITS } from "../limits.ts";
import type { ImportedSubmission } from "../store.ts";
import { NO_COLUMNS, readColumns } from "../submission-columns.ts";
import { MANUAL_SPAM, SUBMISSION_STATES } from "../submission-state.ts";

/** A row of an import: a submission whose id and time may be missing. */
export type ImportRow = Omit<ImportedSubmission, "id" | "createdAt"> & {
  id: string | null;
  /** Milliseconds since 1970. */
  createdAt: number | null;
};

/** Characters of each text that count for the limit of a row without its long texts. */
const COUNTED = 64;

const QUOTE = 0x22;

/** Characters of the reason for spam. */
const MAX_REASON = 200;

/**
 * Reads a row from JSON: an object with the member `data`, as an export has it, or else the fields themselves, of which
 * `createdAt` or `Date` is the time, else the first of {@link isTimeName} whose text is a time, and `id` the id if it is a UUID. Other work takes its turns: a row may have 80,000 names.
 * Throws `invalid`, and `too_large` past a limit.
 */
export async function readRow(json: string, takeTurns = createTurns()): Promise<ImportRow> {
  const bytes = Buffer.from(json);
  if (bytes.byteLength > IMPORT_LIMITS.row) throw overLimit("the row is", IMPORT_LIMITS.row);
  if (bytes.byteLength > IMPORT_LIMITS.bare) checkBare(json);
  // A row has one level around its data.
  if (isDeeper(bytes, SUBMISSION_LIMITS.depth + 1)) checkDepth(bytes);
  await takeTurns();
  const row = parse(json);
  if (!isObject(row)) throw new AppError("invalid", "a row is a JSON object");
  await takeTurns();
  const text = withoutRepeats(json);
  await takeTurns();
  return isObject(row["data"]) ? readSubmission(row, row["data"], text) : readFields(row, text);
}

/** Throws `too_large` for a large row that does not consist of a few long texts, which takes long to read. */
function checkBare(json: string): void {
  let size = 0;
  for (let at = 0; at < json.length; at += 1) {
    const start = at;
    if (json.charCodeAt(at) === QUOTE) at = endOfString(json, at);
    size += Math.min(at + 1 - start, COUNTED);
    if (size > IMPORT_LIMITS.bare)
      throw overLimit("what the row holds beside long texts is", IMPORT_LIMITS.bare);
  }
}

/** A row as JSON in one line, which {@link readRow} reads. */
export function rowText({ createdAt, data, ...rest }: ImportedSubmission): string {
  const time = new Date(createdAt).toISOString();
  return `{"createdAt":"${time}","data":${data},${JSON.stringify(rest).slice(1)}`;
}

/**
 * Completes a row. The id of a row with a time follows from its form, time, data and line, so that the same file makes the
 * same ids; a row without a time arrived now.
 */
export function completeRow(
  { id, createdAt, ...rest }: ImportRow,
  { formKey, line }: { formKey: string; line: number },
  { now, random }: ClockAndRandom,
): ImportedSubmission {
  const time = createdAt ?? now();
  const unique = () => (createdAt === null ? random(8) : hashOf([formKey, time, rest.data, line]));
  return { ...rest, id: id ?? timedId(time, 0, unique()), createdAt: time };
}

/** Adds the number of a line to an error about it. Any other error is returned as it is. */
export function atLine(line: number, error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  return new AppError(error.code, `line ${line}: ${error.message}`, { hint: error.hint ?? undefined });
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new AppError("invalid", "the row is not valid JSON", { cause: error });
  }
}

function readSubmission(row: Record<string, unknown>, data: object, json: string): ImportRow {
  const text = [...membersOf(json)].find(({ name }) => name === "data")!.value.trim();
  // An export has submissions of files alone too.
  if (Object.keys(data).length > 0) checkFields(text, data);
  const { id = null, createdAt = null, Date: date = null, state = null, spam = null, read = null } = row;
  if (id !== null && !isId(id)) throw new AppError("invalid", "the id is not a UUID");
  if (spam !== null && !(typeof spam === "string" && spam.length <= MAX_REASON))
    throw new AppError("invalid", `spam is a reason of at most ${MAX_REASON} characters, or null`);
  if (read !== null && typeof read !== "boolean") throw new AppError("invalid", "read is true or false");
  const folder = SUBMISSION_STATES.find((each) => each === (state ?? (spam === null ? "inbox" : "spam")));
  if (folder === undefined) throw new AppError("invalid", `state is one of ${SUBMISSION_STATES.join(", ")}`);
  return {
    id: id === null ? null : id.toLowerCase(),
    data: text,
    createdAt: timeOf(createdAt ?? date),
    state: folder,
    spam: folder === "spam" ? (spam ?? MANUAL_SPAM) : null,
    read: read !== false,
    ...readColumns(row),
  };
}

function readFields(row: Record<string, unknown>, json: string): ImportRow {
  const isGiven = (name: string) => (row[name] ?? null) !== null;
  const isTime = (name: string) => {
    const value = row[name];
    return isTimeName(name) && typeof value === "string" && readTime(value) !== null;
  };
  const time = ["createdAt", "Date"].find(isGiven) ?? Object.keys(row).find(isTime);
  const id = row["id"];
  const names = new Set([...(time === undefined ? [] : [time]), ...(isId(id) ? ["id"] : [])]);
  const cut = cutMembers({ json, data: row }, names);
  checkFields(cut.json, cut.data);
  return {
    id: isId(id) ? id.toLowerCase() : null,
    data: cut.json,
    createdAt: timeOf(time === undefined ? null : row[time]),
    state: "inbox",
    spam: null,
    read: true,
    ...NO_COLUMNS,
  };
}

/** How form services and spreadsheets call the time of a submission, without spaces and signs. */
const TIME_NAMES = new Set(
  [
    "timestamp created created_at date_created creation_time submitted submitted_at date_submitted submitted_on",
    "submission_date submission_time submit_date submit_date_utc received received_at received_on entry_date",
    "completion_time sent_at",
  ].flatMap((line) => line.split(" ").map(lettersOf)),
);

/** Whether a column of another service is called as the time of a submission is there: `Submitted At`, `Timestamp`. */
export function isTimeName(name: string): boolean {
  return name.length <= 40 && TIME_NAMES.has(lettersOf(name));
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, "");
}

function checkFields(json: string, data: object): void {
  checkDepth(Buffer.from(json));
  checkData(data);
}

function isId(value: unknown): value is string {
  return typeof value === "string" && SUBMISSION_ID.test(value.toLowerCase());
}

/** Throws `invalid`. */
function timeOf(value: unknown): number | null {
  if (value === null) return null;
  const time = typeof value === "string" ? readTime(value) : null;
  if (time !== null) return time;
  throw new AppError("invalid", "the time cannot be read", {
    hint: "write it as 2027-01-31T12:00:00Z; it is in createdAt or Date",
  });
}

function hashOf(parts: unknown[]): Uint8Array {
  return new Bun.CryptoHasher("sha256").update(JSON.stringify(parts)).digest().subarray(0, 8);
}
