import type { Child } from "hono/jsx";
import { ViewContext, type View, addressOf, useMaySee, useView } from "./view.ts";
import type { Asset, AssetName } from "./assets.ts";
import type { Flash } from "./cookies.ts";
import { type Command, Commands } from "./parts/commands.tsx";
import { Icon, type IconName } from "./parts/icon.tsx";
import { A, Button, ButtonForm, Form } from "./parts/link.tsx";
import { visible } from "./parts/text.tsx";
import type { Scope } from "../../access/scope.ts";

/** Topics of an open page: it reloads when one of them changes. */
export type Topic = "submissions" | "setup" | "deliveries";

/** A page of the dashboard, as its route returns it. */
export type Page = {
  /** Window title: kind, name, environment, project. No two kinds of page share one. */
  title: string;
  /** The heading; the title if it is left out. */
  heading?: Child;
  section: Section | null;
  status?: 200 | 400 | 401 | 403 | 404 | 409 | 410 | 413 | 415 | 422 | 428 | 429 | 500 | 502 | 503;
  /** The page that this one belongs to. */
  back?: { to: string; label: string };
  /** Buttons and links beside the heading. */
  actions?: Child;
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

export const SECTIONS = [
  { name: "today", label: "Today", to: "/", icon: "home", scope: null },
  { name: "inbox", label: "Inbox", to: "/inbox", icon: "inbox", scope: "forms:read" },
  { name: "flags", label: "Flags", to: "/projects", icon: "flag", scope: "flags:read" },
  { name: "forms", label: "Forms", to: "/forms", icon: "forms", scope: "forms:read" },
  { name: "go", label: "Go to", to: "/go", icon: "search", scope: null },
  { name: "deliveries", label: "Deliveries", to: "/deliveries", icon: "send", scope: "forms:read" },
  { name: "people", label: "People", to: "/people", icon: "users", scope: "forms:read" },
  { name: "access", label: "Access", to: "/access/users", icon: "key", scope: "admin" },
  { name: "audit", label: "Audit", to: "/audit", icon: "history", scope: "admin" },
  { name: "health", label: "Health", to: "/health", icon: "activity", scope: "admin" },
  { name: "me", label: "You", to: "/me", icon: "user", scope: null },
] as const satisfies { name: string; label: string; to: string; icon: IconName; scope: Scope | null }[];

type Section = (typeof SECTIONS)[number]["name"];

/** Unread submissions that the navigation counts. */
const MAX_UNREAD = 99;

/** Sections that a phone shows in its bar; the others are behind "More". */
const IN_BAR = 4;

type DocumentProps = {
  page: Page;
  view: View;
  flash: Flash | null;
  assets: Record<AssetName, Asset>;
  version: string;
};

/** The whole document of a page. */
export function Document({ page, view, flash, assets, version }: DocumentProps) {
  const { title, topics = [] } = page;
  return (
    <ViewContext.Provider value={view}>
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
          data-events={view.caller === null ? undefined : addressOf(view, "/events")}
          data-user={view.caller?.name}
          data-shortcuts={view.shortcuts ? "on" : "off"}
        >
          <a class="skip" href="#main">
            Skip to the content
          </a>
          {view.caller !== null && <Navigation section={page.section} version={version} />}
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
    </ViewContext.Provider>
  );
}

function Head({ page: { title, heading = title, back, actions } }: { page: Page }) {
  return (
    <header class="head">
      {back && (
        <A to={back.to} class="back">
          <Icon name="arrowLeft" />
          {back.label}
        </A>
      )}
      <h1>{heading}</h1>
      {actions && <div class="actions">{actions}</div>}
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

function Navigation({ section, version }: { section: Section | null; version: string }) {
  const { caller } = useView();
  const shown = SECTIONS.filter(({ scope }) => scope === null || useMaySee(scope));
  const [bar, more] = [shown.slice(0, IN_BAR), shown.slice(IN_BAR)];
  return (
    <nav class="sections" aria-label="Sections">
      <A to="/" class="brand" label="formflag, today">
        <Mark />
        <span>formflag</span>
      </A>
      <ul class="bar">
        {bar.map((each) => (
          <SectionLink each={each} section={section} />
        ))}
        <li class="more">
          <details>
            <summary>
              <Icon name="ellipsis" />
              More
            </summary>
            <MoreSections sections={more} section={section} />
          </details>
        </li>
      </ul>
      <div class="rest">
        <MoreSections sections={more} section={section} />
      </div>
      <div class="who">
        <span class="name">{caller?.name}</span>
        <ButtonForm to="/sign-out" kind="quiet" icon="logOut">
          Sign out
        </ButtonForm>
        <span>{version}</span>
      </div>
    </nav>
  );
}

type SectionEntry = (typeof SECTIONS)[number];

function MoreSections({ sections, section }: { sections: readonly SectionEntry[]; section: Section | null }) {
  return (
    <ul>
      {sections.map((each) => (
        <SectionLink each={each} section={section} />
      ))}
    </ul>
  );
}

function SectionLink({
  each: { name, label, to, icon },
  section,
}: {
  each: SectionEntry;
  section: Section | null;
}) {
  return (
    <li>
      <A
        to={to}
        current={name === section ? "page" : undefined}
        shortcut={name === "go" ? "Control+K Meta+K" : undefined}
      >
        <Icon name={icon} />
        {label}
        {name === "inbox" && <Unread />}
      </A>
    </li>
  );
}

/** Number of unread submissions. */
function Unread() {
  const { unread } = useView();
  if (unread === 0) return null;
  return (
    <span class="unread-count">
      {unread > MAX_UNREAD ? `${MAX_UNREAD}+` : unread}
      <span class="unseen"> unread</span>
    </span>
  );
}

/** The sign of formflag. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" class="ground" />
      <path d="M10 24V8h11l-2.5 4.5L21 17H10" class="sign" />
    </svg>
  );
}
