import { counted } from "../parts/counted.ts";
import { Hono } from "hono/quick";
import { AppError } from "../../../base/errors.ts";
import { SUBMISSION_ID } from "../../../base/ids.ts";
import { exportPerson, findPerson } from "../../../forms/keeping/person.ts";
import { purgeSchema } from "../../../forms/keeping/purge-schema.ts";
import { purgeSubmissions } from "../../../forms/keeping/purge.ts";
import { EXPORT_TYPES } from "../../../forms/transfer/export-format.ts";
import type { DashboardContext, DashboardEnv } from "../dashboard-env.ts";
import { textOf } from "../fields.ts";
import { sendFile } from "../inbox/export.ts";
import type { Dashboard } from "../routes.ts";
import { erasePage, peoplePage, personPage } from "./pages.tsx";

/** Submissions of a page. */
const PAGE = 50;

/** What one person sent, in every form and folder: to read, to export and to erase. */
export function peopleRoutes({ app, options, page, action }: Dashboard) {
  const addressIn = (c: DashboardContext) => (c.req.query("q") ?? "").trim();
  const beforeIn = (c: DashboardContext) => {
    const before = c.req.query("before") || null;
    if (before === null || SUBMISSION_ID.test(before)) return before;
    throw new AppError("invalid", "before is the id of a submission");
  };

  return new Hono<DashboardEnv>()
    .get(
      "/people",
      page("forms:read", async (c) => {
        const address = addressIn(c);
        if (address === "") return peoplePage("", null);
        const fault = faultOf(address);
        if (fault !== null) return peoplePage(address, fault);
        const query = { limit: PAGE, before: beforeIn(c) };
        const found = await findPerson(app, c.get("caller"), address, query);
        return personPage({ address, before: query.before, ...found });
      }),
    )
    .get(
      "/people/export",
      page("forms:read", async (c) => {
        const address = addressIn(c);
        const fault = faultOf(address);
        if (fault !== null) throw new AppError("invalid", fault);
        const format = c.req.query("format") === "zip" ? "zip" : "jsonl";
        const chunks = exportPerson(app, c.get("caller"), address, format);
        return sendFile(c, `${address}.${format}`, EXPORT_TYPES[format], chunks, options.report);
      }),
    )
    .post(
      "/people/erase",
      action("forms:write", async (c, fields) => {
        const email = textOf(fields, "q").trim();
        const fault = faultOf(email);
        if (fault !== null) return peoplePage(email, fault);
        const typed = textOf(fields, "typed").trim();
        if (typed.toLowerCase() !== email.toLowerCase()) {
          const planned = await purgeSubmissions(app, c.get("caller"), { email, dryRun: true });
          return erasePage(email, planned, typed);
        }
        const { submissions, files } = await purgeSubmissions(app, c.get("caller"), { email });
        return { to: "/people", text: `${counted(submissions)} and ${counted(files, "file")} erased.` };
      }),
    );
}

/** What keeps a text from being the address of a person; null for nothing. */
function faultOf(email: string): string | null {
  const checked = purgeSchema.safeParse({ email });
  return checked.success ? null : checked.error.issues[0]!.message;
}
