import type { Identity } from "../../../access/oidc/identity-store.ts";
import type { Membership } from "../../../access/members/member.ts";
import type { OAuthGrant } from "../../../access/oauth/grant.ts";
import type { Session } from "../../../access/session.ts";
import type { User } from "../../../access/user.ts";
import type { Page } from "../page.tsx";
import { Empty } from "../parts/card.tsx";
import { SelectField } from "../parts/field.tsx";
import { Fold } from "../parts/fold.tsx";
import { A, Button, ButtonForm, Form } from "../parts/link.tsx";
import { Fault } from "../parts/status.tsx";
import { Table } from "../parts/table.tsx";
import { Foreign } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { projectPath } from "../paths.ts";
import { Assistants } from "./grants.tsx";
import { SessionTable, membershipText, roleOptions, userPath, waysInWords } from "./parts.tsx";
import { ROLE_WORDS, USER_ROLES } from "../../../access/role.ts";
import { AskingButton, Danger } from "../parts/danger.tsx";
import { useView } from "../view.ts";

type Shown = {
  user: User;
  memberships: readonly Membership[];
  identity: Identity | null;
  /** The name of the server's OpenID provider; null without one. */
  provider: string | null;
  /** The one seen last comes first. */
  sessions: readonly Session[];
  /** Null if none are shown. */
  grants: readonly OAuthGrant[] | null;
  /** A refused action: its error, and whether it was the deletion. */
  failed: { isDeletion: boolean; fault: string } | undefined;
};

/** One user: role, projects, factors and sessions. */
export function userPage({ user, memberships, identity, provider, sessions, grants, failed }: Shown): Page {
  const { name, createdAt } = user;
  return {
    title: `User ${name}`,
    heading: name,
    section: "access",
    back: { to: "/access/users", label: "Access" },
    actions: (
      <ButtonForm
        to={userPath(name)}
        values={{ do: "link" }}
        kind="primary"
        icon="key"
        label={`Sign-in link for ${name}`}
      >
        Sign-in link
      </ButtonForm>
    ),
    lead: (
      <>
        Created <Time at={Date.parse(createdAt)} />
        {sessions[0] ? (
          <>
            , seen <Time at={sessions[0].seenAt} />
          </>
        ) : (
          ", not signed in"
        )}
        .{" "}
        <A to="/audit" query={{ who: name }}>
          What {name} did
        </A>
      </>
    ),
    topics: ["setup"],
    commands: [
      ["Show the user", "users get", name],
      ["Sessions", "sessions list", { user: name }],
    ],
    content: (
      <>
        {!failed?.isDeletion && <Fault message={failed?.fault} />}
        <section class="card flush" aria-label={name}>
          <div class="rows">
            <RoleFold user={user} />
            <WaysFold user={user} provider={identity ? null : provider} />
            {identity && (
              <Fold name="Account" sentence={<Foreign text={identity.subject} />} act="Show">
                <p>
                  At <Foreign text={identity.issuer} />
                </p>
              </Fold>
            )}
            <DeleteFold user={user} fault={failed?.isDeletion ? failed.fault : undefined} />
          </div>
        </section>
        <section class="stack" aria-labelledby="memberships">
          <h2 id="memberships">Projects</h2>
          {memberships.length === 0 ? (
            <Empty title="A member of no project" />
          ) : (
            <Table
              caption="Projects"
              rows={memberships}
              keyOf={({ project, source }) => `member-${project}-${source}`}
              columns={[
                {
                  label: "Project",
                  heading: true,
                  cell: ({ project }) => <A to={`${projectPath(project)}/members`}>{project}</A>,
                },
                { label: "Role", cell: membershipText },
                {
                  label: "Given by",
                  cell: ({ source }) => (source === "oidc" ? "a group of the provider" : "hand"),
                },
              ]}
            />
          )}
        </section>
        <section class="stack" aria-labelledby="sessions">
          <h2 id="sessions">Sessions</h2>
          {sessions.length === 0 ? (
            <Empty title="Signed in nowhere" />
          ) : (
            <SessionTable sessions={sessions} from="user" />
          )}
        </section>
        {grants && <Assistants grants={grants} from="user" />}
      </>
    ),
  };
}

function RoleFold({ user: { name, role } }: { user: User }) {
  return (
    <Fold
      name="Role"
      sentence={
        <>
          {role} <span class="soft small">{ROLE_WORDS[role]}</span>
        </>
      }
    >
      <Form to={userPath(name)} values={{ do: "role" }} class="editor" id="role" label={`Role of ${name}`}>
        <SelectField
          name="role"
          id={`role-${name}`}
          label={`Role of ${name}`}
          options={roleOptions(USER_ROLES)}
          value={role}
        />
        <p class="buttons">
          <Button label={`Save the role of ${name}`}>Save</Button>
        </p>
      </Form>
    </Fold>
  );
}

/** `provider` is the name of a provider at which the user has no account yet. */
function WaysFold({ user, provider }: { user: User; provider: string | null }) {
  const { name, secondFactors } = user;
  const to = userPath(name);
  return (
    <Fold name="Signs in by" sentence={waysInWords(user)} act="Help" isOpen={provider !== null}>
      <div class="editor">
        {provider !== null && (
          <p class="soft">
            {name} signs in by {provider} once the account there is connected: send {name} a sign-in link, and
            Connect is on the page You. Without that, the sign-in by {provider} says that the name is taken.
          </p>
        )}
        <p class="soft">
          A sign-in link lets {name} in once. A password and passkeys are set by {name}, on the page You.
        </p>
        {secondFactors.length > 0 && (
          <AskingButton
            to={to}
            values={{ do: "reset" }}
            label={`Remove the second factors of ${name}`}
            question={`${name} is signed out everywhere, and signs in by password or link alone until another factor is set up.`}
            confirm={`Remove the second factors of ${name}`}
          >
            Reset factors…
          </AskingButton>
        )}
      </div>
    </Fold>
  );
}

/** Users do not delete themselves; `fault` is why it was not done. */
function DeleteFold({ user: { name }, fault }: { user: User; fault: string | undefined }) {
  if (useView().caller?.name === name) return null;
  return (
    <Fold
      name="Delete"
      sentence={<span class="soft">{name} is signed out everywhere, and loses every project.</span>}
      act="Delete…"
      isOpen={fault !== undefined}
    >
      <Danger
        to={userPath(name)}
        values={{ do: "delete" }}
        words={[{ name: "name", word: name, id: `delete-${name}`, fault }]}
        icon="trash"
        act={`Delete ${name}`}
      />
    </Fold>
  );
}
