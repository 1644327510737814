import { Hono } from "hono/quick";
import { requireScope } from "../../../access/token.ts";
import { AppError } from "../../../base/errors.ts";
import { noSuchFlag } from "../../../flags/flag.ts";
import type { DashboardContext, DashboardEnv } from "../dashboard-env.ts";
import { textOf } from "../fields.ts";
import type { Dashboard } from "../routes.ts";
import { serverOf, settingCommands } from "./commands.ts";
import { type Setting, readSetting } from "./setting-data.ts";
import { type Attempt, settingPage } from "./setting-page.tsx";
import { changeState } from "./setting-state.ts";
import { changeValues } from "./setting-values.ts";

const PATH = "/projects/:project/environments/:environment/flags/:flag";

/** What the buttons of the page do, by the value that each sends. */
const ACTS = new Map([
  ...["state", "for", "state-at"].map((act) => [act, changeState] as const),
  ...["save", "schedule", "try", "row", "rows", "json"].map((act) => [act, changeValues] as const),
]);

export function settingRoutes(dashboard: Dashboard) {
  const { app, options, page, action, viewOf } = dashboard;
  const read = (c: DashboardContext) => {
    const { project, environment, flag } = c.req.param() as Record<string, string>;
    const place = { project: project!, environment: environment!, flag: flag! };
    return readSetting(app, c.get("caller"), place);
  };
  const show = (c: DashboardContext, setting: Setting, attempt: Attempt | null) =>
    settingPage(setting, settingCommands(setting, serverOf(c, options)), attempt);

  return new Hono<DashboardEnv>()
    .get(
      PATH,
      page("flags:read", async (c) => {
        const setting = await read(c);
        if (setting.record.revision === 0 && !(await app.store.flags.find(setting.place)))
          throw noSuchFlag(setting.place.flag);
        return show(c, setting, null);
      }),
    )
    .post(
      PATH,
      action("flags:read", async (c, fields) => {
        const act = textOf(fields, "act") || "save";
        const caller = c.get("caller");
        const setting = await read(c);
        // Trying changes nothing, so those who may read may try.
        if (act !== "try") requireScope(caller, "flags:write", setting.place);
        const timeZone = viewOf(c).timeZone;
        const run = ACTS.get(act);
        if (!run) throw new AppError("invalid", "this form is not known here: load the page again");
        const outcome = await run(act, { dashboard, caller, fields, setting, timeZone });
        if (!("status" in outcome) || "content" in outcome) return outcome;
        // What is stored may have changed while the form was on its way.
        return show(c, await read(c), outcome);
      }),
    );
}
