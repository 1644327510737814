import { type AuditEntry, AUDITED_NOUNS } from "../../../access/audit/entry.ts";
import { countAudit, listAudit } from "../../../access/audit/audit.ts";
import { COUNTED_ENTRIES } from "../../../access/audit/audit-store.ts";
import { DAY_MS } from "../../../base/days.ts";
import { AppError } from "../../../base/errors.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import type { Page } from "../page.tsx";
import { A, ButtonLink } from "../parts/link.tsx";
import { BY_AGE, List } from "../parts/list.tsx";
import { Chips } from "../parts/seg.tsx";
import { Empty } from "../parts/card.tsx";
import { Badge, type Tone } from "../parts/status.tsx";
import type { Column } from "../parts/table.tsx";
import { Foreign, visible } from "../parts/text.tsx";
import { ExactTime } from "../parts/time.tsx";
import { wallTime } from "../../../base/wall-time.ts";
import { timeIn } from "../inbox/query.ts";
import type { Dashboard } from "../routes.ts";
import { useView } from "../view.ts";
import { NOUN_WORDS, actionInWords, detailsInWords, restOf, thingInWords } from "./audit-words.ts";

/** Entries on one page. */
const PAGE = 50;

const PATH = "/audit";

export function auditRoutes({ app, get, viewOf }: Dashboard) {
  get(PATH, null, async (c) => {
    const caller = c.get("caller");
    const filter = filterOf(c);
    const { timeZone } = viewOf(c);
    const { project, action, who } = filter;
    const chosen = {
      project,
      who,
      since: timeIn(filter.since ?? "", "since", timeZone),
      until: timeIn(filter.until ?? "", "until", timeZone),
    };
    const [page, counts] = await Promise.all([
      listAudit(app, caller, { ...chosen, action, before: filter.before, limit: PAGE }),
      countAudit(app, caller, chosen),
    ]);
    return auditPage(filter, page, counts);
  });
}

type Filter = {
  project?: string | undefined;
  action?: string | undefined;
  who?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  before?: number | undefined;
};

/** The filter in the query of the page. Throws `invalid`. */
function filterOf(c: DashboardContext): Filter {
  const textOf = (name: string) => c.req.query(name)?.trim() || undefined;
  const before = textOf("before");
  if (before !== undefined && !/^\d{1,15}$/.test(before))
    throw new AppError("invalid", "the id of an entry is a number");
  return {
    project: textOf("project"),
    action: textOf("action"),
    who: textOf("who"),
    since: textOf("since"),
    until: textOf("until"),
    before: before === undefined ? undefined : Number(before),
  };
}

function auditPage(
  { before, ...chosen }: Filter,
  { items, more }: { items: AuditEntry[]; more: boolean },
  counts: ReadonlyMap<string, number>,
): Page {
  const { project, action, who } = chosen;
  const isFiltered = Object.values(chosen).some((value) => value !== undefined);
  return {
    title: "Audit log",
    section: "audit",
    commands: [
      [
        "Lists the same",
        "audit list",
        { p: project ?? null, action: action ?? null, who: who ?? null, before },
      ],
      ["Checks that nothing was changed", "audit verify"],
    ],
    content: (
      <List
        filters={<Filters chosen={chosen} counts={counts} />}
        empty={
          <Empty title={isFiltered ? "No entry matches" : "Nothing has been recorded yet"}>
            {isFiltered && <ButtonLink to={PATH}>Show every entry</ButtonLink>}
          </Empty>
        }
        caption="Audit log"
        rows={items}
        keyOf={({ id }) => `entry-${id}`}
        columns={columnsFor(chosen)}
        pages={{
          to: PATH,
          query: chosen,
          isLater: before !== undefined,
          next: more && { before: items.at(-1)!.id },
          words: BY_AGE,
        }}
      />
    ),
  };
}

type Chosen = Omit<Filter, "before">;

