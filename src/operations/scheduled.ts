import { AppError } from "../base/errors.ts";
import { recordOf } from "../base/kinds/records.ts";
import { MAX_LIST, nextOf } from "../base/pages.ts";
import { SLUG } from "../base/slug.ts";
import { SCHEDULE, type ScheduledChange, viewScheduled } from "../flags/schedule/scheduled-change.ts";
import { noun } from "./operation.ts";

export const scheduled = noun(
  "scheduled changes",
  async () => (await import("./schema/timed-schema.ts")).scheduled,
  {
    list: {
      method: "GET",
      path: "/projects/:project/scheduled",
      summary: "List the scheduled changes of a project, the next first",
      scope: "flags:read",
      place: "environment",
      defaults: { limit: MAX_LIST },
      isPlainQuery: (query) =>
        Object.entries(query).every(([name, value]) => name === "environment" && SLUG.test(String(value))),
      run: async ({ app, names, query: { environment = null, limit, after } }) => {
        const page = await app.store.scheduled.page(names.project, environment, {
          limit,
          after: after === undefined ? undefined : parseCursor(after),
        });
        return { scheduled: page.items.map(viewScheduled), next: nextOf(page, cursorOf) };
      },
    },
    create: {
      method: "POST",
      path: "/projects/:project/environments/:environment/flags/:flag/scheduled",
      summary: "Schedule a change of a flag in an environment",
      scope: "flags:write",
      place: "environment",
      proposes: true,
      status: 201,
      async run({ app, caller, names, body: { patch, ...given } }) {
        const { scheduleChange } = await import("../flags/schedule/schedule.ts");
        return viewScheduled(
          await scheduleChange(app, caller, names, { patch, ...recordOf(SCHEDULE, given) }),
        );
      },
    },
    cancel: {
      method: "DELETE",
      path: "/projects/:project/environments/:environment/scheduled/:scheduled",
      summary: "Cancel a scheduled change",
      scope: "flags:write",
      place: "environment",
      proposes: true,
      async run({ app, caller, names }) {
        const { cancelScheduled } = await import("../flags/schedule/schedule.ts");
        return cancelScheduled(app, caller, names, names.scheduled);
      },
    },
  },
);

type Cursor = Pick<ScheduledChange, "at" | "createdAt" | "id">;

/** A cursor stays valid when its change is applied or cancelled. */
function cursorOf({ at, createdAt, id }: Cursor): string {
  return `${at}.${createdAt}.${id}`;
}

/** Throws `invalid` for a text that is not a cursor. */
function parseCursor(cursor: string): Cursor {
  const [, at, createdAt, id] = /^(\d{1,15})\.(\d{1,15})\.([\w-]+)$/.exec(cursor) ?? [];
  if (id === undefined) throw new AppError("invalid", "after is the `next` of a page of this list");
  return { at: Number(at), createdAt: Number(createdAt), id };
}
