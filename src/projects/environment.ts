import type * as z from "zod/mini";
import type { Clockwork } from "../base/clock.ts";
import { AppError } from "../base/errors.ts";
import { dashedKey } from "../base/ids.ts";
import type { environmentSchema, newEnvironmentSchema } from "./environment-schema.ts";

export type Environment = z.infer<typeof environmentSchema>;

export type NewEnvironment = z.infer<typeof newEnvironmentSchema>;

/** An environment with a fresh key, not yet stored. */
export function newEnvironment(
  app: Clockwork,
  input: { slug: string; name?: string | undefined },
): Environment {
  return { slug: input.slug, name: input.name ?? input.slug, key: dashedKey(app.random), locked: false };
}

export function noSuchEnvironment(project: string, slug: string): AppError {
  return new AppError("not_found", `environment "${slug}" does not exist in project "${project}"`, {
    reason: "environment-not-found",
  });
}
