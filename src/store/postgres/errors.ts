import { AppError, systemCode } from "../../base/errors.ts";

/** An error of a PostgreSQL driver: `errno` is the SQLSTATE of the server, `code` the name of Bun's own error. */
type Reported = Error & { errno?: unknown; code?: unknown };

/** A statement that was not answered in time. Its connection has been closed. */
export class DeadlineError extends Error {}

/** A transaction whose COMMIT was sent and not answered. */
export class UnknownOutcomeError extends Error {}

/** Whether an error, as {@link postgresError} throws it, leaves open whether a transaction was committed. */
export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof AppError && error.cause instanceof UnknownOutcomeError;
}

/** The SQLSTATE of an error of the server (https://www.postgresql.org/docs/current/errcodes-appendix.html), or "". */
export function sqlState(error: unknown): string {
  const { errno } = (error ?? {}) as Partial<Reported>;
  return typeof errno === "string" && /^[0-9A-Z]{5}$/.test(errno) ? errno : "";
}

function clientCode(error: unknown): string {
  return systemCode(error);
}

/** Whether a transaction was ended for the sake of others, or because this process had paused in it, and may be repeated. */
export function isRepeatable(error: unknown): boolean {
  return /^(40001|40P01|25P03)$/.test(sqlState(error));
}

/** Whether a row that others refer to was deleted between two steps. A repetition no longer finds it. */
export function isParentGone(error: unknown): boolean {
  return sqlState(error) === "23503";
}

/** Whether the connection is gone: what was sent on it and not answered may have been done. */
export function isLost(error: unknown): boolean {
  return /^(57P0[1-5]|08)/.test(sqlState(error)) || clientCode(error) === "ERR_POSTGRES_CONNECTION_CLOSED";
}

/** Whether no connection could be made. */
export function isUnreachable(error: unknown): boolean {
  return sqlState(error) === "" && /^ERR_POSTGRES_CONNECTION_(?!CLOSED)/.test(clientCode(error));
}

/** Whether the server, or a pooler before it, did not take the options that a connection starts with. */
export function refusesStartupOptions(error: unknown): boolean {
  return sqlState(error) === "08P01" && error instanceof Error && /startup parameter/i.test(error.message);
}

/** Whether the database is read-only: it may have been the primary until a moment ago. */
export function isReadOnly(error: unknown): boolean {
  return sqlState(error) === "25006";
}

const UNAVAILABLE = /^(55P03|57014|57P0|53|08|25006|25P03|58|XX000)/;
const UNREACHABLE = /^ERR_POSTGRES_(CONNECTION|TLS|IDLE|LIFETIME)|^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND)/;

/**
 * Converts a temporary error of PostgreSQL, or one that a caller can resolve, to an AppError, and returns any other
 * error unchanged. The message does not reveal the place of the database, because senders may see it.
 */
export function postgresError(error: unknown): unknown {
  if (error instanceof AppError) return error;
  if (error instanceof UnknownOutcomeError)
    return unavailable("the database was lost while it committed: the change may have been made", error);
  if (error instanceof DeadlineError) return unavailable("the database does not answer", error);
  const state = sqlState(error);
  if (state === "23505") return new AppError("conflict", "it exists already", { cause: error });
  if (/^(40001|40P01)$/.test(state)) return unavailable("the database is busy with other changes", error);
  if (state === "55P03") return unavailable("the database is locked by another change", error);
  if (isReadOnly(error)) return unavailable("the database is read-only", error);
  if (state === "53300")
    return unavailable("the database has no connection left", error, "database-connections");
  // Another client of a pooler has prepared a statement of the same name: this one was not run.
  if (/^(42P05|26000)$/.test(state))
    return new AppError(
      "unavailable",
      "a pooler before the database does not keep prepared statements apart",
      {
        reason: "database-pooler",
        cause: error,
      },
    );
  // The operator of the database can change that, and the caller cannot: no `forbidden`.
  if (/^(28|3D000|42501)/.test(state)) return unavailable("the database refuses this server", error);
  if (UNAVAILABLE.test(state) || (state === "" && UNREACHABLE.test(clientCode(error))))
    return unavailable("the database is not available", error);
  return error;
}

function unavailable(message: string, cause: unknown, reason = "database-unavailable"): AppError {
  return new AppError("unavailable", message, { reason, retryAfter: 1, cause });
}

/** Errors at the start that an operator can fix, by SQLSTATE: the message follows the name of the database. */
const AT_START: [RegExp, AppError["code"], string, string][] = [
  [/^28P01$/, "unauthenticated", "refuses the password", "database-password"],
  [/^28/, "unauthenticated", "refuses the user", "database-user"],
  [/^3D000$/, "forbidden", "does not exist", "database-missing"],
  [/^42501$/, "forbidden", "does not give this user the rights it needs", "database-rights"],
  [/^25006$/, "forbidden", "is read-only", "database-read-only"],
  [/^53300$/, "unavailable", "has no connection left", "database-connections"],
];

/** As {@link postgresError}, for an error at the start: the message names the database, as `place` describes it. */
export function startError(error: unknown, place: string): unknown {
  if (error instanceof AppError) return error;
  const state = sqlState(error);
  const known = AT_START.find(([pattern]) => pattern.test(state));
  // The server's own words name a user, a database or a rule of pg_hba.conf, and no password.
  if (known)
    return new AppError(known[1], `${place} ${known[2]}: ${(error as Error).message}`, {
      reason: known[3],
      cause: error,
    });
  const code = clientCode(error);
  if (code === "ERR_POSTGRES_TLS_NOT_AVAILABLE")
    return new AppError("unavailable", `${place} has no TLS`, { reason: "database-tls", cause: error });
  if (/TLS|CERT|SSL|SELF_SIGNED|UNABLE_TO|ALTNAME/.test(code))
    return new AppError("unavailable", `the certificate of ${place} cannot be verified`, {
      reason: "database-certificate",
      cause: error,
    });
  if (code.startsWith("ERR_POSTGRES_CHANNEL_BINDING"))
    return new AppError("unauthenticated", `the login to ${place} fails: ${(error as Error).message}`, {
      reason: "database-channel-binding",
      cause: error,
    });
  if (/^ERR_POSTGRES_(UNSUPPORTED_AUTH|AUTH|PASSWORD|SASL)/.test(code))
    return new AppError("unauthenticated", `${place} refuses the login`, {
      reason: "database-password",
      cause: error,
    });
  const passing = postgresError(error);
  if (!(passing instanceof AppError) || passing.code !== "unavailable") return passing;
  return new AppError("unavailable", `${place} cannot be reached`, {
    reason: "database-unreachable",
    retryAfter: 1,
    cause: error,
  });
}
