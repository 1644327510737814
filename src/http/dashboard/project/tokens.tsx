import { listTokens } from "../../../access/tokens.ts";
import { MAX_LIST } from "../../../base/pages.ts";
import { tokens as operations } from "../../../operations/access/tokens.ts";
import { getProject } from "../../../projects/projects.ts";
import {
  BLANK_TOKEN,
  TOKEN_FAULTS,
  TokenList,
  newToken,
  tokenFieldsIn,
  tokenPage,
} from "../access/token-parts.tsx";
import type { DashboardContext } from "../dashboard-env.ts";
import { type Faults, faultAt } from "../parts/submit.ts";
import { PROJECT, pathTo } from "../paths.ts";
import type { Dashboard } from "../routes.ts";
import { projectPage } from "./project-page.tsx";

const TOKENS = `${PROJECT}/tokens` as const;

/** The tokens that are limited to a project, for its admins. */
export function projectTokenRoutes({ app, get, post, act }: Dashboard) {
  const show = async (c: DashboardContext, slug: string, typed = BLANK_TOKEN, faults: Faults = {}) => {
    const { environments } = await getProject(app, slug);
    const { items } = await listTokens(app, c.get("caller"), { limit: MAX_LIST }, slug);
    return projectPage({
      project: slug,
      tab: "tokens",
      title: "Tokens",
      heading: "Tokens",
      commands: [
        ["Lists the same", "tokens list", { p: slug }],
        ["Creates one", "tokens create", "pipeline", { p: slug, scope: "flags:write", expires: "90d" }],
      ],
      content: (
        <TokenList
          to={pathTo(TOKENS, { project: slug })}
          tokens={items}
          places={[slug, ...environments.map((each) => `${slug}/${each.slug}`)].map((place) => ({
            value: place,
            label: place === slug ? "the whole project" : place.slice(slug.length + 1),
          }))}
          typed={typed}
          faults={faults}
        />
      ),
    });
  };

  get(TOKENS, "admin", (c, { project }) => show(c, project));
  post(
    TOKENS,
    "admin",
    act({
      operation: operations.create,
      input({ fields, names: { project } }) {
        const typed = tokenFieldsIn(fields);
        const place = typed.place === "" ? project : typed.place;
        if (place.split("/")[0] !== project) throw faultAt("place", "it is limited to this project");
        return { body: newToken({ ...typed, place }, app.now()) };
      },
      done: (created, { names }) =>
        tokenPage(created, { to: pathTo(TOKENS, names), label: "Tokens" }, "flags"),
      again: ({ c, fields, names }, faults) => show(c, names.project, tokenFieldsIn(fields), faults),
      at: TOKEN_FAULTS,
    }),
  );
  post(
    `${TOKENS}/:token`,
    "admin",
    act({
      operation: operations.revoke,
      input: ({ names: { project, token } }) => ({ names: { name: token }, query: { project } }),
      done: (_, { names }) => ({ to: pathTo(TOKENS, names), text: `Revoked ${names.token}` }),
    }),
  );
}
