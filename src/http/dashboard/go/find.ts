import type { Caller } from "../../../access/caller.ts";
import { shortName } from "../../../access/place.ts";
import { hasScope, hasScopeSomewhere } from "../../../access/rights.ts";
import type { App } from "../../../app.ts";
import { AppError } from "../../../base/errors.ts";
import { listForms } from "../../../forms/forms.ts";
import { listInbox } from "../../../forms/inbox/inbox.ts";
import { titlesOf } from "../../../forms/inbox/titles.ts";
import type { Project } from "../../../projects/project.ts";
import { listProjects } from "../../../projects/projects.ts";
import { filterOf, readQuery } from "../inbox/query.ts";
import { SECTIONS } from "../navigation.tsx";
import {
  DOCS,
  NEW_EXPERIMENT,
  NEW_SEGMENT,
  formPath,
  inboxPath,
  pathTo,
  projectPath,
  flagPath,
  settingAction,
} from "../paths.ts";
import { PLACES } from "../project/project-page.tsx";
import { submissionPath } from "../submissions/rows.tsx";
import { mayChange, maySee, type addressOf } from "../view.ts";
import type { FlagHead } from "../../../flags/flag.ts";
import { type FlagOverview, overviewOfFlags } from "../../../flags/overviews.ts";

const FIRST_STEPS = { label: "First steps", to: "/start" };

/** Projects that are looked through. */
const PROJECTS = 50;
/** Results of each kind. */
const MOST = 12;
const SUBMISSIONS = 5;

/** The places and actions that have all words of a search, as far as the caller may see and do them. */
export async function find(app: App, caller: Caller, search: string, timeZone: string): Promise<Result[]> {
  const words = wordsOf(search);
  const [ofFlags, ofForms] = [
    hasScopeSomewhere(caller, "flags:read"),
    hasScopeSomewhere(caller, "forms:read"),
  ];
  const projects = ofFlags ? (await listProjects(app, caller, { limit: PROJECTS })).items : [];
  const some = (results: readonly Result[], also = "") =>
    results.filter(({ label, detail = "" }) => hasWords(`${label} ${detail} ${also}`, words)).slice(0, MOST);
  const pages = SECTIONS.filter(
    ({ name, scope }) => name !== "go" && (scope === null || maySee(caller, scope)),
  );
  const isNamed = words.length > 0;
  const [{ flags, actions }, forms, sent] = await Promise.all([
    isNamed ? findFlags(app, caller, projects, words) : { flags: [], actions: [] },
    isNamed && ofForms ? formsOf(app, caller) : [],
    isNamed && ofForms ? findSent(app, caller, search.trim(), timeZone) : [],
  ]);
  const found = [
    ...flags.slice(0, MOST),
    ...some(forms),
    ...some(
      projects.map(({ slug }) => ({ kind: "project", label: slug, detail: "flags", to: projectPath(slug) })),
    ),
    ...some([...pages, FIRST_STEPS].map(({ label, to }) => ({ kind: "page", label, to }))),
    ...(isNamed ? some(projects.flatMap((project) => pagesOf(caller, project))) : []),
    ...actions.slice(0, MOST),
    ...some(creations(caller, projects), "create a an"),
    ...sent,
  ];
  if (found.length > 0) return found;
  const label = `Nothing matches: search the documentation for “${search.trim()}”`;
  return [{ kind: "documentation", label, to: DOCS, query: { q: search } }];
}

async function formsOf(app: App, caller: Caller): Promise<Result[]> {
  return (await listForms(app, caller)).flatMap((form): Result[] => {
    const name = shortName(form);
    const detail = form.name === form.slug ? "form" : `form ${form.name}`;
    return [
      { kind: "form", label: name, detail, to: formPath(name) },
      { kind: "page", label: `Inbox of ${name}`, to: inboxPath(name) },
    ];
  });
}

/** The pages of a project. */
function pagesOf(caller: Caller, { slug }: Project): Result[] {
  const shown = Object.values(PLACES).filter(
    (tab) => !("scope" in tab) || hasScope(caller, tab.scope, { project: slug }),
  );
  return shown.map(({ label, path }) => {
    return { kind: "page", label, detail: slug, to: `${projectPath(slug)}${path}` };
  });
}

/** Pages on which the caller creates things. */
function creations(caller: Caller, projects: readonly Project[]): Result[] {
  const inProjects = projects.flatMap(({ slug: project, environments }): Result[] => {
    if (!environments.some((each) => mayChange(caller, project, [each]))) return [];
    const to = [
      ["flag", `${projectPath(project)}#new-flag-name`],
      ["segment", pathTo(NEW_SEGMENT, { project })],
      ["experiment", pathTo(NEW_EXPERIMENT, { project })],
    ] as const;
    return to.map(([noun, path]) => ({
      kind: "action",
      label: `New ${noun}`,
      detail: project,
      to: path,
    }));
  });
  const form: Result = { kind: "action", label: "New form", to: "/forms/new" };
  const signOut: Result = { kind: "action", label: "Sign out", to: "/sign-out", values: {} };
  return [...(hasScopeSomewhere(caller, "forms:write") ? [form] : []), ...inProjects, signOut];
}

