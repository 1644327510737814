import { formatBytes } from "../base/bytes.ts";
import { AppError } from "../base/errors.ts";
import { createTurns } from "../base/event-loop.ts";
import type { SetResult } from "../base/result.ts";
import { NO_MAIL_SERVER } from "../delivery/delivery-status.ts";
import type { Deployment } from "./deployment.ts";

/** The answer to a create: the resource, with its result. */
export function created<T extends object>(value: T): T & { result: "created" } {
  return { ...value, result: "created" };
}

/** The answer to a change of a resource that exists. */
export function updated<T extends object>(value: T, result: SetResult) {
  return { ...value, result: result as Exclude<SetResult, "created"> };
}

/** Applies `view` to each item of a list, in turns with other requests. */
export async function viewInTurns<T, V>(items: readonly T[], view: (item: T) => V): Promise<V[]> {
  const takeTurns = createTurns();
  const views: V[] = [];
  for (const item of items) {
    views.push(view(item));
    const turn = takeTurns();
    if (turn !== undefined) await turn;
  }
  return views;
}

/** The error for a body of more than `limit` bytes. */
export function bodyTooLarge(limit: number): AppError {
  return new AppError("too_large", `a request body has at most ${formatBytes(limit)}`);
}

/**
 * The revision that `If-Match` names (RFC 9110, 13.1.1); null if it names none. A proxy that compresses answers makes their tags
 * weak, and a revision is the same in every form of an answer. Throws `invalid`.
 */
export function revisionIn(ifMatch: string | undefined): number | null {
  if (ifMatch === undefined || ifMatch.trim() === "*") return null;
  const revision = /^(?:W\/)?"(\d{1,15})"$/.exec(ifMatch.trim())?.[1];
  if (revision === undefined)
    throw new AppError("invalid", `If-Match ${ifMatch} does not name a revision: it looks like "12"`);
  return Number(revision);
}

/** The warning about what sends mail on a server without a mail server. */
export const MAIL_WAITS = `${NO_MAIL_SERVER}: mail waits for one`;

/** The warning about forms whose senders confirm, on a server that cannot make their links. */
export const LINKS_FAIL = "no public URL is configured: no mail asks senders to confirm";

/** {@link MAIL_WAITS}, and with `asks` {@link LINKS_FAIL}, as a member of a result, if they apply. */
export async function mailWarnings(
  { sendsMail, knowsUrl }: Deployment,
  isMailed: boolean,
  asks = false,
): Promise<{ warnings?: string[] }> {
  const warnings = [
    ...(isMailed && !(await sendsMail()) ? [MAIL_WAITS] : []),
    ...(asks && !(await knowsUrl()) ? [LINKS_FAIL] : []),
  ];
  return warnings.length > 0 ? { warnings } : {};
}
