import { scheduled } from "../../../operations/scheduled.ts";
import type { App } from "../../../app.ts";
import { AppError } from "../../../base/errors.ts";
import { applyPatch } from "../../../flags/flag.ts";
import { flagState } from "../../../flags/history.ts";
import { cancelScheduled } from "../../../flags/schedule/schedule.ts";
import { type ScheduledChange, noSuchScheduled } from "../../../flags/schedule/scheduled-change.ts";
import { settled } from "../../../flags/ramps/ramp-plan.ts";
import { isHeld } from "../../../flags/ramps/ramp.ts";
import { getEnvironment } from "../../../projects/environments.ts";
import { getProject } from "../../../projects/projects.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { confirmed, lastChange } from "../parts/confirm.tsx";
import { CANCEL, PROJECT, type ParametersOf, pathTo } from "../paths.ts";
import type { Dashboard } from "../routes.ts";
import { type Coming, type FoundScheduled, Planned, cancelPage, scheduledPage } from "./scheduled-page.tsx";

/** Coming changes on one page, and failed ones. */
const PAGE = 25;
const FAILED = 5;
/** Ramps that are looked through for those that have not ended. */
const RAMPS = 200;

const LIST = `${PROJECT}/scheduled` as const;

export function scheduledRoutes({ app, get, post }: Dashboard) {
  get(LIST, "flags:read", async (c, parameters) => {
    const project = await getProject(app, parameters.project);
    const environment = c.req.query("environment") || null;
    if (environment !== null) await getEnvironment(app, project.slug, environment);
    const query = { limit: PAGE, after: cursorIn(c) };
    const { items, more } = await app.store.scheduled.page(project.slug, environment, query);
    const coming = await Promise.all(items.map((each) => describe(app, project.slug, each)));
    const failed = await app.store.changes.page(project.slug, {
      kind: "scheduled",
      ...(environment === null ? {} : { environment }),
      limit: FAILED,
    });
    const ramps = await app.store.ramps.page(project.slug, environment, { limit: RAMPS });
    const held = ramps.items.map(settled).filter(isHeld);
    return scheduledPage({ project, environment, coming, more, failed: failed.items, ramps: held });
  });
  get(CANCEL, "flags:write", async (_, parameters) => cancelPage(await readScheduled(app, parameters)));
  post(CANCEL, "flags:write", async (c, fields, parameters) => {
    const { project, environment, coming } = await readScheduled(app, parameters);
    const { id, flag } = coming.scheduled;
    const place = { project: project.slug, environment: environment.slug };
    const to = pathTo(LIST, { project: project.slug });
    const done = await confirmed(
      fields,
      () => cancelScheduled(app, c.get("caller"), place, id),
      async () => ({
        title: `Confirm the cancellation for ${flag} in ${environment.slug}, ${project.slug}`,
        label: `Cancel the change of ${flag} in ${environment.slug}`,
        environments: [environment],
        change: <Planned project={project.slug} coming={coming} />,
        last: await lastChange(app, project.slug, {
          kind: "flag",
          name: flag,
          environment: environment.slug,
        }),
        back: { to, label: "Scheduled" },
      }),
      { app, caller: c.get("caller"), operation: scheduled.cancel, names: { ...place, scheduled: id } },
    );
    if (done && "content" in done) return done;
    return { to, text: `The change of ${flag} in ${environment.slug} will not be made.` };
  });
}

async function describe(app: App, project: string, scheduled: ScheduledChange): Promise<Coming> {
  const { environment, flag, patch, at, createdAt } = scheduled;
  const record = await app.store.flags.find({ project, environment, flag });
  // A flag of the same name that was created since is another flag.
  if (!record || record.createdAt > createdAt)
    return { scheduled, before: {}, after: patch, fault: "the flag has been deleted" };
  try {
    const after = applyPatch(flag, record, patch, at).record;
    return { scheduled, before: flagState(record), after: flagState(after), fault: null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { scheduled, before: {}, after: patch, fault: error.message };
  }
}

/** Reads the cursor at the end of the previous page. Throws `invalid`. */
function cursorIn(c: DashboardContext) {
  const after = c.req.query("after");
  if (!after) return undefined;
  const [, at, createdAt, id] = /^(\d{1,15})\.(\d{1,15})\.([\w-]+)$/.exec(after) ?? [];
  if (id === undefined) throw new AppError("invalid", "the address of this page is not complete");
  return { at: Number(at), createdAt: Number(createdAt), id };
}

/** Throws `not_found`. */
async function readScheduled(
  app: App,
  { id, ...place }: ParametersOf<typeof CANCEL>,
): Promise<FoundScheduled> {
  const project = await getProject(app, place.project);
  const environment = await getEnvironment(app, project.slug, place.environment);
  const scheduled = await app.store.scheduled.find(project.slug, environment.slug, id);
  if (!scheduled) throw noSuchScheduled(id);
  return { project, environment, coming: await describe(app, project.slug, scheduled) };
}
