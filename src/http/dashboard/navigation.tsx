import type { Scope } from "../../access/scope.ts";
import { keptMarkup } from "./markup.ts";
import { Mark } from "./mark.tsx";
import { Icon, type IconName } from "./parts/icon.tsx";
import { A, ButtonForm } from "./parts/link.tsx";
import type { Tone } from "./parts/status.tsx";
import { Avatar } from "./parts/text.tsx";
import { DOCS, FLAGS, KEYS } from "./paths.ts";
import { useMaySee, useView } from "./view.ts";

/** The sections of the navigation in their groups, each with the keys that lead there; a phone has the first in its bar. */
export const SECTIONS = [
  { name: "today", label: "Today", to: "/", icon: "home", scope: null, keys: "g t", group: "bar" },
  {
    name: "inbox",
    label: "Inbox",
    to: "/inbox",
    icon: "inbox",
    scope: "forms:read",
    keys: "g i",
    group: "bar",
  },
  { name: "flags", label: "Flags", to: FLAGS, icon: "flag", scope: "flags:read", keys: "g f", group: "bar" },
  {
    name: "forms",
    label: "Forms",
    to: "/forms",
    icon: "forms",
    scope: "forms:read",
    keys: "g o",
    group: "bar",
  },
  {
    name: "go",
    label: "Go to",
    to: "/go",
    icon: "search",
    scope: null,
    keys: "Control+K Meta+K",
    group: "find",
  },
  {
    name: "people",
    label: "Senders",
    to: "/people",
    icon: "users",
    scope: "forms:read",
    keys: "g p",
    group: "Records",
  },
  {
    name: "deliveries",
    label: "Deliveries",
    to: "/deliveries",
    icon: "send",
    scope: "forms:read",
    keys: "g d",
    group: "Records",
  },
  { name: "audit", label: "Audit", to: "/audit", icon: "history", scope: "admin", group: "Records" },
  { name: "access", label: "Access", to: "/access/users", icon: "key", scope: "admin", group: "Server" },
  { name: "health", label: "Health", to: "/health", icon: "activity", scope: "admin", group: "Server" },
  { name: "docs", label: "Documentation", to: DOCS, icon: "book", scope: null, group: "Help" },
  { name: "me", label: "You", to: "/me", icon: "user", scope: null, group: "you" },
] as const satisfies {
  name: string;
  label: string;
  to: string;
  icon: IconName;
  scope: Scope | null;
  keys?: string;
  group: "bar" | "find" | "Records" | "Server" | "Help" | "you";
}[];

export type Section = (typeof SECTIONS)[number]["name"];

/** A number that is counted in the navigation at most. */
const MAX_COUNT = 99;

/** Numbers beside sections, with the words for those who listen. */
const COUNTS = {
  today: { words: "need you", kind: "warn" },
  inbox: { words: "unread", kind: "strong" },
  deliveries: { words: "failed", kind: "bad" },
} as const satisfies Partial<Record<Section, { words: string; kind: Tone | "strong" }>>;

/** Navigations that are kept: one for each section and user, until a number changes. */
const keep = keptMarkup(200);

/** The sections that the user sees, and the way out. */
export function Navigation({ section }: { section: Section | null }) {
  const { root, caller, counts } = useView();
  const shown = SECTIONS.filter(({ scope }) => scope === null || useMaySee(scope));
  const key = JSON.stringify([root, section, caller?.name, counts, shown.map(({ name }) => name)]);
  return keep(key, () => <Sections shown={shown} section={section} />);
}

type Shown = readonly (typeof SECTIONS)[number][];

function Sections({ shown, section }: { shown: Shown; section: Section | null }) {
  const { caller } = useView();
  const inGroup = (name: string) => shown.filter(({ group }) => group === name);
  const more = shown.filter(({ group }) => group !== "bar");
  return (
    <nav class="sections" aria-label="Sections">
      <A to="/" class="brand" label="formflag, today">
        <Mark />
        <span>formflag</span>
      </A>
      <A to="/go" class="find" current={section === "go" ? "page" : undefined} shortcut="Control+K Meta+K">
        <Icon name="search" />
        Go to
        <kbd>Ctrl K</kbd>
      </A>
      <ul class="bar">
        <Links sections={inGroup("bar")} section={section} />
        <li class="more">
          <details>
            <summary aria-current={more.some(({ name }) => name === section) ? "true" : undefined}>
              <Icon name="ellipsis" />
              More
            </summary>
            <ul>
              <Links sections={more} section={section} />
            </ul>
          </details>
        </li>
      </ul>
      <div class="rest">
        {["Records", "Server", "Help"].map(
          (name) =>
            inGroup(name).length > 0 && (
              <>
                <p class="group">{name}</p>
                <ul aria-label={name}>
                  <Links sections={inGroup(name)} section={section} />
                </ul>
              </>
            ),
        )}
      </div>
      <div class="you">
        <A to="/me" current={section === "me" ? "page" : undefined}>
          <Avatar name={caller?.name ?? ""} />
          <span>
            <span class="unseen">You, </span>
            {caller?.name}
          </span>
        </A>
        <A to={KEYS} shortcut="?" label="Keys">
          <kbd>?</kbd>
        </A>
        <ButtonForm to="/sign-out" kind="plain" icon="logOut" label="Sign out" />
      </div>
    </nav>
  );
}

function Links({ sections, section }: { sections: Shown; section: Section | null }) {
  return (
    <>
      {sections.map(({ name, label, to, icon, ...each }) => (
        <li>
          <A
            to={to}
            current={name === section ? "page" : undefined}
            shortcut={"keys" in each ? each.keys : undefined}
          >
            <Icon name={icon} />
            {label}
            <Count section={name} />
          </A>
        </li>
      ))}
    </>
  );
}

/** The number of what waits in a section. */
function Count({ section }: { section: Section }) {
  const { counts } = useView();
  if (!(section in COUNTS)) return null;
  const name = section as keyof typeof COUNTS;
  const { [name]: count = 0 } = counts;
  if (count === 0) return null;
  return (
    <span class={`count ${COUNTS[name].kind}`}>
      {count > MAX_COUNT ? `${MAX_COUNT}+` : count}
      <span class="unseen"> {COUNTS[name].words}</span>
    </span>
  );
}
