import { listTokens } from "../../../access/tokens.ts";
import { MAX_LIST } from "../../../base/pages.ts";
import { tokens as operations } from "../../../operations/access/tokens.ts";
import type { Project } from "../../../projects/project.ts";
import { getProject } from "../../../projects/projects.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { type Fields, textOrNull } from "../fields.ts";
import type { Child } from "../markup.ts";
import type { Page } from "../page.tsx";
import type { Typed } from "../parts/submit.ts";
import { PROJECT, pathTo } from "../paths.ts";
import { projectPage } from "../project/project-page.tsx";
import type { Dashboard } from "../routes.ts";
import { AccessTabs } from "./parts.tsx";
import { TOKEN_FAULTS, TokenList, newToken, tokenPage } from "./token-parts.tsx";

const TOKENS = "/access/tokens";
const OF_PROJECT = `${PROJECT}/tokens` as const;

/** The page of every token has no project in its path, and that of those that are limited to one has it. */
type Names = { project?: string };

type Sent<N = Names> = { c: DashboardContext; fields: Fields; names: N };

const pathOf = ({ project }: Names) => (project === undefined ? TOKENS : pathTo(OF_PROJECT, { project }));

export function tokenRoutes({ app, get, post, act }: Dashboard) {
  const show = async (c: DashboardContext, names: Names, typed: Typed | null = null): Promise<Page> => {
    const form = { to: pathOf(names), typed };
    const { project } = names;
    if (project === undefined) {
      const [tokens, projects] = await Promise.all([app.store.tokens.list(), app.store.projects.list()]);
      const places = [{ value: "", label: "everything" }, ...projects.flatMap(placesOf)];
      return allPage(<TokenList {...form} tokens={tokens} places={places} />);
    }
    const [{ environments }, { items }] = await Promise.all([
      getProject(app, project),
      listTokens(app, c.get("caller"), { limit: MAX_LIST }, project),
    ]);
    const places = [
      { value: project, label: "the whole project" },
      ...environments.map(({ slug }) => ({ value: `${project}/${slug}`, label: slug })),
    ];
    return pageOf(project, <TokenList {...form} tokens={items} places={places} />);
  };
  const create = act({
    operation: operations.create,
    input: ({ fields, names: { project } }: Sent) => ({ body: newToken(fields, app.now(), project) }),
    done(created, { names }) {
      const section = names.project === undefined ? "access" : "flags";
      return tokenPage(created, { to: pathOf(names), label: "Tokens" }, section);
    },
    again: ({ c, fields, names }, faults) => show(c, names, { fields, faults }),
    at: TOKEN_FAULTS,
  });
  const revoke = act({
    operation: operations.revoke,
    input: ({ fields, names: { token, project } }: Sent<Names & { token: string }>) => ({
      names: { name: token },
      query: { project: project ?? textOrNull(fields, "project") ?? undefined },
    }),
    done: (_, { names }) => ({ to: pathOf(names), text: `Revoked ${names.token}` }),
  });

  get(TOKENS, "admin", (c) => show(c, {}));
  get(OF_PROJECT, "admin", (c, names) => show(c, names));
  post(TOKENS, "admin", create);
  post(OF_PROJECT, "admin", create);
  post(`${TOKENS}/:token`, "admin", revoke);
  post(`${OF_PROJECT}/:token`, "admin", revoke);
}

function allPage(list: Child): Page {
  return {
    title: "Tokens",
    section: "access",
    topics: ["setup"],
    commands: [
      ["List tokens", "tokens list"],
      ["Create one", "tokens create pipeline --scope flags:write -p shop --expires 90d"],
    ],
    content: (
      <>
        <AccessTabs current="tokens" />
        {list}
      </>
    ),
  };
}

function pageOf(project: string, list: Child): Page {
  return projectPage({
    project,
    tab: "tokens",
    title: "Tokens",
    heading: "Tokens",
    commands: [
      ["Lists the same", "tokens list", { p: project }],
      ["Creates one", "tokens create", "pipeline", { p: project, scope: "flags:write", expires: "90d" }],
    ],
    content: list,
  });
}

function placesOf({ slug, environments }: Project) {
  return [
    { value: slug, label: `project ${slug}` },
    ...environments.map((each) => ({ value: `${slug}/${each.slug}`, label: `${slug}, ${each.slug}` })),
  ];
}
