import { exportAudit, listAudit } from "../../access/audit/audit.ts";
import { viewAuditEntry } from "../../access/audit/entry.ts";
import { noSuchProject } from "../../access/place.ts";
import { requireScope } from "../../access/rights.ts";
import type { App } from "../../app.ts";
import { DEFAULT_PAGE, nextOf } from "../../base/pages.ts";
import { noun } from "../operation.ts";

const shared = { scope: "admin", place: "seen", confirms: false, explains: false } as const;

export const audit = noun("audit", () => import("./schema/audit-schema.ts"), {
  list: {
    ...shared,
    method: "GET",
    path: "/audit",
    summary: "List the entries of the audit log, newest first",
    defaults: { limit: DEFAULT_PAGE },
    run: async ({ app, caller, query }) => {
      const page = await listAudit(app, caller, withTimes(query));
      if (page.items.length === 0) await requireProjectEver(app, query.project);
      return { entries: page.items.map(viewAuditEntry), next: nextOf(page, ({ id }) => id) };
    },
  },
  export: {
    ...shared,
    method: "GET",
    path: "/audit/export",
    summary: "Export the audit log, oldest first, an entry a line",
    media: ["application/jsonl"],
    defaults: {},
    run: async ({ app, caller, query: { whole, ...query } }) => {
      if (whole === "true") requireScope(caller, "admin");
      const pages = exportAudit(app, caller, withTimes(query));
      await requireProjectEver(app, query.project);
      return {
        name: "audit.jsonl",
        type: "application/jsonl",
        size: null,
        rows: null,
        content: linesOf(pages),
      };
    },
  },
});

/** Throws `not_found` for a project that neither exists nor has entries from before it was deleted. */
async function requireProjectEver({ store }: App, project: string | undefined): Promise<void> {
  if (project === undefined || (await store.projects.find(project))) return;
  const { items } = await store.audit.page({ projects: [project], limit: 1 });
  if (items.length === 0) throw noSuchProject(project);
}

async function* linesOf(pages: ReturnType<typeof exportAudit>): AsyncGenerator<string> {
  for await (const entries of pages)
    yield entries.map((entry) => `${JSON.stringify(viewAuditEntry(entry))}\n`).join("");
}

/** A filter with its times in milliseconds since 1970. */
function withTimes<T extends { since?: string | undefined; until?: string | undefined }>({
  since,
  until,
  ...filter
}: T) {
  const timeOf = (text: string | undefined) => (text === undefined ? undefined : Date.parse(text));
  return { ...filter, since: timeOf(since), until: timeOf(until) };
}
