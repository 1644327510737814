import { hostOfRedirect } from "../../../access/oauth/client.ts";
import type { OAuthGrant } from "../../../access/oauth/grant.ts";
import type { DashboardOptions } from "../dashboard-env.ts";
import { Empty } from "../parts/card.tsx";
import { AskingButton } from "../parts/danger.tsx";
import { A } from "../parts/link.tsx";
import { Table } from "../parts/table.tsx";
import { Foreign } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { userPath } from "./parts.tsx";

/** Grants as a page lists them: null where no assistants are served, and none are left of the time when they were. */
export function shownGrants(
  grants: readonly OAuthGrant[],
  served: DashboardOptions["assistants"],
): readonly OAuthGrant[] | null {
  return served === null && grants.length === 0 ? null : grants;
}

/** Assistants that act for a user, or for anyone, each with a button that ends it; `from` is the page to come back to. */
export function Assistants({
  grants,
  from,
}: {
  grants: readonly OAuthGrant[];
  from: "me" | "users" | "user";
}) {
  return (
    <section class="stack" aria-labelledby="assistants">
      <h2 id="assistants">Assistants</h2>
      {grants.length === 0 ? (
        <Empty title="No assistant is signed in" />
      ) : (
        <GrantTable grants={grants} from={from} />
      )}
    </section>
  );
}

function GrantTable({ grants, from }: { grants: readonly OAuthGrant[]; from: "me" | "users" | "user" }) {
  return (
    <Table
      caption="Assistants"
      rows={grants}
      keyOf={({ id }) => `grant-${id}`}
      columns={[
        {
          label: "Assistant",
          heading: true,
          cell: ({ clientName, redirect }) => (
            <>
              <Foreign text={clientName} /> <span class="soft small">{hostOfRedirect(redirect)}</span>
            </>
          ),
        },
        ...(from === "users"
          ? [{ label: "User", cell: ({ user }: OAuthGrant) => <A to={userPath(user)}>{user}</A> }]
          : []),
        { label: "Rights", cell: ({ scopes }) => scopes.join(", ") },
        {
          label: "In",
          cell: ({ project, environment }) =>
            project === null
              ? "every project"
              : environment === null
                ? project
                : `${project}, ${environment}`,
        },
        { label: "Since", cell: ({ createdAt }) => <Time at={createdAt} /> },
        { label: "Last used", cell: ({ usedAt }) => <Time at={usedAt} /> },
        {
          label: "Actions",
          isLabelUnseen: true,
          cell: ({ id, user, clientName }) => (
            <AskingButton
              to={`/me/grants/${id}`}
              values={{ from, user: from === "user" ? user : null }}
              kind="quiet"
              label={`End ${clientName} of ${user}`}
              question={`The assistant can do nothing more for ${user}, until the next sign-in.`}
              confirm="End this assistant"
            >
              End…
            </AskingButton>
          ),
        },
      ]}
    />
  );
}
