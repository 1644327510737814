import { Hono } from "hono/quick";
import { signInByCode, whoBegan } from "../../../access/factors/code-step.ts";
import { MAX_SIGN_IN_BODY } from "../../limits.ts";
import { refusalOf } from "../access/sign-in.tsx";
import { nextPath, shortened, signInPage, waysIn } from "../access/sign-in.tsx";
import type { DashboardEnv } from "../dashboard-env.ts";
import { sentence } from "../../../base/shapes/words.ts";
import { readFields, textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { TextField } from "../parts/field.tsx";
import { A, Button, Form } from "../parts/link.tsx";
import { type Dashboard, browserOf } from "../routes.ts";
import { addressOf } from "../view.ts";

/** The page between a password or a link and the session of a user with an authenticator app. */
export function codeRoutes({ options, app, root, render, enter, cookies }: Dashboard) {
  return new Hono<DashboardEnv>()
    .get("/sign-in/code", async (c) => {
      const next = shortened(nextPath(c.req.query("next") ?? ""));
      if (c.get("session")) return c.redirect(`${root}${next}`, 303);
      const secret = cookies.begun.read(c);
      const user = secret === undefined ? undefined : await whoBegan(app, secret);
      if (!user) return c.redirect(addressOf({ root }, "/sign-in", { next }), 303);
      return render(c, codePage({ next }));
    })
    .post("/sign-in/code", async (c) => {
      const fields = await readFields(c.req.raw, MAX_SIGN_IN_BODY);
      const next = nextPath(textOf(fields, "next"));
      try {
        const secret = cookies.begun.read(c) ?? "";
        const session = await signInByCode(app, secret, textOf(fields, "code"), browserOf(c));
        cookies.begun.set(c, null);
        await enter(c, session);
        return c.redirect(`${root}${next}`, 303);
      } catch (error) {
        const { message, reason, status } = await refusalOf(c, error);
        if (reason !== "code-ended") return render(c, { ...codePage({ next, error: message }), status });
        cookies.begun.set(c, null);
        const ways = await waysIn(app, options);
        return render(c, { ...signInPage({ ways, next, error: message }), status });
      }
    });
}

function codePage({ next, error }: { next: string; error?: string }): Page {
  return {
    title: "Code",
    hasPasskeys: true,
    section: null,
    isGate: true,
    heading: "One more step",
    content: (
      <div class="stack narrow gate">
        <Form to="/sign-in/code" values={{ next: next || null }} class="stack">
          <TextField
            name="code"
            label="Code"
            hint="The six digits that your authenticator app shows, or one of your recovery codes"
            autocomplete="one-time-code"
            maxlength={40}
            error={error && sentence(error)}
            autofocus
            required
          />
          <div class="buttons">
            <Button kind="primary">Sign in</Button>
            <A to="/sign-in" class="button quiet">
              Start over
            </A>
          </div>
        </Form>
        <p class="soft">
          Without your device and your recovery codes, ask an administrator to remove your second factors:{" "}
          <code>formflag users reset</code>.
        </p>
      </div>
    ),
  };
}
