import type { Session } from "../../../access/session.ts";
import { USER_ROLES, type UserRole } from "../../../access/role.ts";
import type { User } from "../../../access/user.ts";
import type { Page } from "../page.tsx";
import { Empty } from "../parts/card.tsx";
import { SelectField, TextField } from "../parts/field.tsx";
import { A, Button, Form } from "../parts/link.tsx";
import { List, SEARCHED } from "../parts/list.tsx";
import { Search } from "../parts/search.tsx";
import { Badge, Notice } from "../parts/status.tsx";
import { Time } from "../parts/time.tsx";
import { AccessTabs, SessionTable, userPath } from "./parts.tsx";
import { RoleForm, UserActions } from "./user-actions.tsx";

/** Description of each role's permissions. */
const ROLE_TEXTS: Record<UserRole, string> = {
  viewer: "viewer: reads everything",
  inbox: "inbox: works with forms and submissions",
  editor: "editor: also changes flags",
  releaser: "releaser: also changes flags in locked environments",
  admin: "admin: everything",
  none: "none: only projects of which they are a member",
};

const ROLE_OPTIONS = USER_ROLES.map((role) => ({ value: role, label: ROLE_TEXTS[role] }));

/** A refused action: the new user as typed, the user to delete, or neither, with the error. */
export type Failed = { typed?: { name: string; role: string }; deleted?: string; fault: string };

/** Users on one page, and sessions that it shows. */
export const PAGE = 50;

type Shown = {
  users: readonly User[];
  search: string;
  after: string | null;
  next: string | null;
  /** The one seen last comes first. */
  sessions: readonly Session[];
  failed: Failed | undefined;
};

/** The users, by name, and who is signed in. */
export function usersPage({ users, search, after, next, sessions, failed }: Shown): Page {
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
            <p>{failed.fault}</p>
          </Notice>
        )}
        {(search !== "" || after !== null || users.length >= SEARCHED) && (
          <Search to="/access/users" search={search} label="Search users" placeholder="Name" />
        )}
        <List
          caption="Users"
          empty={<Empty title="No user has such a name" />}
          rows={users}
          pages={{
            to: "/access/users",
            query: { q: search },
            isLater: after !== null,
            next: next !== null && { after: next },
          }}
          keyOf={({ name }) => `user-${name}`}
          columns={[
            { label: "User", heading: true, cell: ({ name }) => <A to={userPath(name)}>{name}</A> },
            { label: "Role", cell: (user) => <RoleForm user={user} on="users" /> },
            { label: "Password", cell: ({ hasPassword }) => (hasPassword ? "set" : <Badge>none</Badge>) },
            {
              label: "Second factors",
              cell: ({ secondFactors }) => secondFactors.join(", ") || <Badge>none</Badge>,
            },
            { label: "Created", cell: ({ createdAt }) => <Time at={Date.parse(createdAt)} /> },
            {
              label: "Actions",
              isLabelUnseen: true,
              cell: (user) => (
                <UserActions
                  user={user}
                  fault={failed?.deleted === user.name ? failed.fault : undefined}
                  on="users"
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
              error={failed?.typed && failed.fault}
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
          <h2 id="sessions">Who is signed in</h2>
          <SessionTable sessions={sessions.slice(0, PAGE)} from="users" />
          {sessions.length > PAGE && (
            <p class="soft">
              The {PAGE} seen last of {sessions.length.toLocaleString("en")}. The page of a user shows the
              sessions of that user.
            </p>
          )}
        </section>
      </>
    ),
  };
}
