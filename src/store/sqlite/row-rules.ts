import { isIP } from "node:net";
import { PASSWORD_HASH } from "../../access/password.ts";
import { ROLES } from "../../access/role.ts";
import { SCOPES } from "../../access/scope.ts";
import { areUserSettings } from "../../access/user.ts";
import { DASHED_KEY, SUBMISSION_ID } from "../../base/ids.ts";
import { isDeeper, isObject } from "../../base/json.ts";
import { SLUG } from "../../base/slug.ts";
import { FILE_KEY } from "../../blobs/key.ts";
import { isMailAddress } from "../../delivery/address.ts";
import { DELIVERY_KINDS } from "../../delivery/delivery.ts";
import { DELIVERY_STATUSES } from "../../delivery/delivery-status.ts";
import { CHAT_KINDS, areTargetSecrets, isTargetUrl } from "../../delivery/target.ts";
import {
  isLineContent,
  isLineNumber,
  isPlainText,
  isRepositoryUrl,
} from "../../flags/code/code-reference.ts";
import { MOODS } from "../../flags/previews/feedback.ts";
import { CODE_LIMITS, FEEDBACK_LIMITS, PREVIEW_LIMITS } from "../../flags/limits.ts";
import { FORM_KEY } from "../../forms/form.ts";
import { COLORS } from "../../projects/color.ts";
import { CEILING_FILES, CEILING_FILE_SIZE } from "../../forms/limits.ts";
import { isOriginPattern } from "../../forms/intake/origins.ts";
import { SUBMISSION_MARKS } from "../../forms/submission-state.ts";
import type { Row, Value } from "./copy.ts";
import { areSettings } from "./settings-rules.ts";

type Rule = (value: Value) => boolean;

/** Nested containers, more than any column holds; parsing deeper JSON would exhaust the stack. */
const MAX_DEPTH = 200;
/** Milliseconds since 1970 that a Date can hold. */
const MAX_TIME = 8.64e15;

const text = (pattern: RegExp) => (value: Value) => typeof value === "string" && pattern.test(value);
const integer = (min: number, max: number) => (value: Value) =>
  typeof value === "bigint" && value >= min && value <= max;
const optional = (rule: Rule) => (value: Value) => value === null || rule(value);

const slug = text(SLUG);
const oneOf = (known: readonly string[]) => (value: Value) => known.some((each) => each === value);
const textUpTo = (most: number) => (value: Value) => typeof value === "string" && value.length <= most;
const sha256 = text(/^[0-9a-f]{64}$/);
const count = integer(0, Number.MAX_SAFE_INTEGER);
const time = integer(-MAX_TIME, MAX_TIME);
const flag = integer(0, 1);
const bytes = (length: number) => (value: Value) =>
  value instanceof Uint8Array && value.byteLength === length;

const json =
  (accepts: (value: unknown) => boolean = () => true) =>
  (value: Value) => {
    if (typeof value !== "string" || isDeeper(Buffer.from(value), MAX_DEPTH)) return false;
    try {
      return accepts(JSON.parse(value));
    } catch (error) {
      if (error instanceof SyntaxError) return false;
      throw error;
    }
  };
const object = json(isObject);
const listOf = (accepts: (item: string) => boolean) =>
  json((value) => Array.isArray(value) && value.every((item) => typeof item === "string" && accepts(item)));

const plainText = (max: number) => (value: Value) => isPlainText(value, max);
const isPlace = (value: unknown) =>
  Array.isArray(value) &&
  value.length === 3 &&
  isPlainText(value[0], CODE_LIMITS.filePath) &&
  isLineNumber(value[1]) &&
  isLineContent(value[2]);

const isWebAddress = (value: string) =>
  URL.canParse(value) && /^https?:$/.test(new URL(value).protocol) && value.length <= 2000;
const isSender = (value: string) => {
  const [address = "", bits, ...rest] = value.split("/");
  const maxBits = { 4: 32, 6: 128 }[isIP(address)];
  if (maxBits === undefined || address.includes("%") || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= maxBits);
};
const isRateLimit = (value: unknown) =>
  isObject(value) &&
  [value["count"], value["seconds"]].every((part) => Number.isInteger(part) && Number(part) >= 1);

/** A text up to schema 5, 16 bytes since. */
const submissionId: Rule = (value) =>
  value instanceof Uint8Array ? value.byteLength === 16 : text(SUBMISSION_ID)(value);

const created = { created_at: time };
const changed = { ...created, updated_at: time };

