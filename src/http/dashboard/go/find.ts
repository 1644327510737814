import type { Caller } from "../../../access/caller.ts";
import { shortName } from "../../../access/place.ts";
import { hasScope, hasScopeSomewhere } from "../../../access/rights.ts";
import type { App } from "../../../app.ts";
import { AppError } from "../../../base/errors.ts";
import { listForms } from "../../../forms/forms.ts";
import { listInbox } from "../../../forms/inbox/inbox.ts";
import type { Project } from "../../../projects/project.ts";
import { listProjects } from "../../../projects/projects.ts";
import { filterOf, readQuery } from "../inbox/query.ts";
import { SECTIONS } from "../navigation.tsx";
import { NEW_EXPERIMENT, NEW_SEGMENT, formPath, inboxPath, pathTo, projectPath } from "../paths.ts";
import { TABS } from "../project/project-page.tsx";
import { submissionPath, summaryOf } from "../submissions/rows.tsx";
import { mayChange, maySee } from "../view.ts";
import { findFlags } from "./find-flags.ts";
import { type Result, hasWords, wordsOf } from "./result.ts";

/** Projects that are looked through. */
const PROJECTS = 50;
/** Results of each kind. */
const MOST = 10;
const SUBMISSIONS = 5;

/** The places and actions that have all words of a search, as far as the caller may see and do them. */
export async function find(app: App, caller: Caller, search: string, timeZone: string): Promise<Result[]> {
  const words = wordsOf(search);
  const [ofFlags, ofForms] = [
    hasScopeSomewhere(caller, "flags:read"),
    hasScopeSomewhere(caller, "forms:read"),
  ];
  const projects = ofFlags ? (await listProjects(app, caller, { limit: PROJECTS })).items : [];
  const some = (results: readonly Result[]) =>
    results.filter(({ label, detail = "" }) => hasWords(`${label} ${detail}`, words)).slice(0, MOST);
  const pages = SECTIONS.filter(
    ({ name, scope }) => name !== "go" && (scope === null || maySee(caller, scope)),
  );
  const isNamed = words.length > 0;
  const [{ flags, actions }, forms, sent] = await Promise.all([
    isNamed ? findFlags(app, caller, projects, words) : { flags: [], actions: [] },
    isNamed && ofForms ? formsOf(app, caller) : [],
    isNamed && ofForms ? findSent(app, caller, search.trim(), timeZone) : [],
  ]);
  return [
    ...flags.slice(0, MOST),
    ...some(forms),
    ...some(
      projects.map(({ slug }) => ({ kind: "project", label: slug, detail: "flags", to: projectPath(slug) })),
    ),
    ...some(pages.map(({ label, to }) => ({ kind: "page", label, to }))),
    ...(isNamed ? some(projects.flatMap((project) => pagesOf(caller, project))) : []),
    ...actions.slice(0, MOST),
    ...some(creations(caller, projects)),
    ...sent,
  ];
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
  const shown = TABS.filter((tab) => !("scope" in tab) || hasScope(caller, tab.scope, { project: slug }));
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
      label: `Create ${article(noun)}`,
      detail: project,
      to: path,
    }));
  });
  const form: Result = { kind: "action", label: "Create a form", to: "/forms/new" };
  const signOut: Result = { kind: "action", label: "Sign out", to: "/sign-out", values: {} };
  return [...(hasScopeSomewhere(caller, "forms:write") ? [form] : []), ...inProjects, signOut];
}

function article(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;
}

/** The newest submissions with the words, the list of all of them, and everything of a person with an address. */
async function findSent(app: App, caller: Caller, search: string, timeZone: string): Promise<Result[]> {
  const results: Result[] = [];
  if (search.includes("@"))
    results.push({
      kind: "person",
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
    for (const submission of submissions) {
      const { from, text } = summaryOf(submission.data);
      results.push({ kind: "submission", label: from, detail: text, to: submissionPath(submission) });
    }
    if (submissions.length > 0)
      results.push({ kind: "page", label: `Submissions with ${search}`, to: "/inbox", query: { q: search } });
  } catch (error) {
    // A search without a word that could be found.
    if (!(error instanceof AppError) || error.code !== "invalid") throw error;
  }
  return results;
}
