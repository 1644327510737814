import { isoTime } from "../base/clock.ts";
import { DEFAULT_STATS_DAYS, DEFAULT_STATS_HOURS, readStats } from "../maintenance/stats.ts";
import { DEFAULT_NUMBERS_DAYS } from "../maintenance/limits.ts";
import { selectionIn } from "./form-query.ts";
import { noun } from "./operation.ts";

export const stats = noun("stats", () => import("./schema/stats-schema.ts"), {
  numbers: {
    method: "GET",
    path: "/stats/numbers",
    summary:
      "Count submissions, spam, first answers and reads of flags, and compare them with the days before",
    scope: "read",
    place: "seen",
    defaults: { days: DEFAULT_NUMBERS_DAYS },
    run: async ({ app, caller, query }) => {
      const { readNumbers } = await import("../maintenance/numbers.ts");
      return readNumbers(app, caller, query);
    },
  },
  read: {
    method: "GET",
    path: "/stats",
    summary: "Count submissions and reads of flags",
    scope: "read",
    place: "seen",
    defaults: { days: DEFAULT_STATS_DAYS, hours: DEFAULT_STATS_HOURS },
    run: async ({ app, deployment, caller, query }) => {
      const commits = deployment.commitMinutes();
      const { days, hours } = query;
      const selection = { days, hours, ...selectionIn(query), commits };
      const { commits: seen, ...stats } = await readStats(app, caller, selection);
      const shown = seen?.map((each) => ({ ...each, at: isoTime(each.at) }));
      const view = { ...stats, ...(shown && { commits: shown }) };
      // A token without the scope for a part is not sent it, which the description leaves out.
      return view as Required<typeof view>;
    },
  },
});
