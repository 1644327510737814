import { clock } from "../../../base/clock.ts";
import { Hono } from "hono/quick";

import { hasUsers } from "../../../access/sessions.ts";
import { signInByLink, signInByPassword } from "../../../access/sign-in.ts";
import { AppError } from "../../../base/errors.ts";
import { MAX_SIGN_IN_BODY, SIGN_IN_REFUSAL_MS } from "../../limits.ts";
import type { DashboardContext, DashboardEnv } from "../dashboard-env.ts";
import { sentence } from "../error-page.tsx";
import { readFields, textOf } from "../fields.ts";
import { type Page, Mark } from "../page.tsx";
import { TextField } from "../parts/field.tsx";
import { Button, Form } from "../parts/link.tsx";
import { Notice } from "../parts/status.tsx";
import { type Dashboard, browserOf } from "../routes.ts";
import { addressOf } from "../view.ts";

/** Pages for people who are not signed in yet. */
export function signInRoutes({ app, root, render, enter }: Dashboard) {
  const goOn = (c: DashboardContext, next: string) => c.redirect(`${root}${nextPath(next)}`, 303);

  return new Hono<DashboardEnv>()
    .get("/sign-in", async (c) => {
      const next = shortened(c.req.query("next") ?? "");
      if (c.get("session")) return goOn(c, next);
      return render(c, (await hasUsers(app)) ? signInPage({ next }) : FIRST_PAGE);
    })
    .post("/sign-in", async (c) => {
      const fields = await readFields(c.req.raw, MAX_SIGN_IN_BODY);
      const [name, next] = [textOf(fields, "name").trim(), textOf(fields, "next")];
      try {
        const password = textOf(fields, "password");
        await enter(c, await signInByPassword(app, { name, password }, browserOf(c)));
        return goOn(c, next);
      } catch (error) {
        if (!(error instanceof AppError) || !isRefusal(error)) throw error;
        if (error.retryAfter !== null) c.header("Retry-After", String(error.retryAfter));
        const status = error.code === "rate_limited" ? 429 : 401;
        // A program that repeats it at once would take the server from others.
        if (status === 429) await clock.sleep(SIGN_IN_REFUSAL_MS);
        return render(c, { ...signInPage({ next, name, error: error.message }), status });
      }
    })
    .get("/link/:secret", async (c) => render(c, linkPage(c.req.param("secret"))))
    .post("/link/:secret", async (c) => {
      await readFields(c.req.raw, MAX_SIGN_IN_BODY);
      await enter(c, await signInByLink(app, c.req.param("secret"), browserOf(c)));
      return c.redirect(addressOf({ root }, "/me", { welcome: 1 }), 303);
    });
}

function isRefusal({ code }: AppError): boolean {
  return code === "unauthenticated" || code === "rate_limited";
}

/** A path behind the dashboard's own, as addresses have it: in ASCII; anything else leads to its first page. */
function nextPath(next: string): string {
  return /^\/[^/\\]/.test(next) && /^[!-~]+$/.test(next) ? next : "";
}

/** The page to go on to, which may take three times as much in the form; a longer one is left out. */
function shortened(next: string): string {
  return next.length * 3 > MAX_SIGN_IN_BODY / 2 ? "" : next;
}

const FIRST_PAGE: Page = {
  title: "Sign in",
  section: null,
  heading: "Welcome to formflag",
  content: (
    <div class="stack narrow gate">
      <p>There are no users yet. On the machine that runs formflag, type</p>
      <pre tabindex={0}>formflag users link</pre>
      <p>
        and open the link that it prints, here or on a phone by its QR code. It signs you in as the first
        administrator.
      </p>
    </div>
  ),
};

function signInPage({ next, name = "", error }: { next: string; name?: string; error?: string }): Page {
  return {
    title: "Sign in",
    section: null,
    heading: (
      <>
        <Mark />
        Sign in to formflag
      </>
    ),
    content: (
      <div class="stack narrow gate">
        {error !== undefined && (
          <Notice tone="bad">
            <p>{sentence(error)}</p>
          </Notice>
        )}
        <Form to="/sign-in" values={{ next: next || null }} class="stack">
          <TextField
            name="name"
            label="Name"
            value={name}
            autocomplete="username"
            autofocus={name === ""}
            required
          />
          <TextField
            name="password"
            label="Password"
            type="password"
            autocomplete="current-password"
            autofocus={name !== ""}
            required
          />
          <div class="buttons">
            <Button kind="primary">Sign in</Button>
          </div>
        </Form>
        <p class="soft">
          Without a password, or where you forgot it, ask for a link: <code>formflag users link</code> makes
          one that signs in once.
        </p>
      </div>
    ),
  };
}

/** A preview of a message opens links too: only the button spends it. */
function linkPage(secret: string): Page {
  return {
    title: "Sign in by link",
    section: null,
    heading: (
      <>
        <Mark />
        Sign in to formflag
      </>
    ),
    isSecret: true,
    content: (
      <div class="stack narrow gate">
        <p>This link signs you in once, in this browser.</p>
        <Form to={`/link/${encodeURIComponent(secret)}`}>
          <Button kind="primary">Sign in here</Button>
        </Form>
      </div>
    ),
  };
}