/** The kinds of entries with their numbers, what else is chosen, and the days from which on they are. */
function Filters({ chosen, counts }: { chosen: Chosen; counts: ReadonlyMap<string, number> }) {
  const { now, timeZone } = useView();
  const { project, action, who, since, until } = chosen;
  const chip = (label: string, query: Chosen, isCurrent: boolean, count: number | string | null = null) => ({
    to: PATH,
    query: { ...chosen, ...query },
    label,
    isCurrent,
    count,
  });
  const countOf = (noun: string) =>
    [...counts].reduce((sum, [each, count]) => (each.startsWith(`${noun}.`) ? sum + count : sum), 0);
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const ofNouns = AUDITED_NOUNS.flatMap((noun) => {
    const [count, isCurrent] = [countOf(noun), noun === action];
    return count > 0 || isCurrent ? [chip(NOUN_WORDS[noun], { action: noun }, isCurrent, count)] : [];
  });
  const fromDay = (days: number) => wallTime(now - days * DAY_MS, timeZone).slice(0, 10);
  const spans = [
    ["Any time", undefined],
    ["Today", fromDay(0)],
    ["7 days", fromDay(6)],
    ["30 days", fromDay(29)],
  ] as const;
  const given = [
    ...(action?.includes(".") ? [chip(`${actionInWords(action)} ×`, { action: undefined }, true)] : []),
    ...(project === undefined ? [] : [chip(`In ${visible(project)} ×`, { project: undefined }, true)]),
    ...(who === undefined ? [] : [chip(`By ${visible(who)} ×`, { who: undefined }, true)]),
    ...(spans.some(([, from]) => from === since)
      ? []
      : [chip(`From ${visible(since ?? "")} ×`, { since: undefined }, true)]),
    ...(until === undefined ? [] : [chip(`Before ${visible(until)} ×`, { until: undefined }, true)]),
  ];
  return (
    <div class="toolbar">
      <Chips
        label="Kind"
        chips={[
          chip(
            "All",
            { action: undefined },
            action === undefined,
            all < COUNTED_ENTRIES ? all : `${all.toLocaleString("en")}+`,
          ),
          ...ofNouns,
        ]}
      />
      <Chips
        label="Time"
        chips={spans.map(([label, from]) => chip(label, { since: from, until: undefined }, from === since))}
      />
      {given.length > 0 && <Chips label="Chosen" chips={given} />}
    </div>
  );
}

const columnsFor = (chosen: Chosen): readonly Column<AuditEntry>[] => [
  { label: "Action", heading: true, cell: ({ action }) => <Action action={action} /> },
  {
    label: "Who",
    cell: ({ who, type }) =>
      who === null ? (
        <span class="soft">unknown</span>
      ) : (
        <span class="cut" title={visible(who)}>
          <A to={PATH} query={{ ...chosen, who }}>
            <Foreign text={who} />
          </A>{" "}
          {type !== "user" && type !== "system" && <span class="soft small">{type}</span>}
        </span>
      ),
  },
  {
    label: "What",
    cell: ({ action, project, object, details }) => (
      <>
        {object !== null && (
          <span class="cut" title={visible(object)}>
            <Foreign text={thingInWords(action, details) ?? object} />
          </span>
        )}
        {project !== null && project !== object && (
          <span class="soft small whole">
            {" "}
            in{" "}
            <A to={PATH} query={{ ...chosen, project }}>
              {project}
            </A>
          </span>
        )}
      </>
    ),
  },
  {
    label: "Details",
    cell: ({ action, details }) => {
      const rest = restOf(action, details);
      return Object.keys(rest).length > 0 && <Details details={rest} />;
    },
  },
  { label: "When", cell: ({ at }) => <ExactTime at={at} /> },
  { label: "Address", cell: ({ address }) => address !== null && <span class="small whole">{address}</span> },
];

/** An action in words, with its name in the API as the title. */
function Action({ action }: { action: string }) {
  const tone = toneOf(action);
  const words = actionInWords(action);
  return (
    <span class="whole" title={action}>
      {tone === null ? words : <Badge tone={tone}>{words}</Badge>}
    </span>
  );
}

/** Null for what needs no attention. */
function toneOf(action: string): Tone | null {
  if (/\.(?:fail|bypass)$/.test(action)) return "bad";
  return /\.(?:delete|purge|revoke|remove|reset|reject)$/.test(action) ? "warn" : null;
}

function Details({ details }: Pick<AuditEntry, "details">) {
  return <span class="small">{visible(detailsInWords(details, useView().timeZone))}</span>;
}
