import { Hono } from "hono/quick";
import { ROLES, type Role } from "../../../access/role.ts";
import { SCOPES, type Scope } from "../../../access/scope.ts";
import { endSession, listSessions } from "../../../access/sessions.ts";
import { newTokenSchema } from "../../../access/token-schema.ts";
import { createToken, revokeToken } from "../../../access/tokens.ts";
import {
  createLink,
  createUser,
  deleteUser,
  saveSettings,
  setPassword,
  setRole,
} from "../../../access/users.ts";
import { AppError } from "../../../base/errors.ts";
import { MAX_PAGE } from "../../../base/pages.ts";
import { parseDuration } from "../../../base/units.ts";
import { MAX_SIGN_IN_BODY } from "../../limits.ts";
import { dashboardLink } from "../../paths.ts";
import type { DashboardContext, DashboardEnv } from "../dashboard-env.ts";
import { type Fields, textOf, textOrNull, textsOf } from "../fields.ts";
import type { Dashboard } from "../routes.ts";
import { mePage } from "./me-page.tsx";
import { tokenPage, tokensPage } from "./tokens-page.tsx";
import { linkPage, usersPage } from "./users-page.tsx";

/** The pages of tokens, users, and of the person who is signed in. */
export function accessRoutes({ app, options, page, action }: Dashboard) {
  const { dashboardUrl, basePath } = options;
  const showUsers = async (c: DashboardContext, failed?: Parameters<typeof usersPage>[2]) =>
    usersPage(
      (await app.store.users.page({ limit: MAX_PAGE })).items,
      await listSessions(app, c.get("caller"), null),
      failed,
    );
  const showTokens = async (failed?: Parameters<typeof tokensPage>[2]) =>
    tokensPage(await app.store.tokens.list(), await app.store.projects.list(), failed);
  const showMe = async (c: DashboardContext, failed?: Parameters<typeof mePage>[0]["failed"]) => {
    const { signedIn } = c.get("session")!;
    const user = (await app.store.users.find(signedIn.user.name))!;
    const sessions = await listSessions(app, c.get("caller"), user.name);
    return mePage({
      user,
      sessions,
      current: signedIn.session,
      isNew: c.req.query("welcome") !== undefined,
      failed,
    });
  };
  /** Runs an operation whose refusal the page shows beside what was typed. */
  const orShow = async <T, P>(
    act: () => Promise<T>,
    show: (error: AppError) => Promise<P>,
  ): Promise<T | P> => {
    try {
      return await act();
    } catch (error) {
      if (error instanceof AppError && ["invalid", "conflict", "unauthenticated"].includes(error.code))
        return show(error);
      throw error;
    }
  };

  return new Hono<DashboardEnv>()
    .get(
      "/access/users",
      page("admin", (c) => showUsers(c)),
    )
    .post(
      "/access/users",
      action("admin", (c, fields) => {
        const typed = { name: textOf(fields, "name").trim(), role: roleIn(fields) };
        return orShow(
          async () => {
            const { name } = await createUser(app, c.get("caller"), typed);
            return { to: "/access/users", text: `Created ${name}. A link lets them sign in.` };
          },
          async (error) => ({
            ...(await showUsers(c, { typed, message: error.message })),
            status: 400 as const,
          }),
        );
      }),
    )
    .post(
      "/access/users/:user",
      action("admin", (c, fields) => {
        const [name, caller] = [c.req.param("user")!, c.get("caller")];
        return orShow(
          async () => {
            switch (textOf(fields, "do")) {
              case "role": {
                const { user } = await setRole(app, caller, name, roleIn(fields));
                return { to: "/access/users", text: `${user.name} is ${user.role} now` };
              }
              case "link": {
                const { secret, expiresAt } = await createLink(app, caller, name);
                // The origin was checked: behind a proxy with TLS it has the scheme that the browser uses.
                const origin = c.req.header("origin") ?? new URL(c.req.url).origin;
                const base = dashboardUrl ?? origin + basePath;
                return linkPage({ name, url: dashboardLink(base, secret), expiresAt });
              }
              case "delete":
                if (textOf(fields, "name").trim() !== name)
                  throw new AppError("invalid", `that is not ${name}: nobody is deleted`);
                await deleteUser(app, caller, name);
                return { to: "/access/users", text: `Deleted ${name}` };
              default:
                throw new AppError("invalid", "the form names no action: load the page again");
            }
          },
          async (error) => ({
            ...(await showUsers(c, {
              message: error.message,
              ...(textOf(fields, "do") === "delete" && { deleted: name }),
            })),
            status: 409 as const,
          }),
        );
      }),
    )
    .get(
      "/access/tokens",
      page("admin", () => showTokens()),
    )
    .post(
      "/access/tokens",
      action("admin", (c, fields) => {
        const typed = tokenIn(fields);
        return orShow(
          async () => {
            const { data, fault } = newToken(typed, app.now());
            if (fault) return { ...(await showTokens({ typed, ...fault })), status: 400 as const };
            return tokenPage(await createToken(app, c.get("caller"), data));
          },
          async (error) => ({
            ...(await showTokens({ typed, field: "name", message: error.message })),
            status: 400 as const,
          }),
        );
      }),
    )
    .post(
      "/access/tokens/:token",
      action("admin", async (c) => {
        const name = c.req.param("token")!;
        await revokeToken(app, c.get("caller"), name);
        return { to: "/access/tokens", text: `Revoked ${name}` };
      }),
    )
    .get(
      "/me",
      page(null, (c) => showMe(c)),
    )
    .post(
      "/me/password",
      action(
        null,
        (c, fields) => {
          const { user, session } = c.get("session")!.signedIn;
          const [current, next] = [textOf(fields, "current") || null, textOf(fields, "next")];
          return orShow(
            async () => {
              await setPassword(app, c.get("caller"), user.name, { current, next }, session.id);
              return { to: "/me", text: "Saved the password. Every other session has ended." };
            },
            async (error) => ({
              ...(await showMe(c, { form: "password", message: error.message })),
              status: 400 as const,
            }),
          );
        },
        MAX_SIGN_IN_BODY,
      ),
    )
    .post(
      "/me/settings",
      action(null, (c, fields) => {
        const timeZone = textOrNull(fields, "timeZone");
        const settings = { timeZone, shortcuts: textOf(fields, "shortcuts") === "on" };
        return orShow(
          async () => {
            await saveSettings(app, c.get("caller"), c.get("session")!.signedIn.user.name, settings);
            return { to: "/me", text: "Saved your settings" };
          },
          async (error) => ({
            ...(await showMe(c, { form: "settings", message: error.message })),
            status: 400 as const,
          }),
        );
      }),
    )
    .post(
      "/me/sessions/:session",
      action(null, async (c, fields) => {
        await endSession(app, c.get("caller"), c.req.param("session")!);
        return {
          to: textOf(fields, "from") === "users" ? "/access/users" : "/me",
          text: "Ended the session",
        };
      }),
    );
}

