import { Hono } from "hono/quick";
import type { Caller } from "../../../access/caller.ts";
import type { Invitation } from "../../../access/members/invitation.ts";
import { acceptInvitation, findInvitation, joinByInvitation } from "../../../access/members/invitations.ts";
import { signInByPassword } from "../../../access/sign-in.ts";
import { AppError } from "../../../base/errors.ts";
import { MAX_SIGN_IN_BODY } from "../../limits.ts";
import type { DashboardContext, DashboardEnv } from "../dashboard-env.ts";
import { readFields, textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { TextField } from "../parts/field.tsx";
import { A, Button, Form } from "../parts/link.tsx";
import { Fault } from "../parts/status.tsx";
import { visible } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { type Dashboard, browserOf } from "../routes.ts";
import { addressOf } from "../view.ts";
import { ProviderLink, type WaysIn, passwordsOff, waysIn } from "./sign-in.tsx";

/** The name that was typed, and the fault of the form. */
type Failed = { name: string; fault: string };

/** The page of an invitation. A preview of a message opens it too: only the button spends it. */
export function invitationRoutes(
  dashboard: Pick<Dashboard, "app" | "options" | "root" | "render" | "enter"> & {
    callerOf: (c: DashboardContext) => Caller;
  },
) {
  const { app, root, render, enter, callerOf } = dashboard;
  const { options } = dashboard;
  const signedInAs = (c: DashboardContext) => c.get("session")?.signedIn.user.name ?? null;
  const arrive = (c: DashboardContext, { project }: Invitation) =>
    c.redirect(addressOf({ root }, "/", { joined: project }), 303);

  return new Hono<DashboardEnv>()
    .get("/:secret", async (c) =>
      render(
        c,
        invitationPage(c.req.param("secret"), await findInvitation(app, c.req.param("secret")), {
          user: signedInAs(c),
          ways: await waysIn(app, options),
        }),
      ),
    )
    .post("/:secret", async (c) => {
      const secret = c.req.param("secret");
      const fields = await readFields(c.req.raw, MAX_SIGN_IN_BODY);
      if (signedInAs(c) !== null) return arrive(c, await acceptInvitation(app, callerOf(c), secret));
      if (!options.passwords) throw passwordsOff();
      const [name, password] = [textOf(fields, "name").trim(), textOf(fields, "password")];
      try {
        const joined = await joinByInvitation(app, secret, { name, password }, c.env.client.address);
        const entrance = await signInByPassword(app, { name, password }, browserOf(c));
        // The user may have a second factor by now.
        if ("secret" in entrance) await enter(c, entrance);
        return arrive(c, joined);
      } catch (error) {
        if (!(error instanceof AppError) || !isFault(error)) throw error;
        const failed = { name, fault: error.message };
        const page = invitationPage(
          secret,
          await findInvitation(app, secret),
          { user: null, ways: await waysIn(app, options) },
          failed,
        );
        return render(c, { ...page, status: error.code === "conflict" ? 409 : 400 });
      }
    });
}

/** Whether an error is about what was typed. */
function isFault({ code, reason }: AppError): boolean {
  return code === "invalid" || (code === "conflict" && reason !== "outdated");
}

function invitationPage(
  secret: string,
  { project, role, environments, expiresAt }: Invitation,
  { user, ways: { passwords, provider } }: { user: string | null; ways: WaysIn },
  failed?: Failed,
): Page {
  const to = `/invitation/${encodeURIComponent(secret)}`;
  return {
    title: "Invitation",
    section: null,
    isGate: true,
    heading: <>Join {visible(project)}</>,
    isSecret: true,
    content: (
      <div class="stack narrow gate">
        <Fault message={failed?.fault} />
        <p>
          You are invited to the project <strong>{project}</strong> as {role}
          {environments !== null && ` of ${environments.join(", ") || "no environment"}`}. The invitation ends{" "}
          <Time at={expiresAt} /> and works once.
        </p>
        {user === null && provider && <ProviderLink provider={provider} next={to} isMain={!passwords} />}
        {user === null && !passwords ? (
          !provider && <SignInFirst to={to} />
        ) : user === null ? (
          <>
            <Form to={to} class="stack">
              <TextField
                name="name"
                label="Name"
                hint="Letters, digits, dots, dashes and underscores."
                value={failed?.name}
                autocomplete="username"
                autofocus
                required
              />
              <TextField
                name="password"
                label="Password"
                hint="At least 12 characters."
                type="password"
                autocomplete="new-password"
                required
              />
              <div class="buttons">
                <Button kind="primary">Create my account and join</Button>
              </div>
            </Form>
            <SignInFirst to={to} />
          </>
        ) : (
          <Form to={to} class="stack">
            <div class="buttons">
              <Button kind="primary">Join as {visible(user)}</Button>
            </div>
          </Form>
        )}
      </div>
    ),
  };
}

/** For those who have an account: the sign-in comes back to the invitation. */
function SignInFirst({ to }: { to: string }) {
  return (
    <p>
      If you have an account here,{" "}
      <A to="/sign-in" query={{ next: to }}>
        sign in
      </A>{" "}
      first.
    </p>
  );
}
