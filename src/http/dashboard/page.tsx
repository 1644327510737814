import type { Child } from "./markup.ts";
import { Mark } from "./mark.tsx";
import { Navigation, type Section } from "./navigation.tsx";
import { type View, addressOf } from "./view.ts";
import type { Asset, AssetName } from "./assets.ts";
import type { Flash } from "./cookies.ts";
import { type Command, Commands } from "./parts/commands.tsx";
import { Icon } from "./parts/icon.tsx";
import { A, Button, Form } from "./parts/link.tsx";
import { visible } from "./parts/text.tsx";

/** Topics of an open page: it reloads when one of them changes. */
export type Topic = "submissions" | "setup" | "deliveries";

/** A link to a page above this one. */
export type Crumb = { to: string; label: Child };

/** A page of the dashboard, as its route returns it. */
export type Page = {
  /** Window title: kind, name, environment, project. No two kinds of page share one. */
  title: string;
  /** The heading; the title if it is left out. */
  heading?: Child;
  section: Section | null;
  /** Whether it is for people who are not signed in yet, under the sign of formflag. */
  isGate?: true;
  status?: 200 | 400 | 401 | 403 | 404 | 409 | 410 | 413 | 415 | 422 | 428 | 429 | 500 | 502 | 503;
  /** The page that this one belongs to, above the heading. */
  back?: Crumb;
  /** The pages above this one, from the outermost on, if it is not `back` alone. */
  crumbs?: readonly Crumb[];
  /** Badges beside the heading. */
  badges?: Child;
  /** Buttons and links at the end of the heading: one of them `primary`, and what is seldom done in a `Menu`. */
  actions?: Child;
  /** A soft line below the heading. */
  lead?: Child;
  topics?: readonly Topic[];
  commands?: readonly Command[];
  /** Whether it shows a secret: such an answer is not compressed (BREACH). */
  isSecret?: boolean;
  /** Whether it, or the page that a form of it leads to, uses passkeys, which take a script of their own. */
  hasPasskeys?: boolean;
  headers?: Record<string, string>;
  /** Whether it shows nothing but an error, so that the page whose form it answers stays as it is. */
  isError?: boolean;
  content: Child;
};

type DocumentProps = {
  page: Page;
  view: View;
  flash: Flash | null;
  assets: Record<AssetName, Asset>;
};

/** The whole document of a page. */
export function Document({ page, view, flash, assets }: DocumentProps) {
  const { title, topics = [] } = page;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · formflag`}</title>
        <link rel="icon" href={assets.mark.path} type="image/svg+xml" />
        <link rel="stylesheet" href={assets.style.path} />
        <script src={assets.script.path} defer></script>
        {page.hasPasskeys && <script src={assets.passkeys.path} defer></script>}
      </head>
      <body
        data-events={view.caller === null ? undefined : addressOf(view, "/events", { since: view.since })}
        data-user={view.caller?.name}
        data-shortcuts={view.shortcuts ? "on" : "off"}
      >
        <a class="skip" href="#main">
          Skip to the content
        </a>
        {view.caller !== null && <Navigation section={page.section} />}
        <div class="page">
          <div id="messages" role="status">
            {flash && <Said flash={flash} />}
          </div>
          <main id="main" tabindex={-1} data-topics={topics.join(" ")} data-error={page.isError && ""}>
            <Head page={page} />
            {page.content}
            <Commands commands={page.commands ?? []} />
          </main>
        </div>
      </body>
    </html>
  );
}

function Head({ page }: { page: Page }) {
  const { title, heading = title, back, crumbs = back ? [back] : [], badges, actions, lead } = page;
  return (
    <header class="head">
      {crumbs.length > 0 && (
        <p class="crumbs">
          {crumbs.map(({ to, label }, at) => (
            <>
              {at > 0 && " / "}
              <A to={to}>{label}</A>
            </>
          ))}
        </p>
      )}
      <h1>
        {page.isGate && <Mark />}
        {heading}
      </h1>
      {badges}
      {actions && <div class="actions">{actions}</div>}
      {lead && <p class="soft">{lead}</p>}
    </header>
  );
}

/** Result of the last action, with its undo. */
function Said({ flash: { text, undo } }: { flash: Flash }) {
  return (
    <div class="said">
      <Icon name="check" />
      <span>{visible(text)}</span>
      {undo && (
        <Form to={undo.to} values={undo.values} class="inline">
          <Button kind="quiet" shortcut="z">
            Undo
          </Button>
        </Form>
      )}
      <button type="button" class="button quiet scripted-only" data-dismiss aria-label="Dismiss">
        <Icon name="x" />
      </button>
    </div>
  );
}
