import { tokens as operations } from "../../../operations/access/tokens.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { textOrNull } from "../fields.ts";
import type { Page } from "../page.tsx";
import { PROJECT } from "../paths.ts";
import { type ShowSettings, settingsPath } from "../project/section.tsx";
import type { Dashboard, Sent } from "../routes.ts";
import type { Typed } from "../parts/submit.ts";
import { addressOf } from "../view.ts";
import { AccessTabs } from "./parts.tsx";
import { TOKEN_FAULTS, TokenRows, newToken, placesIn, tokenPage } from "./token-parts.tsx";

const TOKENS = "/access/tokens";
const OF_PROJECT = `${PROJECT}/tokens` as const;

/** The page of every token has no project in its path, and that of tokens limited to a project has it. */
type Names = { project?: string };

/** Creates and revokes tokens by forms whose page `show` shows. */
function actsOf(
  { app, act }: Dashboard,
  pathOf: (names: Names) => string,
  show: (c: DashboardContext, names: Names, typed: Typed) => Promise<Page>,
) {
  const create = act({
    operation: operations.create,
    input: ({ fields, names: { project } }: Sent<Names>) => ({ body: newToken(fields, app.now(), project) }),
    done(created, { names }) {
      const isOfProject = names.project !== undefined;
      const label = isOfProject ? "Settings" : "Tokens";
      return tokenPage(created, { to: pathOf(names), label }, isOfProject ? "flags" : "access");
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
  return { create, revoke };
}

/** Tokens of one project, on the page of its settings. */
export function projectTokenRoutes(dashboard: Dashboard, showSettings: ShowSettings) {
  const { get, post, viewOf } = dashboard;
  const pathOf = ({ project = "" }: Names) => settingsPath(project);
  const { create, revoke } = actsOf(dashboard, pathOf, (c, { project = "" }, typed) =>
    showSettings(c, project, { at: "tokens", typed }),
  );
  get(OF_PROJECT, "admin", async (c, names) =>
    c.redirect(addressOf(viewOf(c), `${pathOf(names)}#tokens`), 303),
  );
  post(OF_PROJECT, "admin", create);
  post(`${OF_PROJECT}/:token`, "admin", revoke);
}

export function tokenRoutes(dashboard: Dashboard) {
  const { app, get, post } = dashboard;
  const show = async (typed: Typed | null): Promise<Page> => {
    const [tokens, projects] = await Promise.all([app.store.tokens.list(), app.store.projects.list()]);
    const places = [
      { value: "", label: "everything" },
      ...projects.flatMap((project) =>
        placesIn(project, `project ${project.slug}`, (slug) => `${project.slug}, ${slug}`),
      ),
    ];
    return {
      title: "Access: tokens",
      heading: "Access",
      section: "access",
      topics: ["setup"],
      commands: [
        ["List tokens", "tokens list"],
        ["Create one", "tokens create pipeline --scope flags:write -p shop --expires 90d"],
      ],
      content: (
        <>
          <AccessTabs current="tokens" />
          <section class="card flush" aria-label="Tokens">
            <div class="rows things">
              <TokenRows to={TOKENS} tokens={tokens} places={places} typed={typed} isOpen />
            </div>
          </section>
        </>
      ),
    };
  };
  const { create, revoke } = actsOf(
    dashboard,
    () => TOKENS,
    (_, __, typed) => show(typed),
  );
  get(TOKENS, "admin", () => show(null));
  post(TOKENS, "admin", create);
  post(`${TOKENS}/:token`, "admin", revoke);
}
