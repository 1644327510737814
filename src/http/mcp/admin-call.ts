import { AppError, ERROR_CODES } from "../../base/errors.ts";
import { parseExactly } from "../../base/json/exact-json.ts";
import type { Send } from "../../mcp/api.ts";
import { ADMIN_PATH, addressOf } from "../../operations/operation.ts";
import type { AdminApp } from "../admin/admin.ts";
import type { Client } from "../address.ts";

type ErrorBody = {
  error: { code: string; message: string; reason?: string | null; hint?: string | null };
};

/** Calls operations of the admin API in this process, with the rights of whoever sends the `authorization` header. */
export function adminCall(admin: AdminApp, authorization: string | null, client: Client): Send {
  return async (operation, { names, query, body, why }) => {
    const request = new Request(`http://localhost${ADMIN_PATH}${addressOf(operation, names, query)}`, {
      method: operation.method,
      headers: {
        "X-Source": "mcp",
        ...(authorization !== null && { Authorization: authorization }),
        ...(why !== undefined && { "X-Why": encodeURIComponent(why) }),
        ...(body !== undefined && { "Content-Type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = await admin.fetch(request, { client });
    if (answer.ok) return answer.status === 204 ? undefined : parseExactly(await answer.text());
    throw await errorOf(answer);
  };
}

/** The error of an answer; one without a known code was a bug, and is reported already. */
async function errorOf(answer: Response): Promise<Error> {
  const { error } = (await answer.json()) as ErrorBody;
  const known = ERROR_CODES.find((each) => each === error.code);
  const retryAfter = Number(answer.headers.get("retry-after") ?? Number.NaN);
  return new AppError(known ?? "unavailable", error.message, {
    reason: error.reason ?? undefined,
    hint: error.hint ?? undefined,
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined,
  });
}
