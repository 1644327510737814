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
import { QrCode, userPath } from "./parts.tsx";
import { userPage } from "./user-page.tsx";
import { type Failed, PAGE, usersPage } from "./users-page.tsx";

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
