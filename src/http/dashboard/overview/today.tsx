import { DEFAULT_PROJECT } from "../../../access/place.ts";
import { hasScope, hasScopeSomewhere, requireScopeSomewhere } from "../../../access/rights.ts";
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
import { formPath } from "../paths.ts";
import type { Dashboard } from "../routes.ts";
import { addressOf, useView } from "../view.ts";
import { type Steps, isToBegin, readSteps } from "../start/read-steps.ts";
import { FirstSteps } from "../start/steps.tsx";
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
    if (!mayReadFlags && !mayReadForms) requireScopeSomewhere(caller, "read");
    const since = Math.floor(app.now() / DAY_MS - CHANGED_DAYS) * DAY_MS;
    const { signedIn } = c.get("session")!;
    const [numbers, needs, coming, changes, projects, steps] = await Promise.all([
      mayReadForms || mayReadFlags ? readNumbers(app, caller, { days, timeZone }) : null,
      needsFor(app, options).of(caller),
      findComing(app, caller, hasScope(caller, "admin") ? (options.status?.().backup ?? null) : null, COMING),
      mayReadFlags ? recentChanges(caller, { since, limit: CHANGES }) : [],
      mayReadFlags ? listProjects(app, caller, { limit: 3 }).then(({ items }) => items) : [],
      readSteps({ app, caller, signedIn, passwords: options.passwords }),
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
      steps: isToBegin(steps) ? steps : null,
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
  /** Null once there is a message and a flag. */
  steps: Steps | null;
  /** The only project that the caller sees; null for none or several. */
  project: string | null;
  hasProjects: boolean;
  seesFlags: boolean;
};

function todayPage(today: Today): Page {
  const { numbers, days, needs, coming, changes, project, steps, hasProjects } = today;
  const isBegun =
    steps === null || steps.message?.form != null || [steps.message, steps.flag].some((step) => step?.isDone);
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
        {steps && <FirstSteps steps={steps} />}
        {(isBegun || needs.length > 0) && (
          <NeedsCard needs={needs} hasProjects={hasProjects} isMain={steps === null} />
        )}
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
