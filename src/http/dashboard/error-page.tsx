import type { Shown } from "../errors.ts";
import type { DashboardContext } from "./dashboard-env.ts";
import type { Page } from "./page.tsx";
import { A, Button, ButtonLink, Form } from "./parts/link.tsx";
import { Fault } from "./parts/status.tsx";

const TITLES: Record<number, string> = {
  401: "You are signed out",
  403: "Not allowed",
  404: "Not found",
  413: "Too large",
  429: "Too many at once",
  500: "Something went wrong",
  503: "Not available now",
};

const REASONS = new Map([
  ["revision-differs", "Changed by another user"],
  ["outdated", "Changed by another user"],
  ["no-project", "No project yet"],
  ["submission-not-found", "No such submission"],
]);

/**
 * The page of an error. It leads back to the page that the form was on; to a user who is signed out it gives back the form
 * that was sent, `kept`.
 */
export function errorPage(
  { status, reason, message, hint }: Shown,
  c: DashboardContext,
  root: string,
  kept: readonly (readonly [name: string, value: string])[] | null,
): Page {
  const title = REASONS.get(reason ?? "") ?? TITLES[status] ?? "This did not work";
  return {
    title,
    section: null,
    isError: true,
    status: status === 405 ? 404 : status,
    content: (
      <div class="stack narrow">
        <Fault message={message} hint={hint} />
        {status === 403 && reason === null && c.get("session") && (
          <p class="soft">An administrator can give you more rights under Access.</p>
        )}
        <div class="buttons">
          {kept ? (
            <>
              <A to="/sign-in" class="button primary" isElsewhere>
                Sign in in another tab
              </A>
              <Form to={c.req.path.slice(root.length)} values={kept} class="inline">
                <Button>Send what you typed again</Button>
              </Form>
            </>
          ) : status === 401 ? (
            <ButtonLink to="/sign-in" kind="primary">
              Sign in
            </ButtonLink>
          ) : reason === "submission-not-found" ? (
            <ButtonLink to={inboxOf(c, root)} icon="arrowLeft">
              To the inbox
            </ButtonLink>
          ) : (
            <ButtonLink to={backOf(c, root)} icon="arrowLeft">
              Back
            </ButtonLink>
          )}
        </div>
      </div>
    ),
  };
}

/** The inbox of the form that the address names, such as of a submission that was just deleted. */
function inboxOf(c: DashboardContext, root: string): string {
  return /^\/inbox\/[^/]+(?=\/)/.exec(c.req.path.slice(root.length))?.[0] ?? "/inbox";
}

/** The page of this dashboard that the request came from. */
function backOf(c: DashboardContext, root: string): string {
  const referrer = URL.parse(c.req.header("referer") ?? "");
  const isOwn = referrer?.host === c.req.header("host") && referrer?.pathname.startsWith(`${root}/`);
  if (!isOwn || !referrer) return "/";
  return `${referrer.pathname.slice(root.length)}${referrer.search}`;
}
