import { scheduled as operations } from "../../../operations/scheduled.ts";
import type { App } from "../../../app.ts";
import { AppError } from "../../../base/errors.ts";
import { applyPatch } from "../../../flags/flag.ts";
import { flagState } from "../../../flags/history.ts";
import { noSuchScheduled, viewScheduled } from "../../../flags/schedule/scheduled-change.ts";
import { settled } from "../../../flags/ramps/ramp-plan.ts";
import { isHeld } from "../../../flags/ramps/ramp.ts";
import { getEnvironment } from "../../../projects/environments.ts";
import { getProject } from "../../../projects/projects.ts";
import { lastChange } from "../parts/confirm.tsx";
import { CANCEL, PROJECT, type ParametersOf, pathTo } from "../paths.ts";
import type { Dashboard, Sent } from "../routes.ts";
import { type Coming, type FoundScheduled, Planned, cancelPage, scheduledPage } from "./scheduled-page.tsx";

/** Coming changes on one page, and failed ones. */
const PAGE = 25;
const FAILED = 5;
/** Ramps that are looked through for those that have not ended. */
const RAMPS = 200;

const LIST = `${PROJECT}/scheduled` as const;

export function scheduledRoutes({ app, get, post, act, perform }: Dashboard) {
  get(LIST, "flags:read", async (c, { project: slug }) => {
    const environment = c.req.query("environment") || undefined;
    const [project, { scheduled, next }, failed, ramps] = await Promise.all([
      getProject(app, slug),
      perform(c, operations.list, {
        names: { project: slug },
        query: { environment, limit: PAGE, after: c.req.query("after") || undefined },
      }),
      app.store.changes.page(slug, { kind: "scheduled", environment, limit: FAILED }),
      app.store.ramps.page(slug, environment ?? null, { limit: RAMPS }),
      environment && getEnvironment(app, slug, environment),
    ]);
    const coming = await Promise.all(scheduled.map((each) => describe(app, slug, each)));
    const held = ramps.items.map(settled).filter(isHeld);
    return scheduledPage({ project, environment, coming, next, failed: failed.items, ramps: held });
  });
  const cancel = act({
    operation: operations.cancel,
    input: ({ names: { project, environment, coming } }: Sent<FoundScheduled>) => ({
      names: { project: project.slug, environment: environment.slug, scheduled: coming.scheduled.id },
    }),
    async confirm({ names: { project, environment, coming } }) {
      const { flag: name } = coming.scheduled;
      return {
        title: `Confirm the cancellation for ${name} in ${environment.slug}, ${project.slug}`,
        label: `Cancel the change of ${name} in ${environment.slug}`,
        environments: [environment],
        change: <Planned project={project.slug} coming={coming} />,
        last: await lastChange(app, project.slug, { kind: "flag", name, environment: environment.slug }),
        back: { to: pathTo(LIST, { project: project.slug }), label: "Scheduled" },
      };
    },
    done: (_, { names: { project, environment, coming } }) => ({
      to: pathTo(LIST, { project: project.slug }),
      text: `The change of ${coming.scheduled.flag} in ${environment.slug} will not be made.`,
    }),
  });
  get(CANCEL, "flags:write", async (_, names) => cancelPage(await readScheduled(app, names)));
  post(CANCEL, "flags:write", async (c, fields, names) => cancel(c, fields, await readScheduled(app, names)));
}

async function describe(app: App, project: string, scheduled: Coming["scheduled"]): Promise<Coming> {
  const { environment, flag, patch, at, createdAt } = scheduled;
  const record = await app.store.flags.find({ project, environment, flag });
  // A flag of the same name that was created since is another flag.
  if (!record || record.createdAt > Date.parse(createdAt))
    return { scheduled, before: {}, after: patch, fault: "the flag has been deleted" };
  try {
    const after = applyPatch(flag, record, patch, Date.parse(at)).record;
    return { scheduled, before: flagState(record), after: flagState(after), fault: null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { scheduled, before: {}, after: patch, fault: error.message };
  }
}

/** Throws `not_found`. */
async function readScheduled(
  app: App,
  { project, environment, id }: ParametersOf<typeof CANCEL>,
): Promise<FoundScheduled> {
  const [found, where, scheduled] = await Promise.all([
    getProject(app, project),
    getEnvironment(app, project, environment),
    app.store.scheduled.find(project, environment, id),
  ]);
  if (!scheduled) throw noSuchScheduled(id);
  return {
    project: found,
    environment: where,
    coming: await describe(app, project, viewScheduled(scheduled)),
  };
}
