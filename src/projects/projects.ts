import type { Caller } from "../access/caller.ts";
import { change, type Plan } from "../access/door.ts";
import { noSuchProject } from "../access/place.ts";
import { hasScope, projectsWith, requireScope, requireScopeSomewhere } from "../access/rights.ts";
import { AppError } from "../base/errors.ts";
import { parseMailbox } from "../delivery/address.ts";
import type { Page, PageQuery } from "../base/pages.ts";
import type { SetResult } from "../base/result.ts";
import type { ProjectChange } from "./change.ts";
import { LEAST_CONTRAST, contrastOnWhite } from "./contrast.ts";
import { planProject, planSettings } from "./plan.ts";
import {
  newProject,
  settingsOf,
  type NewProject,
  type Project,
  type ProjectPatch,
  PROJECT_SETTINGS,
  type ProjectSettings,
} from "./project.ts";
import type { ProjectsApp } from "./store.ts";

/** Creates a project with its keys and environments. Throws `conflict` for a slug in use, `forbidden`. */
export async function createProject(app: ProjectsApp, caller: Caller, input: NewProject): Promise<Project> {
  requireScope(caller, "admin");
  return change(app, caller, async ({ at }): Promise<Plan<ProjectChange, Project>> => {
    if (await app.store.projects.find(input.slug)) {
      throw new AppError("conflict", `project "${input.slug}" already exists`, { reason: "project-exists" });
    }
    const { createdAt: _createdAt, ...project } = newProject(app, input);
    return { changes: planProject(project, at), result: project };
  });
}

/** The projects that a caller sees, each with the environments that the caller sees. Throws `forbidden`. */
export async function listProjects(
  app: ProjectsApp,
  caller: Caller,
  query: PageQuery,
): Promise<Page<Project>> {
  requireScopeSomewhere(caller, "flags:read");
  const { items, more } = await app.store.projects.page(query, projectsWith(caller, "flags:read"));
  const maySee = (project: string, environment: string) =>
    hasScope(caller, "flags:read", { project, environment });
  const seen = items.map((project) => ({
    ...project,
    environments: project.environments.filter(({ slug }) => maySee(project.slug, slug)),
  }));
  return { items: seen, more };
}

/** The project of that slug. Throws `not_found`. */
export async function getProject(app: ProjectsApp, slug: string): Promise<Project> {
  const project = await app.store.projects.find(slug);
  if (!project) throw noSuchProject(slug);
  return project;
}

/** A project after a change, and whether the change altered it. */
type ChangedProject = { project: Project; result: SetResult };

/**
 * Changes settings of a project. Where its mail comes from and what its forms may hold is for an admin of everything. Throws
 * `not_found`, `invalid`, `forbidden`.
 */
export function setProject(
  app: ProjectsApp,
  caller: Caller,
  slug: string,
  { accent, mailFrom, ...patch }: ProjectPatch,
): Promise<ChangedProject> {
  const isOfInstance = [mailFrom, patch.maxSubmissions, patch.maxStorage].some((each) => each !== undefined);
  requireScope(caller, "admin", { project: slug });
  if (isOfInstance) requireScope(caller, "admin");
  const given: ProjectPatch = {
    ...patch,
    ...(accent !== undefined && { accent: accent && readAccent(accent) }),
    ...(mailFrom !== undefined && { mailFrom: mailFrom && readMailFrom(mailFrom) }),
  };
  return change(app, caller, async (): Promise<Plan<ProjectChange, ChangedProject>> => {
    const before = await getProject(app, slug);
    const changed = PROJECT_SETTINGS.filter(
      (name) => given[name] !== undefined && given[name] !== before[name],
    );
    if (changed.length === 0) return { changes: [], result: { project: before, result: "unchanged" } };
    const of = (all: ProjectPatch) => Object.fromEntries(changed.map((name) => [name, all[name]]));
    const settings = of(given) as Partial<ProjectSettings>;
    return {
      changes: [planSettings(slug, of(settingsOf(before)), settings)],
      result: { project: { ...before, ...settings }, result: "updated" },
    };
  });
}

/** Throws `invalid` for a colour that is hard to see on white. */
function readAccent(text: string): string {
  const color = text.toLowerCase();
  const contrast = contrastOnWhite(color);
  if (contrast >= LEAST_CONTRAST) return color;
  // Rounded down, so that a contrast below the limit is never shown as the limit.
  const shown = (Math.floor(contrast * 100) / 100).toFixed(2);
  throw new AppError(
    "invalid",
    `accent: ${color} has a contrast of ${shown} on white, less than ${LEAST_CONTRAST}`,
    {
      reason: "accent-pale",
      hint: "choose a darker colour",
    },
  );
}

/** Throws `invalid` for a text that is no mail address. */
function readMailFrom(text: string): string {
  try {
    parseMailbox(text);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError("invalid", `mailFrom: ${error.message}`, { reason: error.reason ?? undefined });
  }
  return text.trim();
}
