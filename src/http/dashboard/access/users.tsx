import { isFresh, signInAgain } from "../../../access/factors/factor.ts";
import { resetFactors } from "../../../access/factors/factors.ts";
import { USER_ROLES, type UserRole } from "../../../access/role.ts";
import { listSessions } from "../../../access/sessions.ts";
import type { User } from "../../../access/user.ts";
import { createLink, createUser, deleteUser, findUser, setRole } from "../../../access/users.ts";
import type { App } from "../../../app.ts";
import { AppError } from "../../../base/errors.ts";
import { MAX_PAGE } from "../../../base/pages.ts";
import { dashboardLink } from "../../paths.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { type Fields, oneOf, searchIn, textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { secretPage } from "../parts/secret.tsx";
import { submit } from "../parts/submit.ts";
import type { Dashboard } from "../routes.ts";
import { Time } from "../parts/time.tsx";
import { QrCode, userPath } from "./parts.tsx";
import { userPage } from "./user-page.tsx";
import { type Failed, PAGE, usersPage } from "./users-page.tsx";

const REFUSED = { invalid: "form", conflict: "form", unauthenticated: "form" };

export function userRoutes({ app, options, get, post }: Dashboard) {
  const show = async (c: DashboardContext, failed?: Failed) => {
    const search = searchIn(c);
    const after = c.req.query("after") || null;
    const found = await findUsers(app, search, after ?? undefined);
    const users = found.slice(0, PAGE);
    const next = found.length > PAGE ? users.at(-1)!.name : null;
    const sessions = await listSessions(app, c.get("caller"), null);
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

function roleIn(fields: Fields): UserRole {
  return oneOf("a role", USER_ROLES, textOf(fields, "role"));
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
        This link ends <Time at={Date.parse(expiresAt)} /> and signs in {name}, once. It is shown this one
        time.
      </p>
    ),
    shown: <QrCode text={url} label={`QR code of the sign-in link for ${name}`} />,
  });
}
