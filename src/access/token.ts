import type * as z from "zod/mini";
import { AppError } from "../base/errors.ts";
import type { Random } from "../base/ids.ts";
import type { Grant } from "./rights.ts";
import type { createdTokenSchema, newTokenSchema, tokenSchema } from "./token-schema.ts";

/** The secret of a new token: `ff_` and 256 random bits as base64url. */
export function tokenSecret(random: Random): string {
  return `ff_${Buffer.from(random(32)).toString("base64url")}`;
}

export type Token = z.infer<typeof tokenSchema>;

export type CreatedToken = z.infer<typeof createdTokenSchema>;

export type NewToken = z.infer<typeof newTokenSchema>;

/** The rights of a token: its scopes, in the place that it is limited to. */
export function grantOf({ scopes, project, environment }: Token): Grant {
  return { scopes, project, environments: environment === undefined ? undefined : [environment] };
}

/** The place of a token in a list of tokens, which a later page begins behind. */
export function tokenCursor({ name, project }: Pick<Token, "name" | "project">): string {
  return project === undefined ? name : `${name}/${project}`;
}

export function noSuchToken(name: string): AppError {
  return new AppError("not_found", `token "${name}" does not exist`, {
    reason: "token-not-found",
  });
}
