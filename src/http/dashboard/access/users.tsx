import { isFresh, signInAgain } from "../../../access/factors/factor.ts";
import { resetFactors } from "../../../access/factors/factors.ts";
import { USER_ROLES, type UserRole } from "../../../access/role.ts";
import type { Session } from "../../../access/session.ts";
import { listSessions } from "../../../access/sessions.ts";
import type { User } from "../../../access/user.ts";
import { createLink, createUser, deleteUser, findUser, setRole } from "../../../access/users.ts";
import { AppError } from "../../../base/errors.ts";
import { MAX_PAGE } from "../../../base/pages.ts";
import { dashboardLink } from "../../paths.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { type Fields, oneOf, textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { secretPage } from "../parts/secret.tsx";
import { submit } from "../parts/submit.ts";
import type { Dashboard } from "../routes.ts";
import { SelectField, TextField } from "../parts/field.tsx";
import { A, Button, Form } from "../parts/link.tsx";
import { Badge, Notice } from "../parts/status.tsx";
import { Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { RoleForm, UserActions } from "./user-actions.tsx";
import { AccessTabs, QrCode, SessionTable, userPath } from "./parts.tsx";
import { userPage } from "./user-page.tsx";

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
type Failed = { typed?: { name: string; role: UserRole }; deleted?: string; fault: string };

const REFUSED = { invalid: "form", conflict: "form", unauthenticated: "form" };

export function userRoutes({ app, options, get, post }: Dashboard) {
  const show = async (c: DashboardContext, failed?: Failed) =>
    usersPage(
      (await app.store.users.page({ limit: MAX_PAGE })).items,
      await listSessions(app, c.get("caller"), null),
      failed,
    );
  const showOne = async (c: DashboardContext, name: string, failed?: Failed) => {
    const user = await findUser(app, name);
    const [memberships, identity = null, sessions] = await Promise.all([
      app.store.members.ofUser(name),
      app.store.identities.ofUser(name),
      listSessions(app, c.get("caller"), name),
    ]);
    return userPage({ user, memberships, identity, sessions, failed });
  };
  /** A link is absolute. The origin was checked: behind a proxy with TLS it has the scheme that the browser uses. */
  const baseOf = (c: DashboardContext) =>
    options.dashboardUrl ?? (c.req.header("origin") ?? new URL(c.req.url).origin) + options.basePath;

  get("/access/users", "admin", (c) => show(c));
  post("/access/users", "admin", async (c, fields) => {
    const typed = { name: textOf(fields, "name").trim(), role: roleIn(fields) };
    return submit(
      async () => {
        const { name } = await createUser(app, c.get("caller"), typed);
        return { to: "/access/users", text: `Created ${name}. A link lets them sign in.` };
      },
      async ({ form: fault = "" }) => ({ ...(await show(c, { typed, fault })), status: 400 }),
      REFUSED,
    );
  });
  get("/access/users/:user", "admin", (c, { user }) => showOne(c, user));
  post("/access/users/:user", "admin", async (c, fields, { user: name }) => {
    const [caller, act] = [c.get("caller"), textOf(fields, "do")];
    const isOnOwn = textOf(fields, "on") === "user";
    const to = isOnOwn ? userPath(name) : "/access/users";
    return submit(
      async () => {
        switch (act) {
          case "role": {
            const { user } = await setRole(app, caller, name, roleIn(fields));
            return { to, text: `${user.name} is ${user.role} now` };
          }
          case "link": {
            const { secret, expiresAt } = await createLink(app, caller, name);
            return linkPage({ name, url: dashboardLink(baseOf(c), secret), expiresAt });
          }
          case "reset": {
            if (!isFresh(c.get("session")!.signedIn.session, app.now())) throw signInAgain();
            const { user } = await resetFactors(app, caller, name);
            return { to, text: `Removed every second factor of ${user.name}` };
          }
          case "delete":
            if (textOf(fields, "name").trim() !== name)
              throw new AppError("invalid", `that is not ${name}: no user was deleted`);
            await deleteUser(app, caller, name);
            return { to: "/access/users", text: `Deleted ${name}` };
          default:
            throw new AppError("invalid", "the form names no action: load the page again");
        }
      },
      async ({ form: fault = "" }) => {
        const failed = { fault, ...(act === "delete" && { deleted: name }) };
        return { ...(await (isOnOwn ? showOne(c, name, failed) : show(c, failed))), status: 409 };
      },
      REFUSED,
    );
  });
}

function roleIn(fields: Fields): UserRole {
  return oneOf("a role", USER_ROLES, textOf(fields, "role"));
}

function usersPage(users: readonly User[], sessions: readonly Session[], failed?: Failed): Page {
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
        <Table
          caption="Users"
          rows={users}
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
          <SessionTable sessions={sessions} from="users" />
        </section>
      </>
    ),
  };
}

/** Shows a link that signs a user in once, with its QR code. */
function linkPage({ name, url, expiresAt }: { name: string; url: string; expiresAt: string }): Page {
  return secretPage({
    title: `Sign-in link for ${name}`,
    section: "access",
    back: { to: "/access/users", label: "Users" },
    commands: [{ label: "The same", text: `formflag users link ${name}` }],
    id: "link",
    secret: url,
    about: (
      <p>
        This link signs in {name}, once, until <Time at={Date.parse(expiresAt)} />. It is shown this one time.
      </p>
    ),
    shown: <QrCode text={url} label={`QR code of the sign-in link for ${name}`} />,
  });
}
