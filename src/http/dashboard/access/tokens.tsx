import type { Project } from "../../../projects/project.ts";
import { tokens as operations } from "../../../operations/access/tokens.ts";
import { textOrNull } from "../fields.ts";
import type { Page } from "../page.tsx";
import type { Faults } from "../parts/submit.ts";
import type { Dashboard } from "../routes.ts";
import { AccessTabs } from "./parts.tsx";
import { BLANK_TOKEN, TOKEN_FAULTS, TokenList, newToken, tokenFieldsIn, tokenPage } from "./token-parts.tsx";

const TOKENS = "/access/tokens";

export function tokenRoutes({ app, get, post, act }: Dashboard) {
  const show = async (typed = BLANK_TOKEN, faults: Faults = {}): Promise<Page> => {
    const [tokens, projects] = [await app.store.tokens.list(), await app.store.projects.list()];
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
  post(
    TOKENS,
    "admin",
    act({
      operation: operations.create,
      input: ({ fields }) => ({ body: newToken(tokenFieldsIn(fields), app.now()) }),
      done: (created) => tokenPage(created, { to: TOKENS, label: "Tokens" }, "access"),
      again: ({ fields }, faults) => show(tokenFieldsIn(fields), faults),
      at: TOKEN_FAULTS,
    }),
  );
  post(
    `${TOKENS}/:token`,
    "admin",
    act({
      operation: operations.revoke,
      input: ({ fields, names: { token } }) => ({
        names: { name: token },
        query: { project: textOrNull(fields, "project") ?? undefined },
      }),
      done: (_, { names: { token } }) => ({ to: TOKENS, text: `Revoked ${token}` }),
    }),
  );
}

function placesOf({ slug, environments }: Project) {
  return [
    { value: slug, label: `project ${slug}` },
    ...environments.map((each) => ({ value: `${slug}/${each.slug}`, label: `${slug}, ${each.slug}` })),
  ];
}
