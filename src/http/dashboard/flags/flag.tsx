import { Hono } from "hono/quick";
import type { Caller } from "../../../access/caller.ts";
import type { App } from "../../../app.ts";
import { AppError } from "../../../base/errors.ts";
import { noSuchFlag } from "../../../flags/flag.ts";
import { deleteFlag } from "../../../flags/flags.ts";
import { flagInEveryEnvironment } from "../../../flags/overviews.ts";
import { getProject } from "../../../projects/projects.ts";
import type { DashboardContext, DashboardEnv } from "../dashboard-env.ts";
import { revisionIn, textOf } from "../fields.ts";
import { confirmed, lastChange } from "../parts/confirm.tsx";
import { projectPath } from "../parts/project-tabs.tsx";
import type { Dashboard } from "../routes.ts";
import { Readers, type WholeFlag, isRead } from "./deletion.tsx";
import { flagPage } from "./flag-page.tsx";
import { flagPath } from "./paths.ts";
import { ratesOf } from "./rates.ts";

/** Environments for which reads are counted, and scheduled changes that are looked through. */
const COUNTED = 50;
const SCHEDULED = 200;

export function flagPageRoutes({ app, page, action }: Dashboard) {
  const read = (c: DashboardContext) =>
    readFlag(app, c.get("caller"), c.req.param("project")!, c.req.param("flag")!);

  return new Hono<DashboardEnv>()
    .get(
      "/projects/:project/flags/:flag",
      page("flags:read", async (c) => flagPage(await read(c), null)),
    )
    .post(
      "/projects/:project/flags/:flag/delete",
      action("flags:write", async (c, fields) => {
        const whole = await read(c);
        const { flag } = whole;
        const project = whole.project.slug;
        const typed = { name: textOf(fields, "name"), why: textOf(fields, "why") };
        if (typed.name.trim() !== flag)
          return flagPage(whole, { ...typed, fault: `Type ${flag}: nothing is deleted.` });
        try {
          return await confirmed(
            fields,
            async () => {
              await deleteFlag(app, c.get("caller"), { project, flag }, revisionIn(fields));
              return { to: projectPath(project), text: `The flag ${flag} is deleted.` };
            },
            async () => ({
              title: `Confirm: delete ${flag}, ${project}`,
              label: `Delete ${flag} in every environment`,
              environments: whole.project.environments,
              change: <Change whole={whole} now={app.now()} />,
              last: await lastChange(app, project, { kind: "flag", name: flag, environment: null }),
              back: { to: flagPath(project, flag), label: flag },
            }),
          );
        } catch (error) {
          if (!(error instanceof AppError) || error.reason !== "revision-differs") throw error;
          const fault =
            "The flag was changed meanwhile. Check it again, and delete it if that is still right.";
          return { ...flagPage(await read(c), { ...typed, fault }), status: 409 };
        }
      }),
    );
}

function Change({ whole: { flag, places }, now }: { whole: WholeFlag; now: number }) {
  const readers = places.filter((place) => isRead(place, now));
  return (
    <div class="stack">
      <p>
        {flag} is deleted in {places.map(({ environment }) => environment.slug).join(", ")}.
      </p>
      {readers.length > 0 && (
        <div>
          <p>Applications still read it:</p>
          <Readers readers={readers} />
        </div>
      )}
    </div>
  );
}

/** Reads a flag in every environment of its project. Throws `not_found`. */
async function readFlag(app: App, caller: Caller, slug: string, flag: string): Promise<WholeFlag> {
  const project = await getProject(app, slug);
  const records = new Map(
    (await flagInEveryEnvironment(app, slug, flag)).map(({ environment, record }) => [environment, record]),
  );
  const statuses = await app.store.flags.statuses(slug, [flag]);
  const environments = project.environments.slice(0, COUNTED);
  const rateOf = await ratesOf(app, caller, { project: slug, environments }, flag);
  const places = project.environments.flatMap((environment) => {
    const record = records.get(environment.slug);
    if (!record) return [];
    const status = statuses.find((each) => each.environment === environment.slug);
    return [{ environment, record, readAt: status?.readAt ?? null, rate: rateOf(environment.slug, flag) }];
  });
  if (places.length === 0) throw noSuchFlag(flag);
  const { items } = await app.store.scheduled.page(slug, null, { limit: SCHEDULED });
  return { project, flag, places, scheduled: items.filter((each) => each.flag === flag) };
}
