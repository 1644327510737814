import type * as z from "zod/mini";
import type { ClockAndRandom } from "../base/clock.ts";
import { dashedKey } from "../base/ids.ts";
import { type Environment, newEnvironment } from "./environment.ts";
import type { newProjectSchema, projectPatchSchema, projectSchema } from "./project-schema.ts";

export type Project = z.infer<typeof projectSchema>;

export const DEFAULT_ENVIRONMENTS = ["develop", "staging", "production"];

export type ProjectPatch = z.infer<typeof projectPatchSchema>;

/** The settings of a project that a patch changes. */
export type ProjectSettings = Pick<Project, (typeof PROJECT_SETTINGS)[number]>;

export const PROJECT_SETTINGS = ["name", "mailFrom", "accent", "maxSubmissions", "maxStorage"] as const;

export type NewProject = z.infer<typeof newProjectSchema>;

/** A project with fresh keys, not yet stored. */
export function newProject(app: ClockAndRandom, input: NewProject): Project & { createdAt: number } {
  const environments = (input.environments ?? DEFAULT_ENVIRONMENTS).map((slug) =>
    newEnvironment(app, { slug }),
  );
  return {
    slug: input.slug,
    name: input.name ?? input.slug,
    key: dashedKey(app.random),
    environments: environments.toSorted(bySlug),
    mailFrom: null,
    accent: null,
    maxSubmissions: null,
    maxStorage: null,
    createdAt: app.now(),
  };
}

function bySlug(a: Environment, b: Environment): number {
  return a.slug < b.slug ? -1 : 1;
}

/** The settings of a project alone. */
export function settingsOf({ name, mailFrom, accent, maxSubmissions, maxStorage }: Project): ProjectSettings {
  return { name, mailFrom, accent, maxSubmissions, maxStorage };
}
