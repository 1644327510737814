import { clock } from "../../../base/clock.ts";
import { AppError } from "../../../base/errors.ts";
import { SIGN_IN_REFUSAL_MS } from "../../limits.ts";
import type { DashboardContext } from "../dashboard-env.ts";

/** A refused sign-in. */
type Refusal = { message: string; reason: string | null; status: 401 | 429 };

/** How a sign-in is refused that is wrong, or one too many; throws any other error on. */
export async function refusalOf(c: DashboardContext, error: unknown): Promise<Refusal> {
  if (!(error instanceof AppError)) throw error;
  const { code, message, reason, retryAfter } = error;
  if (code === "unauthenticated") return { message, reason, status: 401 };
  if (code !== "rate_limited") throw error;
  if (retryAfter !== null) c.header("Retry-After", String(retryAfter));
  // A program that repeats it at once would take the server from others.
  await clock.sleep(SIGN_IN_REFUSAL_MS);
  return { message, reason, status: 429 };
}
