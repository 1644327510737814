import { isFresh, signInAgain } from "../../../access/factors/factor.ts";
import { USER } from "../../../access/members/member-card.ts";
import { ROLE_WORDS, USER_ROLES, type UserRole } from "../../../access/role.ts";
import type { Session } from "../../../access/session.ts";
import type { OAuthGrant } from "../../../access/oauth/grant.ts";
import { listGrants } from "../../../access/oauth/grants.ts";
import { listSessions } from "../../../access/sessions.ts";
import type { User, UserCounts, UserFilter } from "../../../access/user.ts";
import { findUser } from "../../../access/users.ts";
import type { App } from "../../../app.ts";
import { AppError } from "../../../base/errors.ts";
import { MAX_PAGE } from "../../../base/pages.ts";
import { users } from "../../../operations/access/users.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { chosenOf, searchIn, textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { Empty } from "../parts/card.tsx";
import { CardFields, controlsOf, givenIn } from "../parts/kind-field.tsx";
import { A, Button, Form } from "../parts/link.tsx";
import { List, SEARCHED, Search } from "../parts/list.tsx";
import { secretPage } from "../parts/secret.tsx";
import { Chips } from "../parts/seg.tsx";
import { type Typed, submit } from "../parts/submit.ts";
import { Time } from "../parts/time.tsx";
import type { Dashboard, Done } from "../routes.ts";
import { AccessTabs, QrCode, SessionTable, userPath, waysInWords } from "./parts.tsx";
import { Assistants, shownGrants } from "./grants.tsx";
import { userPage } from "./user-page.tsx";

const USERS = "/access/users";

/** Users on one page, and sessions that it shows. */
const PAGE = 50;

export function userRoutes({ app, options, get, post, perform, act }: Dashboard) {
  const show = async (c: DashboardContext, typed: Typed | null = null) => {
    const [search, after] = [searchIn(c), c.req.query("after") || null];
    const filter = filterOf(c);
    const [found, counts, sessions, signedIn] = await Promise.all([
      findUsers(app, search, filter, after ?? undefined),
      app.store.users.counts(),
      listSessions(app, c.get("caller"), null),
      listGrants(app, c.get("caller"), null),
    ]);
    const users = found.slice(0, PAGE);
    const next = found.length > PAGE ? users.at(-1)!.name : null;
    const grants = shownGrants(signedIn, options.assistants);
    return usersPage({ users, search, filter, counts, after, next, sessions, grants, typed });
  };
  const showOne = async (
    c: DashboardContext,
    name: string,
    failed?: { isDeletion: boolean; fault: string },
  ) => {
    const user = await findUser(app, name);
    const [memberships, identity = null, sessions, signedIn] = await Promise.all([
      app.store.members.ofUser(name),
      app.store.identities.ofUser(name),
      listSessions(app, c.get("caller"), name),
      listGrants(app, c.get("caller"), name),
    ]);
    const provider = options.oidc?.rules.name ?? null;
    const grants = shownGrants(signedIn, options.assistants);
    return userPage({ user, memberships, identity, provider, sessions, grants, failed });
  };

  get(USERS, "admin", (c) => show(c));
  post(
    USERS,
    "admin",
    act({
      operation: users.create,
      input: ({ fields }) => ({ body: givenIn(USER, fields, app.now()) }),
      done: ({ name }) => ({ to: userPath(name), text: `Created ${name}. A link lets them sign in.` }),
      again: ({ c, fields }, faults) => show(c, { fields, faults }),
      at: { ...controlsOf(USER), invalid: "name", conflict: "name" },
    }),
  );
  get(`${USERS}/:user`, "admin", (c, { user }) => showOne(c, user));
  post(`${USERS}/:user`, "admin", (c, fields, names) => {
    const { user } = names;
    const isDeletion = textOf(fields, "do") === "delete";
    const acts: Record<string, () => Promise<Done | Page>> = {
      async role() {
        const { role } = await perform(c, users.set, { names, body: { role: textOf(fields, "role") } });
        return { to: userPath(user), text: `${user} is ${role} now` };
      },
      link: async () => linkPage(await perform(c, users.link, { body: { name: user } })),
      async reset() {
        if (!isFresh(c.get("session")!.signedIn.session, app.now())) throw signInAgain();
        await perform(c, users.reset, { names });
        return { to: userPath(user), text: `Removed every second factor of ${user}` };
      },
      async delete() {
        if (textOf(fields, "name").trim() !== user)
          throw new AppError("invalid", `that is not ${user}: no user was deleted`);
        await perform(c, users.delete, { names });
        return { to: USERS, text: `Deleted ${user}` };
      },
    };
    return submit(
      chosenOf(acts, fields),
      async ({ form: fault = "" }) => ({ ...(await showOne(c, user, { isDeletion, fault })), status: 409 }),
      { role: "form", name: "form", invalid: "form", conflict: "form" },
    );
  });
}

