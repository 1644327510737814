import type { Scope } from "../../access/scope.ts";
import { keptMarkup } from "./markup.ts";
import { Mark } from "./mark.tsx";
import { Icon, type IconName } from "./parts/icon.tsx";
import { A, ButtonForm } from "./parts/link.tsx";
import { KEYS } from "./paths.ts";
import { useMaySee, useView } from "./view.ts";

/** The sections of the navigation, each with the keys that lead there. */
export const SECTIONS = [
  { name: "today", label: "Today", to: "/", icon: "home", scope: null, keys: "g t" },
  { name: "inbox", label: "Inbox", to: "/inbox", icon: "inbox", scope: "forms:read", keys: "g i" },
  { name: "flags", label: "Flags", to: "/projects", icon: "flag", scope: "flags:read", keys: "g f" },
  { name: "forms", label: "Forms", to: "/forms", icon: "forms", scope: "forms:read", keys: "g o" },
  { name: "go", label: "Go to", to: "/go", icon: "search", scope: null, keys: "Control+K Meta+K" },
  {
    name: "deliveries",
    label: "Deliveries",
    to: "/deliveries",
    icon: "send",
    scope: "forms:read",
    keys: "g d",
  },
  { name: "people", label: "People", to: "/people", icon: "users", scope: "forms:read", keys: "g p" },
  { name: "access", label: "Access", to: "/access/users", icon: "key", scope: "admin" },
  { name: "audit", label: "Audit", to: "/audit", icon: "history", scope: "admin" },
  { name: "health", label: "Health", to: "/health", icon: "activity", scope: "admin" },
  { name: "me", label: "You", to: "/me", icon: "user", scope: null },
] as const satisfies {
  name: string;
  label: string;
  to: string;
  icon: IconName;
  scope: Scope | null;
  keys?: string;
}[];

export type Section = (typeof SECTIONS)[number]["name"];

/** Unread submissions that the navigation counts. */
const MAX_UNREAD = 99;

/** Sections that a phone shows in its bar; the others are behind "More". */
const IN_BAR = 4;

/** Navigations that are kept: one for each section and user, until submissions come. */
const keep = keptMarkup(200);

/** The sections that the user sees, and the way out. */
export function Navigation({ section, version }: { section: Section | null; version: string }) {
  const { root, caller, unread } = useView();
  const shown = SECTIONS.filter(({ scope }) => scope === null || useMaySee(scope));
  const count = Math.min(unread, MAX_UNREAD + 1);
  const key = JSON.stringify([root, version, section, caller?.name, count, shown.map(({ name }) => name)]);
  return keep(key, () => <Sections shown={shown} section={section} version={version} />);
}

function Sections({
  shown,
  section,
  version,
}: {
  shown: readonly SectionEntry[];
  section: Section | null;
  version: string;
}) {
  const { caller } = useView();
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
            <summary aria-current={more.some(({ name }) => name === section) ? "true" : undefined}>
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
      <div class="you">
        <span class="small">{caller?.name}</span>
        <ButtonForm to="/sign-out" kind="quiet" icon="logOut">
          Sign out
        </ButtonForm>
        <A to={KEYS} shortcut="?">
          Keys
        </A>
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

function SectionLink({ each, section }: { each: SectionEntry; section: Section | null }) {
  const { name, label, to, icon } = each;
  return (
    <li>
      <A
        to={to}
        current={name === section ? "page" : undefined}
        shortcut={"keys" in each ? each.keys : undefined}
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
    <span class="count strong">
      {unread > MAX_UNREAD ? `${MAX_UNREAD}+` : unread}
      <span class="unseen"> unread</span>
    </span>
  );
}
