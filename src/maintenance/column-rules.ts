import { parseUrl, isOriginPattern } from "../base/origins.ts";
import { FEED_FORMATS } from "../forms/feeds/feed-card.ts";
import { isIP } from "node:net";
import { ACTOR_TYPES } from "../access/audit/entry.ts";
import { FACTOR_LIMITS } from "../access/limits.ts";
import { PASSWORD_HASH } from "../access/password.ts";
import { readTraceparent } from "../delivery/trace.ts";
import { MEMBER_SOURCES } from "../access/members/member.ts";
import { ROLES, USER_ROLES } from "../access/role.ts";
import { SOURCES } from "../access/source.ts";
import { SCOPES } from "../access/scope.ts";
import { areUserSettings, isTimeZone } from "../access/user.ts";
import { DASHED_KEY, SUBMISSION_ID } from "../base/ids.ts";
import { isDeeper, isObject } from "../base/json.ts";
import { SLUG } from "../base/slug.ts";
import { FILE_KEY } from "../blobs/key.ts";
import { isMailAddress, isMailbox } from "../delivery/address.ts";
import { DELIVERY_KINDS, shownTarget } from "../delivery/delivery.ts";
import { MAX_DIGEST } from "../delivery/limits.ts";
import { DELIVERY_STATUSES } from "../delivery/delivery-status.ts";
import { EVENT_FILTERS } from "../delivery/notices/notice-types.ts";
import { isTargetRequest } from "../delivery/requests/request.ts";
import { TARGET_KINDS, areTargetSecrets, isTargetUrl } from "../delivery/target.ts";
import { isLineContent, isLineNumber, isPlainText, isRepositoryUrl } from "../flags/code/code-reference.ts";
import { MOODS } from "../flags/previews/feedback.ts";
import { CODE_LIMITS, FEEDBACK_LIMITS, PREVIEW_LIMITS, RAMP_LIMITS } from "../flags/limits.ts";
import { GUARD_ACTIONS } from "../flags/ramps/ramp-card.ts";
import {
  areRampSteps,
  isFlagState,
  isRampedState,
  RAMP_REASONS,
  RAMP_STATUSES,
} from "../flags/ramps/ramp.ts";
import { EXPERIMENT_STATUSES, isSplit } from "../experiments/experiment.ts";
import { EXPERIMENT_LIMITS } from "../experiments/limits.ts";
import { VISITOR_BYTES } from "../experiments/measurement.ts";
import { findGuardFault } from "../flags/ramps/guard.ts";
import { memberValue } from "../flags/members.ts";
import { FORM_KEY } from "../forms/form.ts";
import { ACCENT, COLORS } from "../projects/environment-card.ts";
import { areLabels, HANDLING_KINDS } from "../forms/inbox/handling.ts";
import { CEILING_FILES, CEILING_FILE_SIZE, HANDLING_LIMITS } from "../forms/limits.ts";
import { areSeenFlags } from "../forms/seen-flags.ts";
import { SUBMISSION_MARKS, SUBMISSION_STATES } from "../forms/submission-state.ts";
import { APPROVE_WITH, PROPOSAL_STATUSES, MAX_APPROVALS } from "../projects/approval.ts";
import { consentIn } from "../forms/opt-in/consent.ts";
import { isHoneypotName } from "../forms/intake/control-fields.ts";
import { isFlagName } from "../forms/intake/open-when.ts";
import { ITEMS } from "../forms/settings/items.ts";
import type { Kind } from "../forms/settings/setting.ts";
import { SETTINGS, isStored } from "../forms/settings/settings.ts";

type Value = string | bigint | number | Uint8Array | null;
/** Whether formflag writes that value. */
export type Rule = (value: Value) => boolean;

/** Nested containers, more than any column holds; parsing deeper JSON would exhaust the stack. */
const MAX_DEPTH = 200;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** Milliseconds since 1970 that a Date can hold. */
const MAX_TIME = 8.64e15;

const text = (pattern: RegExp) => (value: Value) => typeof value === "string" && pattern.test(value);
const integer = (min: number, max: number) => (value: Value) =>
  typeof value === "bigint" && value >= min && value <= max;

const oneOf = (known: readonly string[]) => (value: Value) => known.some((each) => each === value);
const textUpTo = (most: number) => (value: Value) => typeof value === "string" && value.length <= most;
const bytes = (length: number) => (value: Value) =>
  value instanceof Uint8Array && value.byteLength === length;

const bytesUpTo = (most: number) => (value: Value) => value instanceof Uint8Array && value.byteLength <= most;

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
  value.length <= 2000 && /^https?:$/.test(parseUrl(value)?.protocol ?? "");
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

const webAddress: Rule = (value) => typeof value === "string" && isWebAddress(value);

