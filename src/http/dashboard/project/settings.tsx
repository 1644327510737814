import { listInvitations } from "../../../access/members/invitations.ts";
import { listMembers } from "../../../access/members/members.ts";
import { hasScope } from "../../../access/rights.ts";
import { listTokens } from "../../../access/tokens.ts";
import type { App } from "../../../app.ts";
import { MAX_LIST, MAX_PAGE } from "../../../base/pages.ts";
import { projects } from "../../../operations/projects.ts";
import { listNoticeTargets } from "../../../projects/notice-targets.ts";
import type { Project, Usage } from "../../../projects/project.ts";
import { getProject, usageOf } from "../../../projects/projects.ts";
import { projectTokenRoutes } from "../access/tokens.tsx";
import { type Places, TokenRows, placesIn } from "../access/token-parts.tsx";
import type { Token } from "../../../access/token.ts";
import type { Page } from "../page.tsx";
import { settingFaults } from "../parts/kind-field.tsx";
import { Pager } from "../parts/list.tsx";
import { submit } from "../parts/submit.ts";
import type { TargetView } from "../../../delivery/target.ts";
import { PROJECT, pathTo, projectPath } from "../paths.ts";
import type { Dashboard } from "../routes.ts";
import { useMay } from "../view.ts";
import { EnvironmentFold, NewEnvironment, type ShownEnvironment } from "./environments.tsx";
import { environmentRoutes } from "./environments.tsx";
import { Deletion, Files } from "./general.tsx";
import { type ShownMembers, MemberRows } from "./member-rows.tsx";
import { memberRoutes } from "./members.tsx";
import { General, projectPatchIn } from "./general.tsx";
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

/** The settings of a project: all that is set up in it, on one page. */
export function settingsRoutes(dashboard: Dashboard) {
  const { app, get, post, perform } = dashboard;
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

  environmentRoutes(dashboard, show);
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
}

/** When a flag of an environment was last read, in milliseconds since 1970; null for never. */
export async function lastRead({ store }: App, project: string, environment: string): Promise<number | null> {
  let last: number | null = null;
  for (const at of (await store.flags.reads(project, environment)).values())
    if (last === null || at > last) last = at;
  return last;
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
