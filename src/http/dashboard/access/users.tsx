import { isFresh, signInAgain } from "../../../access/factors/factor.ts";
import { listSessions } from "../../../access/sessions.ts";
import type { User } from "../../../access/user.ts";
import { findUser } from "../../../access/users.ts";
import type { App } from "../../../app.ts";
import { AppError } from "../../../base/errors.ts";
import { MAX_PAGE } from "../../../base/pages.ts";
import { users } from "../../../operations/access/users.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { chosenOf, searchIn, textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { secretPage } from "../parts/secret.tsx";
import { submit } from "../parts/submit.ts";
import type { Dashboard, Done } from "../routes.ts";
import { Time } from "../parts/time.tsx";
import { QrCode, userPath, AccessTabs, SessionTable, roleOptions } from "./parts.tsx";
import { userPage } from "./user-page.tsx";
import type { Session } from "../../../access/session.ts";
import { USER_ROLES } from "../../../access/role.ts";
import { Empty } from "../parts/card.tsx";
import { SelectField, TextField } from "../parts/field.tsx";
import { A, Button, Form } from "../parts/link.tsx";
import { List, SEARCHED, Search } from "../parts/list.tsx";
import { Badge, Notice } from "../parts/status.tsx";
import { UserRoleForm, UserActions } from "./user-page.tsx";

const REFUSED = { role: "form", name: "form", invalid: "form", conflict: "form" };

export function userRoutes({ app, options, get, post, perform }: Dashboard) {
  const show = async (c: DashboardContext, failed?: Failed) => {
    const search = searchIn(c);
    const after = c.req.query("after") || null;
    const [found, sessions] = await Promise.all([
      findUsers(app, search, after ?? undefined),
      listSessions(app, c.get("caller"), null),
    ]);
    const users = found.slice(0, PAGE);
    const next = found.length > PAGE ? users.at(-1)!.name : null;
    return usersPage({ users, search, after, next, sessions, failed });
  };
  const showOne = async (c: DashboardContext, name: string, failed?: Failed) => {
    const user = await findUser(app, name);
    const [memberships, identity = null, sessions] = await Promise.all([
      app.store.members.ofUser(name),
      app.store.identities.ofUser(name),
      listSessions(app, c.get("caller"), name),
    ]);
    const provider = options.oidc?.rules.name ?? null;
    return userPage({ user, memberships, identity, provider, sessions, failed });
  };

  get("/access/users", "admin", (c) => show(c));
  post("/access/users", "admin", async (c, fields) => {
    const typed = { name: textOf(fields, "name").trim(), role: textOf(fields, "role") };
    return submit(
      async () => {
        const { name } = await perform(c, users.create, { body: typed });
        return { to: "/access/users", text: `Created ${name}. A link lets them sign in.` };
      },
      async ({ form: fault = "" }) => ({ ...(await show(c, { typed, fault })), status: 400 }),
      REFUSED,
    );
  });
  get("/access/users/:user", "admin", (c, { user }) => showOne(c, user));
  post("/access/users/:user", "admin", (c, fields, names) => {
    const { user } = names;
    const [isOnOwn, act] = [textOf(fields, "on") === "user", textOf(fields, "do")];
    const to = isOnOwn ? userPath(user) : "/access/users";
    const acts: Record<string, () => Promise<Done | Page>> = {
      async role() {
        const { role } = await perform(c, users.set, { names, body: { role: textOf(fields, "role") } });
        return { to, text: `${user} is ${role} now` };
      },
      link: async () => linkPage(await perform(c, users.link, { body: { name: user } })),
      async reset() {
        if (!isFresh(c.get("session")!.signedIn.session, app.now())) throw signInAgain();
        await perform(c, users.reset, { names });
        return { to, text: `Removed every second factor of ${user}` };
      },
      async delete() {
        if (textOf(fields, "name").trim() !== user)
          throw new AppError("invalid", `that is not ${user}: no user was deleted`);
        await perform(c, users.delete, { names });
        return { to: "/access/users", text: `Deleted ${user}` };
      },
    };
    return submit(
      chosenOf(acts, fields),
      async ({ form: fault = "" }) => {
        const failed = { fault, ...(act === "delete" && { deleted: user }) };
        return { ...(await (isOnOwn ? showOne(c, user, failed) : show(c, failed))), status: 409 };
      },
      REFUSED,
    );
  });
}

/** The users behind one whose names hold a text, by name: those of a page, and one more if there are more. */
async function findUsers({ store }: App, search: string, after?: string): Promise<User[]> {
  const words = search.toLowerCase();
  const found: User[] = [];
  for (let behind = after; found.length <= PAGE;) {
    const { items, more } = await store.users.page({
      limit: search === "" ? PAGE + 1 : MAX_PAGE,
      after: behind,
    });
    found.push(...items.filter(({ name }) => name.toLowerCase().includes(words)));
    if (!more) break;
    behind = items.at(-1)!.name;
  }
  return found;
}

/** Shows a link that signs a user in once, with its QR code. */
function linkPage({ name, url, expiresAt }: { name: string; url: string; expiresAt: string }): Page {
  return secretPage({
    title: `Sign-in link for ${name}`,
    section: "access",
    back: { to: "/access/users", label: "Users" },
    commands: [["The same", "users link", name]],
    id: "link",
    secret: url,
    about: (
      <p>
        This link ends <Time at={Date.parse(expiresAt)} /> and signs in {name}, once. It is shown this one
        time.
      </p>
    ),
    shown: <QrCode text={url} label={`QR code of the sign-in link for ${name}`} />,
  });
}

/** A refused action: the new user as typed, the user to delete, or neither, with the error. */
export type Failed = { typed?: { name: string; role: string }; deleted?: string; fault: string };

/** Users on one page, and sessions that it shows. */
const PAGE = 50;

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
function usersPage({ users, search, after, next, sessions, failed }: Shown): Page {
  return {
    title: "Users",
    section: "access",
    topics: ["setup"],
    commands: [
      ["List users", "users list"],
      ["Create one", "users create ann --role editor\nformflag users link ann"],
      ["Sessions", "sessions list"],
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
            { label: "Role", cell: (user) => <UserRoleForm user={user} on="users" /> },
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
              options={roleOptions(USER_ROLES)}
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