/** The values that formflag writes into columns it later relies on; other columns hold any text or number. */
export const RULES = {
  traceparent: (value) => typeof value === "string" && readTraceparent(value) !== null,
  anyText: (value) => typeof value === "string",
  bit: integer(0, 1),
  count: integer(0, Number.MAX_SAFE_INTEGER),
  time: integer(-MAX_TIME, MAX_TIME),
  json: json(),
  object: json(isObject),
  list: json(Array.isArray),
  approvals: integer(0, MAX_APPROVALS),
  approveWith: oneOf(APPROVE_WITH),
  changeStatus: oneOf(PROPOSAL_STATUSES),
  rampSteps: json(areRampSteps),
  rampEvery: integer(RAMP_LIMITS.least, RAMP_LIMITS.most),
  rampStatus: oneOf(RAMP_STATUSES),
  rampReason: oneOf(RAMP_REASONS),
  rampState: json(isRampedState),
  guardAction: oneOf(GUARD_ACTIONS),
  guards: listOf((guard) => findGuardFault(guard) === undefined),
  flagState: json(isFlagState),
  experimentStatus: oneOf(EXPERIMENT_STATUSES),
  split: json((value) => isObject(value) && isSplit(value)),
  minDays: integer(0, EXPERIMENT_LIMITS.minDays),
  visitor: bytes(VISITOR_BYTES),
  seen: integer(-1, Number.MAX_SAFE_INTEGER),
  targetSecret: text(/^whsec_[A-Za-z0-9+/]{43}=$/),
  id: bytes(16),
  hash: bytes(32),
  sha256: text(/^[0-9a-f]{64}$/),
  secret: text(/^[\w-]{43}$/),
  slug: text(SLUG),
  dashedKey: text(DASHED_KEY),
  fileKey: text(FILE_KEY),
  formKey: text(FORM_KEY),
  color: oneOf(COLORS),
  accent: text(ACCENT),
  mailbox: (value) => typeof value === "string" && isMailbox(value),
  role: oneOf(ROLES),
  actorType: oneOf(ACTOR_TYPES),
  changeSource: oneOf(SOURCES),
  userRole: oneOf(USER_ROLES),
  memberSource: oneOf(MEMBER_SOURCES),
  slugs: listOf((slug) => SLUG.test(slug)),
  password: text(PASSWORD_HASH),
  totpKey: bytes(20),
  credential: bytesUpTo(FACTOR_LIMITS.credentialId),
  publicKey: bytesUpTo(FACTOR_LIMITS.publicKey),
  passkeyName: textUpTo(FACTOR_LIMITS.passkeyName),
  userSettings: json(areUserSettings),
  scopes: listOf((scope) => SCOPES.some((known) => known === scope)),
  previewName: textUpTo(PREVIEW_LIMITS.name),
  // HTML is made of it for each reader, and cleaned then.
  previewContent: (value) => typeof value === "string" && Buffer.byteLength(value) <= PREVIEW_LIMITS.content,
  mood: integer(0, MOODS.length - 1),
  rating: integer(1, 5),
  feedbackText: textUpTo(FEEDBACK_LIMITS.description),
  branch: plainText(CODE_LIMITS.branch),
  codeProject: plainText(CODE_LIMITS.projectName),
  codeCommit: plainText(CODE_LIMITS.commit),
  codeSlug: plainText(CODE_LIMITS.slug),
  repositoryUrl: isRepositoryUrl,
  places: json((value) => Array.isArray(value) && value.every(isPlace)),
  webAddress,
  origins: listOf(isOriginPattern),
  senders: listOf(isSender),
  rateLimit: json(isRateLimit),
  fileSize: integer(1, CEILING_FILE_SIZE),
  fileCount: integer(1, CEILING_FILES),
  filePosition: integer(1, 999),
  formSettings: json(areSettings),
  seenFlags: json(areSeenFlags),
  submissionId,
  memberValue: (value) => memberValue(value) === value,
  state: integer(0, SUBMISSION_STATES.length - 1),
  mark: oneOf(SUBMISSION_MARKS),
  shortText: textUpTo(200),
  consent: json((value) => consentIn(value) !== undefined),
  isoTime: text(TIME),
  labels: (value) => typeof value === "string" && areLabels(value),
  handlingKind: oneOf(HANDLING_KINDS),
  handlingText: textUpTo(HANDLING_LIMITS.answer),
  targetKind: oneOf(TARGET_KINDS),
  feedFormat: oneOf(FEED_FORMATS),
  targetUrl: (value) => typeof value === "string" && isTargetUrl(value),
  eventFilters: listOf((event) => EVENT_FILTERS.includes(event)),
  digest: integer(1, MAX_DIGEST),
  targetSecrets: json(areTargetSecrets),
  targetRequest: json(isTargetRequest),
  deliveryKind: oneOf(DELIVERY_KINDS),
  deliveryTarget: (value) =>
    typeof value === "string" &&
    (DASHED_KEY.test(value) || isMailAddress(value) || isMailAddress(shownTarget("reply", value))),
  deliveryStatus: integer(0, DELIVERY_STATUSES.length - 1),
  answerCode: integer(0, 999),
} as const satisfies Record<string, Rule>;

export type RuleName = keyof typeof RULES;

/** Whether a value, as parsed JSON, holds settings of a form, each with a value that it can have. */
function areSettings(value: unknown): boolean {
  if (!isObject(value)) return false;
  return Object.entries(value).every(([name, setting]) => {
    if (!isStored(name)) return false;
    const { kind, hasNull } = SETTINGS[name];
    return setting === null ? hasNull === true : fits(setting, kind);
  });
}

function fits(value: unknown, kind: Kind): boolean {
  switch (kind.is) {
    case "switch":
      return typeof value === "boolean";
    case "count":
    case "bytes":
    case "seconds":
      return Number.isInteger(value) && Number(value) >= kind.least && Number(value) <= kind.most;
    case "json":
      return isObject(value);
    case "list":
      return (
        Array.isArray(value) &&
        value.length <= kind.most &&
        value.every((item) => isText(item) && ITEMS[kind.item].isValid(item))
      );
    case "time":
      return isText(value) && TIME.test(value) && !Number.isNaN(Date.parse(value));
    case "text":
    case "area":
      return isText(value) && value.length <= kind.most;
    case "field":
      return isText(value) && isHoneypotName(value);
    case "flag":
      return isText(value) && isFlagName(value);
    case "zone":
      return isText(value) && isTimeZone(value);
    case "choice":
      return isText(value) && kind.among.includes(value);
    // These have columns of their own.
    case "name":
    case "url":
    case "origins":
    case "senders":
    case "rate":
      return false;
    default:
      return kind satisfies never;
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
