import type { ChangeStore } from "../access/door.ts";
import type { ClockAndRandom } from "../base/clock.ts";
import type { Page, PageQuery } from "../base/pages.ts";
import type { ProjectChange } from "./change.ts";
import type { Environment } from "./environment.ts";
import type { Revision, RevisionQuery, PlacedRevision, RecentRevision } from "./history.ts";
import type { OpenedForm } from "./opened-form.ts";
import type { Project, Usage } from "./project.ts";

/** With `search`, projects whose slug or name has that text, whatever the case of its ASCII letters. */
export type ProjectQuery = PageQuery & { search?: string | undefined };

type ProjectStore = {
  /** By slug, the environments of each project in their order. */
  list(): Promise<Project[]>;
  /** The counts of some projects, by their slugs, or with null of all. */
  page(query: ProjectQuery, among: readonly string[] | null): Promise<Page<Project>>;
  find(slug: string): Promise<Project | undefined>;
  /** The forms of every project that are open while a flag of this one is true, by slug and project. */
  openedForms(slug: string): Promise<OpenedForm[]>;
  /** At a time in milliseconds since 1970. Throws `not_found`. */
  usage(slug: string, now: number): Promise<Usage>;
};

type EnvironmentStore = {
  /** In their order. */
  list(project: string): Promise<Environment[]>;
};

type HistoryStore = {
  /** Newest first. */
  page(project: string, query: RevisionQuery): Promise<Page<Revision>>;
  find(project: string, revision: number): Promise<Revision | undefined>;
  /** Changes of a form and its targets, by the slugs of its project and of the form, newest first. */
  ofForm(project: string, name: string, query: RevisionQuery): Promise<Page<Revision>>;
  /** Changes of some projects, or with null of all and of what is in none, newest first. */
  everywhere(query: RevisionQuery, projects: readonly string[] | null): Promise<Page<PlacedRevision>>;
  /**
   * Changes of flags since a time, of some projects or with null of all, newest first: at most `limit`, among the newest
   * 1,000 revisions of the setup.
   */
  recent(since: number, limit: number, projects: readonly string[] | null): Promise<RecentRevision[]>;
};

export type ProjectsStore = {
  projects: ProjectStore;
  environments: EnvironmentStore;
  changes: HistoryStore;
};

/** The part of the app that operations on projects and environments use. */
export type ProjectsApp = ClockAndRandom & { store: ProjectsStore & ChangeStore<ProjectChange> };
