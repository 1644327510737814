import { DEFAULT_PROJECT } from "../../../access/place.ts";
import { hasScope, hasScopeSomewhere, visibleProjects } from "../../../access/rights.ts";
import { DAY_MS } from "../../../base/days.ts";
import { AppError } from "../../../base/errors.ts";
import { keepLast } from "../../../base/keep.ts";
import { createRecentChanges } from "../../../flags/schedule/upcoming.ts";
import { DEFAULT_NUMBERS_DAYS, MAX_NUMBERS_DAYS } from "../../../maintenance/limits.ts";
import { type Numbers, readNumbers } from "../../../maintenance/numbers.ts";
import type { Need } from "../../../operations/today/need.ts";
import { type Coming, findComing } from "../../../operations/today/upcoming.ts";
import type { RecentRevision } from "../../../projects/history.ts";
import { listProjects } from "../../../projects/projects.ts";
import type { Page } from "../page.tsx";
import { Empty } from "../parts/card.tsx";
import { ButtonLink } from "../parts/link.tsx";
import { formPath } from "../paths.ts";
import type { Dashboard } from "../routes.ts";
import { addressOf, useMay, useMayWriteForms, useView } from "../view.ts";
import { ChangedCard, ComingCard } from "./lately.tsx";
import { needsFor } from "./needs-of.ts";
import { NeedsCard } from "./needs.tsx";
import { NumbersCard } from "./numbers.tsx";

/** Changes that are listed, and of how many days; and what happens by itself. */
const CHANGES = 6;
const CHANGED_DAYS = 30;
const COMING = 6;

/** The first page: what needs a person, numbers, what happens by itself, and what has changed. */
export function todayRoutes({ app, options, get, viewOf }: Dashboard) {
  const recentChanges = createRecentChanges(app);
  get("/", null, async (c) => {
    const caller = c.get("caller");
    const form = c.req.query("form");
    const view = viewOf(c);
    const { timeZone } = view;
    // The numbers of a form are on its own page.
    if (form) return c.redirect(addressOf(view, formPath(form)), 302);
    const days = daysIn(c.req.query("days"));
    const mayReadFlags = hasScopeSomewhere(caller, "flags:read");
    const mayReadForms = hasScopeSomewhere(caller, "forms:read");
    const since = Math.floor(app.now() / DAY_MS - CHANGED_DAYS) * DAY_MS;
    const [numbers, needs, coming, changes, projects, forms] = await Promise.all([
      mayReadForms || mayReadFlags ? readNumbers(app, caller, { days, timeZone }) : null,
      needsFor(app, options).of(caller),
      findComing(app, caller, hasScope(caller, "admin") ? (options.status?.().backup ?? null) : null, COMING),
      mayReadFlags ? recentChanges(caller, { since, limit: CHANGES }) : [],
      mayReadFlags ? listProjects(app, caller, { limit: 3 }).then(({ items }) => items) : [],
      mayReadForms
        ? app.store.forms.page({ projects: visibleProjects(caller, "forms:read"), limit: 1, after: null })
        : null,
    ]);
    // The project of forms without one is not counted beside others.
    const others = projects.filter(({ slug }) => slug !== DEFAULT_PROJECT);
    const named = others.length > 0 ? others : projects;
    return todayPage({
      numbers,
      days,
      needs,
      coming,
      changes,
      hasProject: !mayReadFlags || projects.length > 0,
      hasForm: forms === null || forms.items.length > 0,
      project: named.length === 1 ? named[0]!.slug : null,
      hasProjects: named.length > 1,
      seesFlags: mayReadFlags,
    });
  });
}

/** Throws `invalid`. */
function daysIn(text: string | undefined): number {
  if (!text) return DEFAULT_NUMBERS_DAYS;
  const days = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (days < 1 || days > MAX_NUMBERS_DAYS)
    throw new AppError("invalid", `days is a number from 1 to ${MAX_NUMBERS_DAYS}`);
  return days;
}

type Today = {
  numbers: Numbers | null;
  days: number;
  needs: readonly Need[];
  coming: readonly Coming[];
  changes: readonly RecentRevision[];
  hasProject: boolean;
  hasForm: boolean;
  /** The only project that the caller sees; null for none or several. */
  project: string | null;
  hasProjects: boolean;
  seesFlags: boolean;
};

function todayPage(today: Today): Page {
  const { numbers, days, needs, coming, changes, project, hasProject, hasForm, hasProjects } = today;
  const isBegun = hasForm || hasProject;
  return {
    title: "Today",
    section: "today",
    topics: ["submissions", "deliveries", "setup"],
    badges: <Day />,
    commands: [
      ["Show what needs you, and what happens by itself", "today"],
      ["Count submissions and reads of flags", "stats", { days }],
    ],
    content: (
      <>
        {!(hasForm && hasProject) && <FirstSteps hasForm={hasForm} hasProject={hasProject} />}
        {isBegun && <NeedsCard needs={needs} hasProjects={hasProjects} />}
        {isBegun && numbers && <NumbersCard numbers={numbers} days={days} />}
        {isBegun && (
          <div class="split two">
            <ComingCard coming={coming} project={project} />
            {today.seesFlags && <ChangedCard changes={changes} project={project} />}
          </div>
        )}
      </>
    ),
  };
}

const dayFormats = keepLast<Intl.DateTimeFormat>(50);

/** `Sunday, 29 November`. */
function Day() {
  const { now, timeZone } = useView();
  const options = { weekday: "long", day: "numeric", month: "long", timeZone } as const;
  const format = dayFormats(timeZone, () => new Intl.DateTimeFormat("en-GB", options));
  return <span class="soft">{format.format(now).replace(" ", ", ")}</span>;
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
            <ButtonLink to="/projects" icon="plus">
              Create a project
            </ButtonLink>
          )}
          <code>formflag projects create shop</code>
        </Empty>
      )}
    </div>
  );
}