/** The newest submissions with the words, the list of all of them, and everything of a person with an address. */
async function findSent(app: App, caller: Caller, search: string, timeZone: string): Promise<Result[]> {
  const results: Result[] = [];
  if (search.includes("@"))
    results.push({
      kind: "sender",
      label: search,
      detail: "all they sent",
      to: "/people",
      query: { q: search },
    });
  try {
    const filter = filterOf(
      readQuery((name) => (name === "q" ? search : undefined), null),
      timeZone,
      caller.name,
    );
    const { submissions } = await listInbox(app, caller, {
      form: null,
      limit: SUBMISSIONS,
      before: null,
      filter,
    });
    const titleOf = await titlesOf(app, submissions);
    for (const submission of submissions) {
      const { title, text } = titleOf(submission);
      results.push({ kind: "submission", label: title, detail: text, to: submissionPath(submission) });
    }
    if (submissions.length > 0)
      results.push({ kind: "page", label: `Submissions with ${search}`, to: "/inbox", query: { q: search } });
  } catch (error) {
    // A search without a word that could be found.
    if (!(error instanceof AppError) || error.code !== "invalid") throw error;
  }
  return results;
}

/** Flags that are found, of each project for each word, and in all. */
const EACH = 10;
const MOST_FLAGS = 20;
/** Words of actions, which find no flag. */
const VERBS = new Set(["turn", "on", "off", "in", "of", "go", "to", "the"]);

type Found = { project: Project; flag: FlagOverview };

/** Flags whose name, project or description has all words, and the switches of flags that some of the words name. */
async function findFlags(
  app: App,
  caller: Caller,
  projects: readonly Project[],
  words: readonly string[],
): Promise<{ flags: Result[]; actions: Result[] }> {
  const found: Found[] = [];
  for (const project of projects) {
    const known = new Set<string>();
    for (const word of words) {
      if (VERBS.has(word) || found.length >= MOST_FLAGS) continue;
      const isNamed = ({ slug }: FlagHead) => slug.toLowerCase().includes(word);
      const search = { search: word, limit: EACH };
      const { items } = await overviewOfFlags(app, project.slug, { ...search, accepts: isNamed });
      // Descriptions name more flags than people look for: they are there if names are few.
      if (items.length < EACH) items.push(...(await overviewOfFlags(app, project.slug, search)).items);
      for (const flag of items) {
        if (known.has(flag.slug)) continue;
        known.add(flag.slug);
        found.push({ project, flag });
      }
    }
  }
  const [name = ""] = words;
  const rankOf = ({ flag: { slug } }: Found) =>
    slug === name ? 0 : slug.startsWith(name) ? 1 : slug.includes(name) ? 2 : 3;
  const flags = found
    .filter(({ project, flag }) => hasWords(`${flag.slug} flag ${project.slug} ${flag.description}`, words))
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .map(({ project, flag }): Result => {
      return { kind: "flag", label: flag.slug, detail: project.slug, to: flagPath(project.slug, flag.slug) };
    });
  const actions = found
    .flatMap((each) => switchesOf(caller, each))
    .filter(({ label }) => hasWords(label, words));
  return { flags, actions };
}

/** The switches of a flag in environments that the caller may change. */
function switchesOf(caller: Caller, { project, flag }: Found): Result[] {
  return flag.environments.flatMap(({ environment: slug, enabled, revision }): Result[] => {
    const environment = project.environments.find((each) => each.slug === slug);
    const place = { project: project.slug, environment: slug };
    if (
      !environment ||
      !hasScope(caller, "flags:read", place) ||
      !mayChange(caller, project.slug, [environment])
    )
      return [];
    const to = enabled ? "off" : "on";
    return [
      {
        kind: "action",
        label: `Turn ${to} ${flag.slug} in ${slug}`,
        detail: project.slug,
        to: settingAction({ ...place, flag: flag.slug }),
        values: { act: "state", enabled: to, revision },
      },
    ];
  });
}

type ResultKind = "page" | "documentation" | "project" | "flag" | "form" | "sender" | "submission" | "action";

type Query = Parameters<typeof addressOf>[2];

/** A place to go to, or an action: a form that posts these values to the path. */
export type Result = {
  kind: ResultKind;
  label: string;
  /** Where it is, such as its project. */
  detail?: string;
  to: string;
} & ({ query?: Query } | { values: Readonly<Record<string, string | number>> });

/** Words of a search that are looked at. */
const MAX_WORDS = 8;
export const MAX_SEARCH = 200;

/** The words of a search, in lower case. */
function wordsOf(search: string): string[] {
  return search
    .slice(0, MAX_SEARCH)
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "")
    .slice(0, MAX_WORDS);
}

/** Whether a text has all words. */
function hasWords(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}
