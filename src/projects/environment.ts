import type * as z from "zod/mini";
import type { ClockAndRandom } from "../base/clock.ts";
import { AppError } from "../base/errors.ts";
import { dashedKey } from "../base/ids.ts";
import type {
  environmentPatchSchema,
  environmentSchema,
  newEnvironmentSchema,
} from "./environment-schema.ts";

export type Environment = z.infer<typeof environmentSchema>;

export type NewEnvironment = z.infer<typeof newEnvironmentSchema>;

export type EnvironmentPatch = z.infer<typeof environmentPatchSchema>;

/** An environment with a fresh key, not yet stored; `position` is one more than its project has. */
export function newEnvironment(
  app: ClockAndRandom,
  { slug, name = slug, color = null }: Pick<NewEnvironment, "slug" | "name" | "color">,
  position: number,
): Environment {
  return {
    slug,
    name,
    key: dashedKey(app.random),
    locked: false,
    color,
    approvals: 0,
    approveWith: null,
    position,
  };
}

export function noSuchEnvironment(project: string, slug: string): AppError {
  return new AppError("not_found", `environment "${slug}" does not exist in project "${project}"`, {
    reason: "environment-not-found",
  });
}
