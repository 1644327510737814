import type { Identity } from "../../../access/oidc/identity-store.ts";
import type { Membership } from "../../../access/members/member.ts";
import type { Session } from "../../../access/session.ts";
import type { User } from "../../../access/user.ts";
import type { Page } from "../page.tsx";
import { Empty, Facts } from "../parts/card.tsx";
import { A, Button, ButtonForm, Form } from "../parts/link.tsx";
import { Badge, Notice } from "../parts/status.tsx";
import { Table } from "../parts/table.tsx";
import { Foreign } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { projectPath } from "../paths.ts";
import { SessionTable, membershipText, roleOptions, userPath, waysInWords } from "./parts.tsx";
import { USER_ROLES } from "../../../access/role.ts";
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
  /** A refused action: its error, and whether it was the deletion. */
  failed: { isDeletion: boolean; fault: string } | undefined;
};

/** One user: role, projects, factors and sessions. */
export function userPage({ user, memberships, identity, provider, sessions, failed }: Shown): Page {
  const { name, createdAt } = user;
  return {
    title: `User ${name}`,
    heading: name,
    section: "access",
    back: { to: "/access/users", label: "Users" },
    topics: ["setup"],
    commands: [
      ["Show the user", "users get", name],
      ["Sessions", "sessions list", { user: name }],
    ],
    content: (
      <>
        {failed && !failed.isDeletion && (
          <Notice tone="bad">
            <p>{failed.fault}</p>
          </Notice>
        )}
        <Facts
          class="row"
          facts={[
            ["Role in every project", <RoleForm user={user} />],
            ["Signs in by", waysInWords(user)],
            identity && ["Account", <Foreign text={`${identity.subject} at ${identity.issuer}`} />],
            !identity && provider !== null && [`Account at ${provider}`, <Badge>not connected</Badge>],
            ["Created", <Time at={Date.parse(createdAt)} />],
            ["Last seen", sessions[0] ? <Time at={sessions[0].seenAt} /> : "not signed in"],
          ]}
        />
        {!identity && provider !== null && (
          <p class="soft">
            {name} signs in by {provider} once the account there is connected: send {name} a sign-in link, and
            Connect is on the page You. Without that, the sign-in by {provider} says that the name is taken.
          </p>
        )}
        <UserActions user={user} fault={failed?.isDeletion ? failed.fault : undefined} />
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
      </>
    ),
  };
}

/** Changes the role of a user. */
function RoleForm({ user: { name, role } }: { user: User }) {
  const id = `role-${name}`;
  return (
    <Form to={userPath(name)} values={{ do: "role" }} class="actions together" id={`form-${id}`}>
      <label class="unseen" for={id}>{`Role of ${name}`}</label>
      <select id={id} name="role" class="short">
        {roleOptions(USER_ROLES).map(({ value, label }) => (
          <option value={value} selected={value === role}>
            {label}
          </option>
        ))}
      </select>
      <Button kind="quiet" label={`Save the role of ${name}`}>
        Save
      </Button>
    </Form>
  );
}

/** Buttons for one user; `fault` is why it was not deleted. */
function UserActions({ user, fault }: { user: User; fault: string | undefined }) {
  const { caller } = useView();
  const to = userPath(user.name);
  return (
    <div class="actions">
      <ButtonForm
        to={to}
        values={{ do: "link" }}
        kind="quiet"
        icon="key"
        label={`Sign-in link for ${user.name}`}
      >
        Sign-in link
      </ButtonForm>
      {user.secondFactors.length > 0 && (
        <AskingButton
          to={to}
          values={{ do: "reset" }}
          kind="quiet"
          label={`Remove the second factors of ${user.name}`}
          question={`${user.name} is signed out everywhere, and signs in by password or link alone until another factor is set up.`}
          confirm={`Remove the second factors of ${user.name}`}
        >
          Reset factors…
        </AskingButton>
      )}
      {caller?.name !== user.name && (
        <details class="asking" open={fault !== undefined}>
          <summary class="button quiet">
            Delete…<span class="unseen"> {user.name}</span>
          </summary>
          <Danger
            to={to}
            values={{ do: "delete" }}
            words={[{ name: "name", word: user.name, id: `delete-${user.name}`, fault }]}
            icon="trash"
            act={`Delete ${user.name}`}
          />
        </details>
      )}
    </div>
  );
}
