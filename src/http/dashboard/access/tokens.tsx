import { createToken, revokeToken } from "../../../access/tokens.ts";
import type { Project } from "../../../projects/project.ts";
import { textOrNull } from "../fields.ts";
import type { Page } from "../page.tsx";
import { type Faults, submit } from "../parts/submit.ts";
import type { Dashboard } from "../routes.ts";
import { AccessTabs } from "./parts.tsx";
import { BLANK_TOKEN, TokenList, newToken, tokenFieldsIn, tokenPage } from "./token-parts.tsx";

const TOKENS = "/access/tokens";

export function tokenRoutes({ app, get, post }: Dashboard) {
  const show = async (typed = BLANK_TOKEN, faults: Faults = {}): Promise<Page> => {
    const [tokens, projects] = [await app.store.tokens.list(), await app.store.projects.list()];
    return {
      title: "Tokens",
      section: "access",
      topics: ["setup"],
      commands: [
        { label: "List tokens", text: "formflag tokens list" },
        {
          label: "Create one",
          text: "formflag tokens create pipeline --scope flags:write -p shop --expires 90d",
        },
      ],
      content: (
        <>
          <AccessTabs current="tokens" />
          <TokenList
            to={TOKENS}
            tokens={tokens}
            places={[{ value: "", label: "everything" }, ...projects.flatMap(placesOf)]}
            typed={typed}
            faults={faults}
          />
        </>
      ),
    };
  };

  get(TOKENS, "admin", () => show());
  post(TOKENS, "admin", async (c, fields) => {
    const typed = tokenFieldsIn(fields);
    return submit(
      async () => {
        const created = await createToken(app, c.get("caller"), newToken(typed, app.now()));
        return tokenPage(created, { to: TOKENS, label: "Tokens" }, "access");
      },
      async (faults) => ({ ...(await show(typed, faults)), status: 400 }),
      { invalid: "name", conflict: "name" },
    );
  });
  post(`${TOKENS}/:token`, "admin", async (c, fields, { token }) => {
    await revokeToken(app, c.get("caller"), token, textOrNull(fields, "project") ?? undefined);
    return { to: TOKENS, text: `Revoked ${token}` };
  });
}

function placesOf({ slug, environments }: Project) {
  return [
    { value: slug, label: `project ${slug}` },
    ...environments.map((each) => ({ value: `${slug}/${each.slug}`, label: `${slug}, ${each.slug}` })),
  ];
}