/** The values that formflag writes into columns it later relies on; other columns hold any text or number. */
const RULES: Record<string, Record<string, Rule>> = {
  projects: { slug, key: text(DASHED_KEY), ...created },
  environments: {
    slug,
    key: text(DASHED_KEY),
    revision: count,
    metadata: object,
    locked: flag,
    color: optional(oneOf(COLORS)),
    ...created,
  },
  flags: { slug, revision: count, ...changed },
  flag_values: {
    enabled: flag,
    payload: optional(json()),
    expires_at: optional(time),
    rules: optional(object),
    imported: flag,
    revision: count,
    updated_at: time,
  },
  flag_reads: { read_at: time },
  flag_previews: {
    enabled: flag,
    name: textUpTo(PREVIEW_LIMITS.name),
    // HTML is made of it for each reader, and cleaned then.
    content: (value) => typeof value === "string" && Buffer.byteLength(value) <= PREVIEW_LIMITS.content,
  },
  flag_feedback: {
    id: bytes(16),
    mood: integer(0, MOODS.length - 1),
    rating: integer(1, 5),
    description: optional(textUpTo(FEEDBACK_LIMITS.description)),
    metadata: optional(object),
    ...created,
  },
  recent_feedback: { hash: bytes(32), feedback: bytes(16), expires_at: time },
  segments: { name: slug, rule: json(), position: count, revision: count, ...changed },
  users: {
    name: slug,
    role: oneOf(ROLES),
    password: optional(text(PASSWORD_HASH)),
    settings: json(areUserSettings),
    ...created,
  },
  tallies: { kind: integer(0, 1), hour: count, count },
  submission_counts: { state: integer(0, 2), unread: flag, hour: count, count },
  submission_marks: { mark: oneOf(SUBMISSION_MARKS), at: time },
  delivery_attempts: { number: count, at: time, duration: count, code: optional(integer(0, 999)) },
  changes: {
    revision: count,
    environment: optional(slug),
    name: slug,
    at: time,
    before: optional(json()),
    after: optional(json()),
  },
  scheduled_changes: { id: text(DASHED_KEY), flag: slug, patch: object, at: time, ...created },
  code_uploads: {
    branch: plainText(CODE_LIMITS.branch),
    name: plainText(CODE_LIMITS.projectName),
    repository_url: optional(isRepositoryUrl),
    uploaded_at: time,
  },
  code_references: {
    slug: plainText(CODE_LIMITS.slug),
    part: count,
    places: json((value) => Array.isArray(value) && value.every(isPlace)),
  },
  setup_version: { version: count, access: count },
  forms: {
    slug,
    key: text(FORM_KEY),
    enabled: flag,
    uploads: flag,
    success_url: optional((value) => typeof value === "string" && isWebAddress(value)),
    error_url: optional((value) => typeof value === "string" && isWebAddress(value)),
    allowed_origins: listOf(isOriginPattern),
    blocked_senders: listOf(isSender),
    rate_limit: optional(json(isRateLimit)),
    max_file_size: optional(integer(1, CEILING_FILE_SIZE)),
    max_files: optional(integer(1, CEILING_FILES)),
    settings: json(areSettings),
    deleted: flag,
    foreign_ids: flag,
    ...changed,
  },
  submissions: {
    seq: count,
    id: submissionId,
    data: object,
    state: integer(0, 2),
    spam: optional((value) => typeof value === "string"),
    unread: flag,
    meta: optional(object),
    ...created,
  },
  targets: {
    id: text(DASHED_KEY),
    kind: (value) => value === "webhook" || CHAT_KINDS.some((kind) => kind === value),
    url: (value) => typeof value === "string" && isTargetUrl(value),
    enabled: flag,
    secrets: json(areTargetSecrets),
    ...changed,
  },
  deliveries: {
    id: bytes(16),
    kind: (value) => DELIVERY_KINDS.some((kind) => kind === value),
    target: (value) => typeof value === "string" && (DASHED_KEY.test(value) || isMailAddress(value)),
    status: integer(0, DELIVERY_STATUSES.length - 1),
    attempts: count,
    due_at: time,
    holder: optional((value) => typeof value === "string"),
    code: optional(integer(0, 999)),
    error: optional((value) => typeof value === "string"),
  },
  autoreplies: { hash: bytes(32), expires_at: time },
  alerts: { expires_at: time },
  idempotency_keys: { hash: bytes(32), content: bytes(32), submission: bytes(16), expires_at: time },
  spent_nonces: { hash: bytes(32), expires_at: time },
  recent_contents: { hash: bytes(32), expires_at: time },
  secrets: { name: slug, value: text(/^[\w-]{43}$/) },
  loose_files: { blob_key: text(FILE_KEY) },
  files: { position: integer(1, 999), size: count, sha256, blob_key: text(FILE_KEY) },
  tokens: {
    name: slug,
    hash: sha256,
    scopes: listOf((scope) => SCOPES.some((known) => known === scope)),
    expires_at: optional(time),
    ...created,
  },
};

/** The columns of a row with a value that formflag never writes. */
export function brokenColumns(table: string, row: Row): string[] {
  const rules = Object.entries(RULES[table] ?? {});
  return rules.flatMap(([column, rule]) => (column in row && !rule(row[column]!) ? [column] : []));
}
