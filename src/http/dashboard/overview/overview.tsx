import { hasScopeSomewhere } from "../../../access/rights.ts";
import { type Day, HOUR_MS, lastDays } from "../../../base/days.ts";
import {
  type StaleCount,
  type Upcoming,
  createStaleCounts,
  recentChanges,
  upcomingChanges,
} from "../../../flags/schedule/upcoming.ts";
import { type FormStats, type Stats, readStats } from "../../../maintenance/stats.ts";
import { listProjects } from "../../../projects/projects.ts";
import type { RecentChange } from "../../../projects/history.ts";
import type { Page } from "../page.tsx";
import type { Dashboard } from "../routes.ts";
import { CommitsChart } from "./commits-chart.tsx";
import { labelsIn } from "./series.ts";
import { ReadsChart, SPANS, type Span } from "./reads-chart.tsx";
import { SubmissionsChart } from "./submissions-chart.tsx";
import { FirstSteps, FlagTiles, FormTiles } from "./tiles.tsx";

const DAYS = 30;
/** Changes of flags that are marked. */
const MAX_CHANGES = 100;

/** The first page: what waits, and what has happened lately. */
export function overviewRoutes({ app, options, get, viewOf }: Dashboard) {
  const staleCounts = createStaleCounts(app);
  get("/", null, async (c) => {
    const caller = c.get("caller");
    const { timeZone } = viewOf(c);
    const span: Span = c.req.query("reads") === "week" ? "week" : "day";
    const [days, commits] = [lastDays(app.now(), DAYS, timeZone), options.commitMinutes()];
    const { hours } = SPANS[span];
    const stats = await readStats(app, caller, { days: DAYS, hours, timeZone, commits });
    const mayReadFlags = hasScopeSomewhere(caller, "flags:read");
    const since = days[0]!.from * HOUR_MS;
    return overviewPage({
      stats,
      days,
      span,
      timeZone,
      now: app.now(),
      changes: mayReadFlags ? await recentChanges(app, caller, { since, limit: MAX_CHANGES }) : [],
      upcoming: mayReadFlags ? await upcomingChanges(app, caller) : null,
      stale: mayReadFlags ? await staleCounts(caller) : [],
      hasProject: !mayReadFlags || (await listProjects(app, caller, { limit: 1 })).items.length > 0,
    });
  });
}

type Overview = {
  stats: Stats;
  days: readonly Day[];
  span: Span;
  timeZone: string;
  now: number;
  changes: readonly RecentChange[];
  upcoming: Upcoming | null;
  stale: readonly StaleCount[];
  hasProject: boolean;
};

function overviewPage({ stats, hasProject, upcoming, stale, ...rest }: Overview): Page {
  const { days, span, timeZone, now, changes } = rest;
  const forms = ofForms(stats);
  const hasForm = forms === null || forms.forms.length > 0;
  const labels = labelsIn(timeZone);
  return {
    title: "Overview",
    section: "overview",
    topics: ["submissions", "deliveries", "setup"],
    content: (
      <>
        {!(hasForm && hasProject) && <FirstSteps hasForm={hasForm} hasProject={hasProject} />}
        {(hasForm || hasProject) && (
          <ul class="tiles">
            {forms && <FormTiles stats={forms} />}
            {upcoming && <FlagTiles upcoming={upcoming} stale={stale} />}
          </ul>
        )}
        {forms && hasForm && (
          <SubmissionsChart days={days} stats={forms} changes={changes} labels={labels} timeZone={timeZone} />
        )}
        <div class="columns wide">
          {stats.reads && hasProject && (
            <ReadsChart reads={stats.reads} span={span} now={now} labels={labels} />
          )}
          {stats.commits && (hasForm || hasProject) && (
            <CommitsChart minutes={stats.commits} now={now} labels={labels} />
          )}
        </div>
      </>
    ),
  };
}

/** Null for a caller that may not read forms. */
function ofForms({ forms, submissions, deliveries }: Stats): FormStats | null {
  return forms && submissions && deliveries ? { forms, submissions, deliveries } : null;
}
