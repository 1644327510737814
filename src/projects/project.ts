import type * as z from "zod/mini";
import type { ClockAndRandom } from "../base/clock.ts";
import { dashedKey } from "../base/ids.ts";
import { newEnvironment } from "./environment.ts";
import type {
  newProjectSchema,
  projectPatchSchema,
  projectSchema,
  settingsSchema,
  usageSchema,
} from "./project-schema.ts";

export type Project = z.infer<typeof projectSchema>;

export const DEFAULT_ENVIRONMENTS = ["develop", "staging", "production"];

export type ProjectPatch = z.infer<typeof projectPatchSchema>;

export type ProjectSettings = z.infer<typeof settingsSchema>;

/** How much of what its forms may hold a project has used. */
export type Usage = z.infer<typeof usageSchema>;

export type NewProject = z.infer<typeof newProjectSchema>;

/** A project with fresh keys, not yet stored. */
export function newProject(app: ClockAndRandom, input: NewProject): Project & { createdAt: number } {
  const environments = (input.environments ?? DEFAULT_ENVIRONMENTS).map((slug, index) =>
    newEnvironment(app, { slug }, index + 1),
  );
  return {
    slug: input.slug,
    name: input.name ?? input.slug,
    key: dashedKey(app.random),
    environments,
    mailFrom: null,
    accent: null,
    maxSubmissions: null,
    maxStorage: null,
    createdAt: app.now(),
  };
}
