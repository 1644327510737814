import { createToken, listTokens, revokeToken } from "../../../access/tokens.ts";
import { MAX_LIST } from "../../../base/pages.ts";
import { getProject } from "../../../projects/projects.ts";
import { BLANK_TOKEN, TokenList, newToken, tokenFieldsIn, tokenPage } from "../access/token-parts.tsx";
import type { DashboardContext } from "../dashboard-env.ts";
import { formflag } from "../parts/commands.tsx";
import { type Faults, faultAt, submit } from "../parts/submit.ts";
import { PROJECT, pathTo } from "../paths.ts";
import type { Dashboard } from "../routes.ts";
import { projectPage } from "./project-page.tsx";

const TOKENS = `${PROJECT}/tokens` as const;

/** The tokens that are limited to a project, for its admins. */
export function projectTokenRoutes({ app, get, post }: Dashboard) {
  const show = async (c: DashboardContext, slug: string, typed = BLANK_TOKEN, faults: Faults = {}) => {
    const { environments } = await getProject(app, slug);
    const { items } = await listTokens(app, c.get("caller"), { limit: MAX_LIST }, slug);
    return projectPage({
      project: slug,
      tab: "tokens",
      title: "Tokens",
      heading: "Tokens",
      commands: [
        { label: "Lists the same", text: formflag("tokens list", { p: slug }) },
        {
          label: "Creates one",
          text: formflag("tokens create", "pipeline", { p: slug, scope: "flags:write", expires: "90d" }),
        },
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
  post(TOKENS, "admin", async (c, fields, { project }) => {
    const typed = tokenFieldsIn(fields);
    const place = typed.place === "" ? project : typed.place;
    return submit(
      async () => {
        if (place.split("/")[0] !== project) throw faultAt("project", "it is limited to this project");
        const created = await createToken(app, c.get("caller"), newToken({ ...typed, place }, app.now()));
        return tokenPage(created, { to: pathTo(TOKENS, { project }), label: "Tokens" }, "flags");
      },
      (faults) => show(c, project, typed, faults),
      { invalid: "name", conflict: "name" },
    );
  });
  post(`${TOKENS}/:token`, "admin", async (c, _, { project, token }) => {
    await revokeToken(app, c.get("caller"), token, project);
    return { to: pathTo(TOKENS, { project }), text: `Revoked ${token}` };
  });
}
