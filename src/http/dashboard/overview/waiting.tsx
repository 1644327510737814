import type { Child } from "../markup.ts";
import type { StaleFlag } from "../../../flags/flag-schema.ts";
import { MAX_UPCOMING } from "../../../flags/schedule/upcoming.ts";
import { Card } from "../parts/card.tsx";
import { Icon, type IconName } from "../parts/icon.tsx";
import { A, ButtonLink } from "../parts/link.tsx";
import { Foreign, counted } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { flagPath, inboxPath, projectPath, settingPath } from "../paths.ts";
import { useView } from "../view.ts";
import { type FailingTarget, MOST_MINE, type Waiting } from "./read-waiting.ts";

/** Work that waits, each item with the button that leads to it. */
export function WaitingCard({ waiting }: { waiting: Waiting }) {
  const { targets, upcoming, stale, proposals, mine, unread } = waiting;
  const isIdle =
    [targets, stale, proposals, unread].every(({ length }) => length === 0) && mine === 0 && !upcoming?.next;
  return (
    <Card id="waiting-title" title="Waiting">
      {isIdle ? (
        <p class="soft">Nothing waits.</p>
      ) : (
        <ul class="waiting" aria-label="Waiting">
          {targets.map((each) => (
            <Target failing={each} />
          ))}
          {upcoming?.next && <Upcoming count={upcoming.count} next={upcoming.next} />}
          {stale.map(({ project, count, oldest }) => (
            <Item
              kind="stale"
              icon="flag"
              to={`${projectPath(project)}/stale`}
              label={count === 1 ? "See why" : `See all ${counted(count, "flag")}`}
              of={project}
            >
              <A to={flagPath(project, oldest.slug)}>{oldest.slug}</A> of {project} <Why stale={oldest} />
            </Item>
          ))}
          {proposals.map(({ id, project, summary, who, createdAt }) => (
            <Item
              kind="proposal"
              icon="check"
              to={`${projectPath(project)}/changes/${encodeURIComponent(id)}`}
              label="Review"
              of={id}
            >
              <Foreign text={who} /> proposes in {project}: <Foreign text={summary} />,{" "}
              <Time at={Date.parse(createdAt)} />
            </Item>
          ))}
          {mine > 0 && (
            <Item
              kind="unread"
              icon="user"
              to="/inbox"
              query={{ q: "is:mine", unread: 1 }}
              label="Read"
              of="assigned to you"
            >
              {mine === MOST_MINE
                ? `${MOST_MINE} or more unread submissions`
                : counted(mine, "unread submission")}{" "}
              assigned to you
            </Item>
          )}
          {unread.map(({ form, count }) => (
            <Item
              kind="unread"
              icon="inbox"
              to={inboxPath(form)}
              query={{ unread: 1 }}
              label="Read"
              of={form}
            >
              {counted(count, "unread submission")} to {form}
            </Item>
          ))}
        </ul>
      )}
    </Card>
  );
}

type ItemProps = {
  kind: "target" | "change" | "stale" | "proposal" | "unread";
  icon: IconName;
  to: string;
  query?: Parameters<typeof ButtonLink>[0]["query"];
  label: string;
  /** Tells buttons of one label apart for those who listen. */
  of: string;
  children?: Child;
};

function Item({ kind, icon, to, query, label, of, children }: ItemProps) {
  return (
    <li data-waiting={kind} id={`waiting-${kind}-${encodeURIComponent(of)}`}>
      <Icon name={icon} />
      <span>{children}</span>
      <ButtonLink to={to} {...(query && { query })} label={`${label}: ${of}`}>
        {label}
      </ButtonLink>
    </li>
  );
}

function Target({ failing: { recipient, subject, form, last, count } }: { failing: FailingTarget }) {
  return (
    <Item
      kind="target"
      icon="alert"
      to={count === 1 ? `/deliveries/${last.id}` : "/deliveries"}
      query={count === 1 ? {} : { status: "failed", form }}
      label={count === 1 ? "See why" : `See ${counted(count, "delivery", "deliveries")}`}
      of={`${recipient} for ${subject}`}
    >
      <Foreign text={recipient} /> fails for {subject}
      {last.error !== null && (
        <>
          : <Foreign text={last.error} />
        </>
      )}
    </Item>
  );
}

type Next = NonNullable<NonNullable<Waiting["upcoming"]>["next"]>;

function Upcoming({ count, next }: { count: number; next: Next }) {
  const { project, environment, flag, at } = next;
  const more = `${(count - 1).toLocaleString("en")}${count >= MAX_UPCOMING ? "+" : ""}`;
  return (
    <Item
      kind="change"
      icon="clock"
      to={`${projectPath(project)}/scheduled`}
      label="See what changes"
      of={`${flag} in ${environment}`}
    >
      <A to={settingPath({ project, environment, flag })}>{flag}</A> of {project} changes in {environment}{" "}
      <Time at={Date.parse(at)} />
      {count > 1 && `, and ${more} more`}
    </Item>
  );
}

const REASONS = {
  expired: "has expired",
  settled: "gives everybody the same",
  unread: "is not read",
  unreferenced: "is in no code",
} as const satisfies Record<StaleFlag["reasons"][number], string>;

/** `gives everybody the same for 41 days`. */
function Why({ stale: { reasons, since } }: { stale: StaleFlag }) {
  const days = Math.floor((useView().now - Date.parse(since)) / 86_400_000);
  return (
    <>
      {REASONS[reasons[0]!]}
      {days > 0 && ` for ${counted(days, "day")}`}
    </>
  );
}
