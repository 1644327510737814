import { AppError, type ErrorCode } from "../../base/errors.ts";
import { isDocument, textOf } from "./xml.ts";

/** An answer of the object storage that is no success. */
export type S3Refusal = {
  status: number;
  /** `NoSuchKey`; empty if the answer has none, as answers to HEAD. */
  code: string;
  /** The error text of the storage, shortened; for logs. */
  text: string;
};

/** Longest text of the storage that is written to a log, in characters. */
const MAX_TEXT = 300;

/** Reads the refusal in an answer with that body. */
export function refusalOf(status: number, body: string): S3Refusal {
  if (!isDocument(body, "Error")) return { status, code: "", text: "" };
  const text = (textOf(body, "Message") ?? "").replace(/[\p{C}\s]+/gu, " ").slice(0, MAX_TEXT);
  return { status, code: (textOf(body, "Code") ?? "").replace(/\W/g, "").slice(0, 64), text };
}

const TRANSIENT = new Set([
  "InternalError",
  "ServiceUnavailable",
  "SlowDown",
  "RequestTimeout",
  "ThrottlingException",
  "OperationAborted",
  "ConditionalRequestConflict",
  // The bytes were changed on their way.
  "BadDigest",
  "XAmzContentSHA256Mismatch",
  "IncompleteBody",
]);

/** Whether the same request may succeed shortly after that refusal. */
export function isTransient({ status, code }: S3Refusal): boolean {
  // A request that a storage does not implement stays so.
  return status === 429 || (status >= 500 && status !== 501) || TRANSIENT.has(code);
}

const MISSING = "was it removed by hand, or restored without its files?";

/** An answer that no caller can cause: a bug, or a storage that lacks what the driver needs. */
export class UnexpectedAnswer extends Error {}

type Kind = readonly [code: ErrorCode, reason: string, message: string];

const UNAVAILABLE: Kind = ["unavailable", "storage-unavailable", "the object storage is unavailable"];
const UNREACHABLE: Kind = ["unavailable", "storage-unreachable", "the object storage cannot be reached"];
const CREDENTIALS: Kind = ["forbidden", "storage-credentials", "the object storage refuses the credentials"];
const FORBIDDEN: Kind = ["forbidden", "storage-forbidden", "the object storage refuses access"];
const REGION: Kind = ["unavailable", "storage-region", "the bucket is in another region"];
const BUCKET: Kind = ["unavailable", "storage-bucket", "the bucket does not exist"];
const LACKS: Kind = [
  "unavailable",
  "storage-lacks",
  "the object storage does not support a request that formflag needs",
];
const CLOCK: Kind = [
  "unavailable",
  "storage-clock",
  "the clock of this machine differs from that of the object storage",
];

const BY_CODE: Record<string, Kind> = {
  InvalidAccessKeyId: CREDENTIALS,
  SignatureDoesNotMatch: CREDENTIALS,
  InvalidToken: CREDENTIALS,
  ExpiredToken: CREDENTIALS,
  TokenRefreshRequired: CREDENTIALS,
  InvalidSecurity: CREDENTIALS,
  NoSuchBucket: BUCKET,
  InvalidBucketName: BUCKET,
  PermanentRedirect: REGION,
  TemporaryRedirect: REGION,
  AuthorizationHeaderMalformed: REGION,
  IllegalLocationConstraintException: REGION,
  InvalidRegion: REGION,
  RequestTimeTooSkewed: CLOCK,
  RequestExpired: CLOCK,
  AccessDenied: FORBIDDEN,
  AllAccessDisabled: FORBIDDEN,
  QuotaExceeded: UNAVAILABLE,
  NotImplemented: LACKS,
  MethodNotAllowed: LACKS,
  // An upload in parts that has ended, or of which the storage has lost a part.
  NoSuchUpload: UNAVAILABLE,
  InvalidPart: UNAVAILABLE,
};

/**
 * The error of a refusal: `not_found` for a missing object, `forbidden` for credentials and rights, `unavailable` for what the storage or its configuration
 * lacks. Any other refusal is a bug. `what` names the request in the log. Messages name neither host
 * nor bucket, because senders may see them; the cause has what the storage says.
 */
export function refusalError(refusal: S3Refusal, what: string): Error {
  const { status, code, text } = refusal;
  const said = [`${what} was answered ${status}`, code, text].filter(Boolean).join(" ");
  if (code === "NoSuchKey")
    return new AppError("not_found", "the file is missing from the object storage", { hint: MISSING });
  const kind = kindOf(refusal);
  return kind ? storageError(kind, said) : new UnexpectedAnswer(`object storage: ${said}`);
}

function kindOf(refusal: S3Refusal): Kind | undefined {
  const known = Object.hasOwn(BY_CODE, refusal.code) ? BY_CODE[refusal.code] : undefined;
  if (known) return known;
  if (isTransient(refusal)) return UNAVAILABLE;
  if (refusal.status >= 300 && refusal.status < 400) return REGION;
  if (refusal.status === 401 || refusal.status === 403) return FORBIDDEN;
  // No S3 answers so.
  return refusal.code === "" && refusal.status !== 412 ? UNREACHABLE : undefined;
}

/** The error if no answer came, or it was cut: `unavailable`. */
export function networkError(error: unknown, what: string): AppError {
  const code = codeOf(error);
  return storageError(isUnreachable(code) ? UNREACHABLE : UNAVAILABLE, `${what}: ${code}`);
}

/** The error if an answer is not one of S3. */
export function notS3(what: string): AppError {
  return storageError(UNREACHABLE, `${what}: the answer is not one of S3`);
}

/** Whether another try may help if no answer came: a certificate is the same the next time. */
export function mayReconnect(error: unknown): boolean {
  return !isTls(codeOf(error));
}

const isTls = (code: string) => /CERT|TLS|SSL|EPROTO|ISSUER|SIGNATURE|CRL/.test(code);
const isUnreachable = (code: string) =>
  isTls(code) ||
  /^(ECONNREFUSED|ConnectionRefused|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|ENETDOWN)/.test(code);

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}

/** The cause is a text, because a log shows the whole stack of an error. */
function storageError([code, reason, message]: Kind, cause: string): AppError {
  return new AppError(code, message, { reason, cause, ...(code === "unavailable" && { retryAfter: 1 }) });
}
