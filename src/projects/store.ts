import type { Author } from "../access/caller.ts";
import type { Page, PageQuery } from "../base/pages.ts";
import type { SetResult } from "../base/result.ts";
import type { Environment } from "./environment.ts";
import type { Project } from "./project.ts";

export type ProjectStore = {
  insert(project: Project & { createdAt: number }, who: string): Promise<Project>;
  /** By slug, as the environments in each. */
  list(): Promise<Project[]>;
  page(query: PageQuery): Promise<Page<Project>>;
  find(slug: string): Promise<Project | undefined>;
  delete(slug: string): Promise<void>;
};

export type EnvironmentStore = {
  /** With `from`, the values of that environment's flags and its segments are copied, each as a change of its own. */
  insert(
    project: string,
    environment: Environment & { createdAt: number },
    from: string | null,
    who: string,
  ): Promise<Environment>;
  /** By slug. */
  list(project: string): Promise<Environment[]>;
  lock(
    project: string,
    slug: string,
    locked: boolean,
    by: Author,
  ): Promise<{ environment: Environment; result: SetResult }>;
  delete(project: string, slug: string, by: Author): Promise<void>;
};
