import { formOf } from "../forms/form-words.ts";
import { hasScopeSomewhere } from "../../../access/rights.ts";
import { type Day, HOUR_MS, lastDays } from "../../../base/days.ts";
import { AppError } from "../../../base/errors.ts";
import { createRecentChanges, createStaleCounts } from "../../../flags/schedule/upcoming.ts";
import { type FormStats, type Stats, readStats } from "../../../maintenance/stats.ts";
import { listProjects } from "../../../projects/projects.ts";
import type { RecentRevision } from "../../../projects/history.ts";
import type { Page } from "../page.tsx";
import { ButtonLink } from "../parts/link.tsx";
import type { Dashboard } from "../routes.ts";
import { CommitsChart } from "./commits-chart.tsx";
import { labelsIn } from "./series.ts";
import { type Waiting, readWaiting } from "./read-waiting.ts";
import { ReadsChart, SPANS, type Span } from "./reads-chart.tsx";
import { type Chosen, SubmissionsChart } from "./submissions-chart.tsx";
import { WaitingCard } from "./waiting.tsx";
import { Empty } from "../parts/card.tsx";
import { useMay, useMayWriteForms } from "../view.ts";

/** Days of the chart: usually, and at most. */
const DAYS = 30;
const MOST_DAYS = 183;
/** Changes of flags that are marked. */
const MAX_CHANGES = 100;
/** Projects that are looked through for changes to approve. */
const PROJECTS = 100;

/** The first page: what waits, and what has happened lately. */
export function todayRoutes({ app, options, get, viewOf }: Dashboard) {
  const staleCounts = createStaleCounts(app);
  const recentChanges = createRecentChanges(app);
  get("/", null, async (c) => {
    const caller = c.get("caller");
    const { timeZone } = viewOf(c);
    const reads = c.req.query("reads");
    const span: Span | null = reads === "week" || reads === "day" ? reads : null;
    const chosen = { days: daysIn(c.req.query("days")), form: c.req.query("form") || null };
    const [days, commits] = [lastDays(app.now(), chosen.days, timeZone), options.commitMinutes()];
    const hours = span === null ? 0 : SPANS[span].hours;
    const query = { days: chosen.days, compares: true, spam: false, hours, timeZone, commits };
    const mayReadFlags = hasScopeSomewhere(caller, "flags:read");
    const since = days[0]!.from * HOUR_MS;
    const [stats, projects, changes] = await Promise.all([
      readStats(app, caller, query),
      mayReadFlags ? listProjects(app, caller, { limit: PROJECTS }).then(({ items }) => items) : [],
      mayReadFlags ? recentChanges(caller, { since, limit: MAX_CHANGES }) : [],
    ]);
    const forms = ofForms(stats);
    if (chosen.form !== null) {
      const known = forms?.forms ?? [];
      const bySlug = known.filter((each) => each.form === chosen.form);
      const found = known.find((each) => formOf(each) === chosen.form) ?? (bySlug.length === 1 && bySlug[0]);
      if (!found) throw new AppError("not_found", `form "${chosen.form}" does not exist`);
      chosen.form = formOf(found);
    }
    return todayPage({
      stats,
      chosen,
      days,
      span,
      timeZone,
      now: app.now(),
      changes,
      waiting: await readWaiting({ app, caller, forms, projects, staleCounts }),
      hasProject: !mayReadFlags || projects.length > 0,
    });
  });
}

/** Throws `invalid`. */
function daysIn(text: string | undefined): number {
  if (!text) return DAYS;
  const days = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (days < 1 || days > MOST_DAYS) throw new AppError("invalid", `days is a number from 1 to ${MOST_DAYS}`);
  return days;
}

type Today = {
  stats: Stats;
  chosen: Chosen;
  /** Oldest first. */
  days: readonly Day[];
  /** Hours of the charts of the server; null without them. */
  span: Span | null;
  timeZone: string;
  now: number;
  changes: readonly RecentRevision[];
  waiting: Waiting;
  hasProject: boolean;
};

function todayPage({ stats, hasProject, waiting, ...rest }: Today): Page {
  const { span, now, timeZone } = rest;
  const forms = ofForms(stats);
  const hasForm = forms === null || forms.forms.length > 0;
  const labels = labelsIn(timeZone);
  return {
    title: "Today",
    section: "today",
    topics: ["submissions", "deliveries", "setup"],
    content: (
      <>
        {!(hasForm && hasProject) && <FirstSteps hasForm={hasForm} hasProject={hasProject} />}
        {(hasForm || hasProject) && <WaitingCard waiting={waiting} />}
        {forms && hasForm && <SubmissionsChart {...rest} stats={forms} labels={labels} />}
        {span === null ? (
          <p>
            <ButtonLink to="/" query={{ ...rest.chosen, reads: "day" }} kind="quiet" icon="activity">
              Evaluations of flags, and commits
            </ButtonLink>
          </p>
        ) : (
          <div class="columns wide">
            {stats.reads && hasProject && (
              <ReadsChart reads={stats.reads} span={span} now={now} labels={labels} />
            )}
            {stats.commits && (hasForm || hasProject) && (
              <CommitsChart minutes={stats.commits} now={now} labels={labels} />
            )}
          </div>
        )}
      </>
    ),
  };
}

/** Null for a caller that may not read forms. */
function ofForms({ forms, submissions, before = [], deliveries }: Stats): Required<FormStats> | null {
  return forms && submissions && deliveries ? { forms, submissions, before, deliveries } : null;
}

/** First steps, if there is no form or no project yet. */
function FirstSteps({ hasForm, hasProject }: { hasForm: boolean; hasProject: boolean }) {
  return (
    <div class="columns">
      {!hasForm && (
        <Empty title="There is no form yet">
          <p>A form takes what people send from your pages, and keeps it in the inbox.</p>
          {useMayWriteForms(null) && (
            <ButtonLink to="/forms/new" kind="primary" icon="plus">
              Create a form
            </ButtonLink>
          )}
          <code>formflag forms create contact</code>
        </Empty>
      )}
      {!hasProject && (
        <Empty title="There is no project yet">
          <p>A project holds the flags of an application, with a value for each environment.</p>
          {useMay("flags:write") && (
            <ButtonLink to="/projects" kind="primary" icon="plus">
              Create a project
            </ButtonLink>
          )}
          <code>formflag projects create shop</code>
        </Empty>
      )}
    </div>
  );
}
