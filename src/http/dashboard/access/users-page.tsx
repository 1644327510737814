import { encode } from "uqr";
import { ROLES, type Role } from "../../../access/role.ts";
import type { Session } from "../../../access/session.ts";
import type { User } from "../../../access/user.ts";
import { sentence } from "../error-page.tsx";
import type { Page } from "../page.tsx";
import { SelectField, TextField } from "../parts/field.tsx";
import { CopyButton, Button, ButtonForm, ButtonLink, Form } from "../parts/link.tsx";
import { Badge, Notice } from "../parts/status.tsx";
import { Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { useView } from "../view.ts";
import { AccessTabs } from "./access-tabs.tsx";
import { SessionTable } from "./session-table.tsx";

/** What each role may do, in words. */
const ROLE_TEXTS: Record<Role, string> = {
  viewer: "viewer: reads everything",
  inbox: "inbox: works with forms and submissions",
  editor: "editor: also changes flags",
  releaser: "releaser: also changes flags in locked environments",
  admin: "admin: everything",
};

const ROLE_OPTIONS = ROLES.map((role) => ({ value: role, label: ROLE_TEXTS[role] }));

/** What was refused: a new user as typed, the deletion of one, or something else. */
type Failed = { typed?: { name: string; role: Role }; deleted?: string; message: string };

export function usersPage(users: readonly User[], sessions: readonly Session[], failed?: Failed): Page {
  return {
    title: "Users",
    section: "access",
    topics: ["setup"],
    commands: [
      { label: "List users", text: "formflag users list" },
      { label: "Create one", text: "formflag users create ann --role editor\nformflag users link ann" },
      { label: "Sessions", text: "formflag sessions list" },
    ],
    content: (
      <>
        <AccessTabs current="users" />
        {failed && !failed.typed && failed.deleted === undefined && (
          <Notice tone="bad">
            <p>{sentence(failed.message)}</p>
          </Notice>
        )}
        <Table
          caption="Users"
          rows={users}
          keyOf={({ name }) => `user-${name}`}
          columns={[
            { label: "User", heading: true, cell: ({ name }) => name },
            { label: "Role", cell: (user) => <RoleForm user={user} /> },
            { label: "Password", cell: ({ hasPassword }) => (hasPassword ? "set" : <Badge>none</Badge>) },
            { label: "Created", cell: ({ createdAt }) => <Time at={Date.parse(createdAt)} /> },
            {
              label: "Actions",
              isLabelUnseen: true,
              cell: (user) => (
                <UserActions
                  user={user}
                  fault={failed?.deleted === user.name ? sentence(failed.message) : undefined}
                />
              ),
            },
          ]}
        />
        <Form to="/access/users" class="card" id="new-user" label="Create a user">
          <h2>Create a user</h2>
          <div class="columns">
            <TextField
              name="name"
              label="Name"
              id="new-name"
              value={failed?.typed?.name}
              error={failed?.typed && sentence(failed.message)}
              required
            />
            <SelectField
              name="role"
              label="Role"
              id="new-role"
              options={ROLE_OPTIONS}
              value={failed?.typed?.role ?? "viewer"}
            />
          </div>
          <div class="buttons">
            <Button kind="primary" icon="plus">
              Create the user
            </Button>
          </div>
        </Form>
        <section class="stack" aria-labelledby="sessions">
          <h2 id="sessions">Signed-in browsers</h2>
          <SessionTable sessions={sessions} from="users" />
        </section>
      </>
    ),
  };
}

const pathOf = ({ name }: User) => `/access/users/${encodeURIComponent(name)}`;

function RoleForm({ user }: { user: User }) {
  const id = `role-${user.name}`;
  return (
    <Form to={pathOf(user)} values={{ do: "role" }} class="actions" id={`form-${id}`}>
      <label class="unseen" for={id}>{`Role of ${user.name}`}</label>
      <select id={id} name="role" class="short">
        {ROLES.map((role) => (
          <option value={role} selected={role === user.role}>
            {role}
          </option>
        ))}
      </select>
      <Button kind="quiet" label={`Save the role of ${user.name}`}>
        Save
      </Button>
    </Form>
  );
}

function UserActions({ user, fault }: { user: User; fault: string | undefined }) {
  const { caller } = useView();
  return (
    <div class="actions">
      <ButtonForm
        to={pathOf(user)}
        values={{ do: "link" }}
        kind="quiet"
        icon="key"
        label={`Sign-in link for ${user.name}`}
      >
        Sign-in link
      </ButtonForm>
      {caller?.name !== user.name && (
        <details open={fault !== undefined}>
          <summary>
            Delete…<span class="unseen"> {user.name}</span>
          </summary>
          <Form to={pathOf(user)} values={{ do: "delete" }} class="stack">
            <TextField
              name="name"
              id={`delete-${user.name}`}
              label={`Type ${user.name} to confirm`}
              error={fault}
              required
            />
            <div class="buttons">
              <Button kind="danger" icon="trash">{`Delete ${user.name}`}</Button>
            </div>
          </Form>
        </details>
      )}
    </div>
  );
}

/** Shows a link that signs a user in once, with its QR code. */
export function linkPage({ name, url, expiresAt }: { name: string; url: string; expiresAt: string }): Page {
  return {
    title: `Sign-in link for ${name}`,
    section: "access",
    isSecret: true,
    back: { to: "/access/users", label: "Users" },
    commands: [{ label: "The same", text: `formflag users link ${name}` }],
    content: (
      <div class="stack narrow">
        <p>
          This link signs in {name}, once, until <Time at={Date.parse(expiresAt)} />. It is shown this one
          time.
        </p>
        <pre id="link" tabindex={0}>
          {url}
        </pre>
        <QrCode text={url} label={`QR code of the sign-in link for ${name}`} />
        <div class="buttons">
          <CopyButton of="#link" />
          <ButtonLink to="/access/users" kind="primary">
            Done
          </ButtonLink>
        </div>
      </div>
    ),
  };
}

function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: 2 });
  const path = data
    .flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
    .join("");
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <rect width={size} height={size} class="light" />
      <path d={path} class="dark" />
    </svg>
  );
}
