import { type AuditEntry, AUDITED_NOUNS } from "../../../access/audit/entry.ts";
import { listAudit } from "../../../access/audit/audit.ts";
import { AppError } from "../../../base/errors.ts";
import { hasScope, visibleProjects } from "../../../access/rights.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import type { Page } from "../page.tsx";
import { SelectField, TextField } from "../parts/field.tsx";
import { ButtonLink } from "../parts/link.tsx";
import { BY_AGE, FilterForm, List } from "../parts/list.tsx";
import { Empty } from "../parts/card.tsx";
import { Badge, type Tone } from "../parts/status.tsx";
import type { Column } from "../parts/table.tsx";
import { Foreign, visible } from "../parts/text.tsx";
import { ExactTime } from "../parts/time.tsx";
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
    const page = await listAudit(app, caller, {
      project: filter.project,
      action: filter.action,
      who: filter.who,
      since: timeIn(filter.since ?? "", "since", timeZone),
      until: timeIn(filter.until ?? "", "until", timeZone),
      before: filter.before,
      limit: PAGE,
    });
    const all = (await app.store.projects.list()).map(({ slug }) => slug);
    const visible = visibleProjects(caller, "admin");
    const projects = visible === null ? all : all.filter((slug) => visible.includes(slug));
    return auditPage(projects, filter, page, hasScope(caller, "admin"));
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
  projects: readonly string[],
  filter: Filter,
  { items, more }: { items: AuditEntry[]; more: boolean },
  isInstance: boolean,
): Page {
  const { before, ...chosen } = filter;
  const { project = "", action = "", who = "", since = "", until = "" } = chosen;
  const isFiltered = Object.values(chosen).some((value) => value !== undefined);
  return {
    title: "Audit log",
    section: "audit",
    commands: [
      [
        "Lists the same",
        "audit list",
        {
          p: project || null,
          action: action || null,
          who: who || null,
          before,
        },
      ],
      ["Checks that nothing was changed", "audit verify"],
    ],
    content: (
      <List
        filters={
          <FilterForm to={PATH} label="Filter">
            <SelectField
              name="project"
              label="Project"
              value={project}
              options={[
                { value: "", label: isInstance ? "Everything" : "Your projects" },
                ...projects.map((slug) => ({ value: slug, label: slug })),
              ]}
            />
            <SelectField name="action" label="Action" value={action} options={actionsFor(action)} />
            <TextField name="who" label="Who" type="search" value={who} />
            <TextField name="since" label="From" type="date" value={since} />
            <TextField name="until" label="Before" type="date" value={until} />
          </FilterForm>
        }
        empty={
          <Empty title={isFiltered ? "No entry matches" : "Nothing has been recorded yet"}>
            {isFiltered && <ButtonLink to={PATH}>Show every entry</ButtonLink>}
          </Empty>
        }
        caption="Audit log"
        rows={items}
        keyOf={({ id }) => `entry-${id}`}
        columns={COLUMNS}
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

/** The nouns; an action that an address names is one more. */
function actionsFor(action: string) {
  const known = AUDITED_NOUNS.map((noun) => ({ value: noun as string, label: NOUN_WORDS[noun] }));
  const given =
    action === "" || known.some(({ value }) => value === action)
      ? []
      : [{ value: action, label: actionInWords(action) }];
  return [{ value: "", label: "Any" }, ...known, ...given];
}

const COLUMNS: readonly Column<AuditEntry>[] = [
  { label: "Action", heading: true, cell: ({ action }) => <Action action={action} /> },
  {
    label: "Who",
    cell: ({ who, type }) =>
      who === null ? (
        <span class="soft">nobody known</span>
      ) : (
        <span class="cut" title={visible(who)}>
          <Foreign text={who} />{" "}
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
        {project !== null && project !== object && <span class="soft small whole"> in {project}</span>}
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