function roleIn(fields: Fields): Role {
  const role = textOf(fields, "role");
  const known = ROLES.find((each) => each === role);
  if (!known) throw new AppError("invalid", `a role is one of ${ROLES.join(", ")}`);
  return known;
}

/** What was typed for a new token. */
export type TypedToken = { name: string; scopes: Scope[]; place: string; expires: string };

function tokenIn(fields: Fields): TypedToken {
  const scopes = textsOf(fields, "scope");
  return {
    name: textOf(fields, "name").trim(),
    scopes: SCOPES.filter((scope) => scopes.includes(scope)),
    place: textOf(fields, "place"),
    expires: textOf(fields, "expires").trim(),
  };
}

/** What a form asks for; or what is wrong with it: a name or a time that cannot be, or no scope. */
function newToken({ name, scopes, place, expires }: TypedToken, now: number) {
  const seconds = expires === "" ? null : parseDuration(expires);
  if (seconds === undefined)
    return { fault: { field: "expires", message: `write the time as 90d or 12h, not ${expires}` } };
  const [project, environment] = place === "" ? [] : place.split("/");
  const { data, error } = newTokenSchema.safeParse({
    name,
    scopes,
    ...(project !== undefined && { project }),
    ...(environment !== undefined && { environment }),
    expiresAt: seconds === null ? null : new Date(now + seconds * 1000).toISOString(),
  });
  if (!error) return { data };
  const { path, message } = error.issues[0]!;
  return { fault: { field: String(path[0] ?? "scopes"), message } };
}
