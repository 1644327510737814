import { hasScope } from "../../access/rights.ts";
import { isoTime } from "../../base/clock.ts";
import { type Call, noun } from "../operation.ts";

/** Items that are listed of what happens by itself. */
const MOST = 50;

/** Work of people, and what happens without them. */
export const today = noun("today", () => import("./today-schema.ts"), {
  needs: {
    method: "GET",
    path: "/needs",
    summary: "List what needs the caller, the worst first",
    scope: "read",
    place: "seen",
    run: async ({ app, caller, deployment }) => {
      const { findNeeds } = await import("./needs.ts");
      const server = hasScope(caller, "admin") ? await serverOf(deployment) : null;
      const found = await findNeeds(app, caller, server, deployment.sendsMail);
      const needs = found.map(async ({ kind, project, title, path, reason, at, verb }) => {
        const url = await deployment.pageUrl(path);
        return { kind, project, title, url, reason, since: at === null ? null : isoTime(at), verb };
      });
      return { needs: await Promise.all(needs) };
    },
  },
  upcoming: {
    method: "GET",
    path: "/upcoming",
    summary: "List what happens by itself in the next 30 days, the next first",
    scope: "read",
    place: "seen",
    run: async ({ app, caller, deployment }) => {
      const { findComing } = await import("./upcoming.ts");
      const backup = hasScope(caller, "admin") ? (await deployment.status()).backup : null;
      const found = await findComing(app, caller, backup, MOST);
      const upcoming = found.map(async ({ kind, at, project, title, path }) => {
        const url = path === null ? null : await deployment.pageUrl(path);
        return { kind, at: isoTime(at), project, title, url };
      });
      return { upcoming: await Promise.all(upcoming) };
    },
  },
});

async function serverOf({ status, findings }: Call["deployment"]) {
  const [{ backup }, found] = await Promise.all([status(), findings(false)]);
  return { backup, findings: found };
}
