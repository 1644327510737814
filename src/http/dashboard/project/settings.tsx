import { listInvitations } from "../../../access/members/invitations.ts";
import { listMembers } from "../../../access/members/members.ts";
import { hasScope } from "../../../access/rights.ts";
import { listTokens } from "../../../access/tokens.ts";
import type { App } from "../../../app.ts";
import { AppError } from "../../../base/errors.ts";
import type { Field } from "../../../base/kinds/kinds.ts";
import { MAX_LIST, MAX_PAGE } from "../../../base/pages.ts";
import { environments } from "../../../operations/environments.ts";
import { projects } from "../../../operations/projects.ts";
import type { Environment } from "../../../projects/environment.ts";
import { ENVIRONMENT } from "../../../projects/environment-card.ts";
import { getEnvironment } from "../../../projects/environments.ts";
import { listNoticeTargets } from "../../../projects/notice-targets.ts";
import type { Project, Usage } from "../../../projects/project.ts";
import { getProject, usageOf } from "../../../projects/projects.ts";
import { projectTokenRoutes } from "../access/tokens.tsx";
import { type Places, TokenRows, placesIn } from "../access/token-parts.tsx";
import type { Token } from "../../../access/token.ts";
import { type Fields, textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { changedIn, settingFaults } from "../parts/kind-field.tsx";
import { A, ButtonLink } from "../parts/link.tsx";
import { Pager } from "../parts/list.tsx";
import { submit } from "../parts/submit.ts";
import type { TargetView } from "../../../delivery/target.ts";
import { ENVIRONMENT as ENVIRONMENT_PATH, PROJECT, environmentPath, pathTo, projectPath } from "../paths.ts";
import type { Dashboard } from "../routes.ts";
import { useMay } from "../view.ts";
import { EnvironmentFold, NewEnvironment, type ShownEnvironment } from "./environment-cards.tsx";
import { type ShownMembers, MemberRows, memberRoutes } from "./members.tsx";
import { General, projectPatchIn } from "./project-form.tsx";
import { projectPage } from "./project-page.tsx";
import {
  SECTIONS,
  Section,
  type SectionName,
  type Sent,
  type ShowSettings,
  settingsPath,
} from "./section.tsx";
import { TargetRows, projectTargetRoutes } from "./targets.tsx";

/** Environments on one page. */
const PAGE = 25;

const SETTINGS = `${PROJECT}/settings` as const;
const OF_ENVIRONMENT = `${ENVIRONMENT_PATH}/settings` as const;

/** The settings of a project: all that is set up in it, on one page. */
export function settingsRoutes(dashboard: Dashboard) {
  const { app, get, post, act, perform } = dashboard;
  const show: ShowSettings = async (c, slug, sent) => {
    const [project, caller] = [await getProject(app, slug), c.get("caller")];
    const [isAdmin, isOfEverything] = [
      hasScope(caller, "admin", { project: slug }),
      hasScope(caller, "admin"),
    ];
    const after = c.req.query("after") ?? "";
    const rest = project.environments.filter(({ slug }) => slug > after);
    const many = { limit: MAX_PAGE };
    const [usage, environments, targets, members, invitations, users, tokens] = await Promise.all([
      usageOf(app, caller, slug),
      Promise.all(
        rest.slice(0, PAGE).map(async (environment) => ({
          environment,
          readAt: await lastRead(app, slug, environment.slug),
        })),
      ),
      listNoticeTargets(app, caller, slug),
      isAdmin ? listMembers(app, caller, slug, many) : null,
      isAdmin ? listInvitations(app, caller, slug, many) : null,
      isOfEverything ? app.store.users.page({ limit: MAX_PAGE }) : null,
      isAdmin ? listTokens(app, caller, { limit: MAX_LIST }, slug) : null,
    ]);
    return settingsPage({
      project,
      usage,
      environments,
      after,
      more: rest.length > PAGE,
      targets,
      people: members && {
        members: members.items,
        invitations: invitations?.items ?? [],
        users: users?.items.filter(({ role }) => role !== "none") ?? [],
      },
      tokens: tokens?.items ?? null,
      sent,
    });
  };

  memberRoutes(dashboard, show);
  projectTokenRoutes(dashboard, show);
  projectTargetRoutes(dashboard, show);
  get(SETTINGS, "flags:read", (c, { project }) => show(c, project));
  post(SETTINGS, "admin", (c, fields, names) => {
    const { patch, faults: unread } = projectPatchIn(fields);
    const save = () => perform(c, projects.set, { names, body: patch });
    return submit(
      async () => {
        const isAltered = Object.keys(patch).length > 0 && (await save()).result === "updated";
        const text = isAltered ? `Saved the settings of ${names.project}` : "Nothing was changed";
        return { to: pathTo(SETTINGS, names), text };
      },
      (faults, error) => {
        const typed = { fields, faults: { ...settingFaults(fields, faults, error), ...unread } };
        return show(c, names.project, { at: "general", typed });
      },
      { invalid: "" },
    );
  });
  post(
    `${PROJECT}/environments`,
    "admin",
    act({
      operation: environments.create,
      input: ({ fields, names }) => ({ names, body: newEnvironmentIn(fields) }),
      done: ({ slug }, { names }) => ({
        to: pathTo(SETTINGS, names),
        text: `The environment ${slug} is created.`,
      }),
      again: ({ c, fields, names }, faults) =>
        show(c, names.project, { at: "environments", typed: { fields, faults } }),
      at: { "environment-exists": "slug", "environment-not-found": "from" },
    }),
  );
  post(OF_ENVIRONMENT, "admin", async (c, fields, names) => {
    const to = pathTo(SETTINGS, { project: names.project });
    const body = changeIn(fields);
    if (Object.keys(body).length === 0 && fields.has("locked")) return { to, text: "Nothing was changed" };
    const before = await getEnvironment(app, names.project, names.environment);
    const after = await perform(c, environments.set, { names, body });
    const values = Object.keys(body).map((name) => [name, String(before[name as Changed] ?? "")]);
    const undo = { to: pathTo(OF_ENVIRONMENT, names), values: Object.fromEntries(values) };
    // Fewer approvals than before have to be confirmed.
    return { to, text: describe(after, Object.keys(body)), ...(!("approvals" in body) && { undo }) };
  });
}

/** When a flag of an environment was last read, in milliseconds since 1970; null for never. */
export async function lastRead({ store }: App, project: string, environment: string): Promise<number | null> {
  let last: number | null = null;
  for (const at of (await store.flags.reads(project, environment)).values())
    if (last === null || at > last) last = at;
  return last;
}

/** An environment to create, as it was typed; what is left out is undefined. */
function newEnvironmentIn(fields: Fields) {
  const text = (name: string) => textOf(fields, name).trim() || undefined;
  return { slug: text("slug") ?? "", name: text("name"), from: text("from"), color: text("color") };
}

type Changed = keyof typeof ENVIRONMENT | "locked";

/** The settings of an environment that a form changes; those of fields that it lacks stay. */
function changeIn(fields: Fields): Partial<Record<Changed, unknown>> {
  const kinds = Object.entries<Field>(ENVIRONMENT).filter(([name]) => fields.has(name));
  const { patch, faults } = changedIn(
    kinds.map(([name, { kind }]) => [name, kind] as const),
    fields,
  );
  for (const [name, fault] of Object.entries(faults)) throw new AppError("invalid", `${name}: ${fault}`);
  const locked = textOf(fields, "locked");
  if (locked === "" || locked === textOf(fields, "before-locked")) return patch;
  if (locked !== "true" && locked !== "false") throw new AppError("invalid", "locked is true or false");
  return { ...patch, locked: locked === "true" };
}

function describe(
  { slug, name, color, locked, approvals, position }: Environment,
  changed: string[],
): string {
  const words: Record<string, string> = {
    name: `${slug} is called ${name}.`,
    color: `The color of ${slug} is ${color ?? "gray"}.`,
    position: `${slug} is at place ${position}.`,
    approvals:
      approvals === 0
        ? `Changes of ${slug} need no approval any more.`
        : `Changes of ${slug} need ${approvals === 1 ? "an approval" : `${approvals} approvals`} from now on.`,
    locked: locked
      ? `${slug} is locked: its name confirms each change from now on.`
      : `${slug} is not locked any more.`,
  };
  return changed.map((each) => words[each]).join(" ");
}

type Settings = {
  project: Project;
  /** The environments of this page. */
  environments: ShownEnvironment[];
  /** The last environment of the page before. */
  after: string;
  more: boolean;
  usage: Usage | null;
  targets: readonly TargetView[];
  /** Null for those who see neither members nor tokens. */
  people: ShownMembers | null;
  tokens: readonly Token[] | null;
  sent: Sent | undefined;
};

function settingsPage(settings: Settings): Page {
  const { project, usage, environments, after, more, targets, people, tokens, sent } = settings;
  const { slug } = project;
  const typedIn = (at: SectionName) => (sent?.at === at ? sent.typed : undefined);
  const places: Places = placesIn(project);
  return projectPage({
    project: slug,
    tab: "settings",
    title: "Settings",
    heading: "Settings",
    ...(sent && { topics: [] }),
    commands: [
      ["Shows keys and locks", "projects get", slug],
      ["Locks an environment", "environments lock", "production", { p: slug }],
      ["Renames the project", "projects set", slug, { name: project.name }],
      ["Invites someone", "members invite", { p: slug, role: "editor" }],
      ["Creates a token", "tokens create", "pipeline", { p: slug, scope: "flags:write", expires: "90d" }],
      ["Adds a target", "targets add", "mail:ops@example.com", { p: slug, event: "flag.*", digest: "1h" }],
      ["Saves flags and segments as a file", "export", { p: slug, o: `${slug}.yaml` }],
    ],
    content: (
      <div class="split settings">
        <Side isAdmin={people !== null} />
        <div class="stack">
          <Section id="environments">
            {environments.map((each, index) => (
              <EnvironmentFold project={slug} index={index} {...each} />
            ))}
            <NewEnvironment project={project} typed={typedIn("environments")} />
            <Pager
              to={settingsPath(slug)}
              isLater={after !== ""}
              next={more && { after: environments.at(-1)!.environment.slug }}
            />
          </Section>
          {people && <MemberRows project={project} {...people} typed={typedIn("members")} />}
          {tokens && (
            <Section id="tokens">
              <TokenRows
                to={`${projectPath(slug)}/tokens`}
                tokens={tokens}
                places={places}
                typed={typedIn("tokens") ?? null}
              />
            </Section>
          )}
          <TargetRows project={project} targets={targets} typed={typedIn("targets") ?? null} />
          <General project={project} usage={usage} typed={typedIn("general")} />
          <Files project={project} />
          <Deletion project={project} />
        </div>
      </div>
    ),
  });
}

/** Links to the sections. */
function Side({ isAdmin }: { isAdmin: boolean }) {
  const [admins, isOfEverything] = [["members", "tokens"], useMay("admin", {})];
  const shown = Object.entries(SECTIONS).filter(
    ([name]) => (isAdmin || !admins.includes(name)) && (isOfEverything || name !== "delete-project"),
  );
  return (
    <nav class="side sticky" aria-label="Settings">
      {shown.map(([name, label]) => (
        <a href={`#${name}`}>{label}</a>
      ))}
    </nav>
  );
}

/** Files of flags and segments, out and in. */
function Files({ project: { slug, environments } }: { project: Project }) {
  const canImport = useMay("flags:write");
  const path = projectPath(slug);
  return (
    <Section
      id="files"
      end={
        <>
          {canImport && (
            <>
              <A to={`${path}/import`}>Import a file…</A> ·{" "}
            </>
          )}
          <A to={`${path}/document.json`}>Export a document</A>
        </>
      }
    >
      <details class="fold">
        <summary>
          <span>flagd</span>
          <span>
            A document holds the flags and segments of every environment; a flagd file those of one, as flagd
            and OpenFeature's providers read it.
          </span>
          <span class="change">Export</span>
        </summary>
        <ul class="buttons">
          {environments.slice(0, 20).map((environment) => (
            <li>
              <ButtonLink to={`${environmentPath(slug, environment.slug)}/flagd.json`} icon="download">
                flagd, {environment.slug}
              </ButtonLink>
            </li>
          ))}
        </ul>
      </details>
    </Section>
  );
}

function Deletion({ project: { slug } }: { project: Project }) {
  if (!useMay("admin", {})) return null;
  return (
    <section class="card" id="delete-project" aria-labelledby="delete-title">
      <div class="title">
        <h2 id="delete-title">Delete</h2>
        <span class="end">
          <ButtonLink to={`${projectPath(slug)}/delete`} kind="danger" icon="trash">
            Delete {slug}…
          </ButtonLink>
        </span>
      </div>
      <p class="soft small">
        Its environments, flags, segments, forms, submissions and history are deleted with it.
      </p>
    </section>
  );
}
