import { type DeviceLogin, typedCode } from "../../../access/device/device-login.ts";
import { answerLogin, findLogin } from "../../../access/device/device-logins.ts";
import { AppError } from "../../../base/errors.ts";
import { durationInWords } from "../../../base/units.ts";
import { MAX_SIGN_IN_BODY } from "../../limits.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { sentence } from "../../../base/shapes/words.ts";
import { textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { Facts } from "../parts/card.tsx";
import { TextField } from "../parts/field.tsx";
import { Button, Form } from "../parts/link.tsx";
import { Notice } from "../parts/status.tsx";
import { Foreign } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import type { Dashboard } from "../routes.ts";
import { useView } from "../view.ts";
import { AnswerButtons, answerIn } from "./parts.tsx";

/** The page where a person who is signed in lets the command line act for them. */
export function deviceRoutes({ app, get, post }: Dashboard) {
  const show = async (c: DashboardContext, code: string): Promise<Page> => {
    if (code === "") return codePage({ code });
    return refusable(c, code, async () => {
      const login = await findLogin(app, c.get("caller"), code);
      return loginPage(typedCode(code)!, login);
    });
  };

  get("/device", null, (c) => show(c, c.req.query("code")?.trim() ?? ""));
  post(
    "/device",
    null,
    async (c, fields) => {
      const code = textOf(fields, "code").trim();
      if (textOf(fields, "answer") === "") return show(c, code);
      const answer = answerIn(fields);
      return refusable(c, code, async () => {
        await answerLogin(app, c.get("caller"), code, answer);
        return answeredPage(answer);
      });
    },
    MAX_SIGN_IN_BODY,
  );
}

/** A wrong code, or too many, shows the form again. */
async function refusable(c: DashboardContext, code: string, act: () => Promise<Page>): Promise<Page> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof AppError) || !["not_found", "rate_limited"].includes(error.code)) throw error;
    if (error.retryAfter !== null) c.header("Retry-After", String(error.retryAfter));
    const status = error.code === "rate_limited" ? 429 : 404;
    return { ...codePage({ code: code.slice(0, 50), error: sentence(error.message) }), status };
  }
}

const ABOUT = { title: "Log in a command line", section: "me" } as const;

function codePage({ code, error }: { code: string; error?: string }): Page {
  return {
    ...ABOUT,
    content: (
      <Form to="/device" class="stack narrow">
        <p>
          <code>formflag login</code> prints a code. Type it here to let that command line act for you.
        </p>
        <TextField
          name="code"
          label="Code"
          value={code}
          placeholder="ABCD-EFGH"
          error={error}
          maxlength={50}
          autofocus
          required
        />
        <div class="buttons">
          <Button kind="primary">Continue</Button>
        </div>
      </Form>
    ),
  };
}

function loginPage(code: string, login: DeviceLogin): Page {
  return { ...ABOUT, isSecret: true, content: <Question code={code} login={login} /> };
}

function Question({
  code,
  login: { client, address, lasts, createdAt },
}: {
  code: string;
  login: DeviceLogin;
}) {
  const { caller } = useView();
  return (
    <div class="stack narrow">
      <Notice tone="warn" title="Did you start this login yourself, a moment ago?">
        <p>
          The person who started it will be able to do everything that you can do, as {caller?.name}. Deny it
          if the code came to you in a message, or if your terminal shows another one.
        </p>
      </Notice>
      <Facts
        facts={[
          ["Code", <code>{code}</code>],
          ["Client", <Foreign text={client} />],
          ["Address", <Foreign text={address} />],
          ["Started", <Time at={createdAt} />],
          ["Lasts", durationInWords(lasts)],
        ]}
      />
      <Form to="/device" values={{ code }}>
        <AnswerButtons />
      </Form>
    </div>
  );
}

function answeredPage(answer: "allow" | "deny"): Page {
  const isAllowed = answer === "allow";
  return {
    ...ABOUT,
    content: (
      <div class="stack narrow">
        <Notice
          tone={isAllowed ? "good" : "info"}
          title={isAllowed ? "The command line is logged in." : "Denied."}
        >
          <p>
            {isAllowed
              ? "You can close this page. Your account lists the login, and ends it."
              : "No one was logged in."}
          </p>
        </Notice>
      </div>
    ),
  };
}