/** The filter in the query of the page; a role that does not exist selects nothing less. */
function filterOf(c: DashboardContext): UserFilter {
  const role = USER_ROLES.find((each) => each === c.req.query("role"));
  return { role, isWithoutWay: c.req.query("without") === "way" };
}

/** The users behind one whose names hold a text, by name: those of a page, and one more if there are more. */
async function findUsers(
  { store }: App,
  search: string,
  filter: UserFilter,
  after?: string,
): Promise<User[]> {
  const words = search.toLowerCase();
  const found: User[] = [];
  for (let behind = after; found.length <= PAGE;) {
    const limit = search === "" ? PAGE + 1 : MAX_PAGE;
    const { items, more } = await store.users.page({ ...filter, limit, after: behind });
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
    back: { to: userPath(name), label: name },
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

type Shown = {
  users: readonly User[];
  search: string;
  filter: UserFilter;
  counts: UserCounts;
  after: string | null;
  next: string | null;
  /** The one seen last comes first. */
  sessions: readonly Session[];
  /** As {@link shownGrants} returns them. */
  grants: readonly OAuthGrant[] | null;
  typed: Typed | null;
};

/** The users, by name, and who is signed in. */
function usersPage({ users, search, filter, counts, after, next, sessions, grants, typed }: Shown): Page {
  const seen = new Map(sessions.toReversed().map(({ user, seenAt }) => [user, seenAt]));
  return {
    title: "Access: users",
    heading: "Access",
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
        {(search !== "" || counts.all >= SEARCHED) && (
          <Search to={USERS} search={search} label="Search users" placeholder="Name" />
        )}
        {counts.all > 1 && <UserChips filter={filter} counts={counts} />}
        <List
          caption="Users"
          empty={<Empty title={search === "" ? "No user is like that" : "No user has such a name"} />}
          rows={users}
          pages={{
            to: USERS,
            query: { q: search, role: filter.role, without: filter.isWithoutWay ? "way" : null },
            isLater: after !== null,
            next: next !== null && { after: next },
          }}
          keyOf={({ name }) => `user-${name}`}
          columns={[
            { label: "User", heading: true, cell: ({ name }) => <A to={userPath(name)}>{name}</A> },
            {
              label: "May",
              cell: ({ role }) => (
                <>
                  {role} <span class="soft small">{ROLE_WORDS[role]}</span>
                </>
              ),
            },
            { label: "Signs in by", cell: waysInWords },
            {
              label: "Seen",
              cell: ({ name }) => {
                const at = seen.get(name);
                return at === undefined ? <span class="soft">–</span> : <Time at={at} />;
              },
            },
          ]}
        />
        <Form to={USERS} class="card" id="new-user" label="Create a user">
          <h2>Create a user</h2>
          <div class="columns">
            <CardFields card={USER} typed={typed} id="new" />
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
        {grants && <Assistants grants={grants.slice(0, PAGE)} from="users" />}
      </>
    ),
  };
}

/** The users by their role, with how many there are of each. */
function UserChips({ filter, counts: { all, withoutWay, roles } }: Pick<Shown, "filter" | "counts">) {
  const { role: chosen, isWithoutWay = false } = filter;
  const ofRole = (role: UserRole) => ({
    to: USERS,
    query: { role },
    label: role === "none" ? "In some projects" : role,
    count: roles[role] ?? 0,
    isCurrent: role === chosen,
  });
  return (
    <Chips
      label="Users"
      chips={[
        { to: USERS, label: "All", count: all, isCurrent: chosen === undefined && !isWithoutWay },
        ...USER_ROLES.filter((role) => role === chosen || roles[role] !== undefined).map(ofRole),
        ...(withoutWay > 0 || isWithoutWay
          ? [
              {
                to: USERS,
                query: { without: "way" },
                label: "Need a link",
                count: withoutWay,
                isCurrent: isWithoutWay,
              },
            ]
          : []),
      ]}
    />
  );
}
