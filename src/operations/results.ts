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

/** {@link MAIL_WAITS} as a member of a result, if that applies. */
export async function mailWarnings(
  { sendsMail }: Deployment,
  isMailed: boolean,
): Promise<{ warnings?: string[] }> {
  return isMailed && !(await sendsMail()) ? { warnings: [MAIL_WAITS] } : {};
}
