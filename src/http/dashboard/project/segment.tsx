import { Hono } from "hono/quick";
import * as z from "zod/mini";
import type { App } from "../../../app.ts";
import { AppError } from "../../../base/errors.ts";
import { findSlugFault } from "../../../base/slug.ts";
import { noSuchSegment } from "../../../flags/segment.ts";
import { segmentRuleSchema } from "../../../flags/segment-schema.ts";
import { deleteSegment, segmentUses, setSegment } from "../../../flags/segments.ts";
import { getEnvironment } from "../../../projects/environments.ts";
import type { Environment } from "../../../projects/environment.ts";
import { getProject } from "../../../projects/projects.ts";
import type { Project } from "../../../projects/project.ts";
import type { DashboardContext, DashboardEnv } from "../dashboard-env.ts";
import { sentence } from "../error-page.tsx";
import { type Fields, revisionIn, textOf, textOrNull } from "../fields.ts";
import type { Page } from "../page.tsx";
import { confirmed, lastChange } from "../parts/confirm.tsx";
import { Diff } from "../parts/diff.tsx";
import { projectPath } from "../parts/project-tabs.tsx";
import type { Dashboard } from "../routes.ts";
import { NEW_RULE, type ReadRule, draftOf, faultOf, readRule, withRow } from "./segment-form.tsx";
import { segmentPath } from "./segments.tsx";
import { type FoundSegment, type OneSegment, deletePage, segmentPage } from "./segment-page.tsx";
import { type NewSegment, newSegmentPage } from "./new-segment-page.tsx";

const ONE = "/projects/:project/environments/:environment/segments/:segment";

export function segmentRoutes({ app, page, action }: Dashboard) {
  return new Hono<DashboardEnv>()
    .get(
      "/projects/:project/segments/new",
      page("flags:write", async (c) => {
        const project = await getProject(app, c.req.param("project")!);
        const environment = c.req.query("environment") ?? project.environments[0]?.slug ?? "";
        const draft = c.req.query("as") === "json" ? ({ as: "json", text: "" } as const) : NEW_RULE;
        return newSegmentPage({ project, environment, name: "", draft });
      }),
    )
    .post(
      "/projects/:project/segments/new",
      action("flags:write", async (c, fields) => {
        const project = await getProject(app, c.req.param("project")!);
        const environment = await getEnvironment(app, project.slug, textOf(fields, "environment"));
        const name = textOf(fields, "name").trim();
        const read = checked(readRule(fields));
        const why = textOrNull(fields, "why");
        const again = (faults: Partial<NewSegment>, status: Page["status"] = 400): Page => ({
          ...newSegmentPage({
            project,
            environment: environment.slug,
            name,
            draft: read.draft,
            why,
            ...faults,
          }),
          status,
        });
        if (textOf(fields, "act") === "row") return again({ draft: withRow(read.draft) }, 200);
        const nameFault = findSlugFault("segment", name);
        if (nameFault !== undefined) return again({ nameFault: sentence(nameFault) });
        if (read.fault !== undefined) return again({ fault: read.fault });
        try {
          return await save(app, c, fields, { project, environment, name, rule: read.rule, expected: 0 });
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          if (error.reason === "revision-differs")
            return again({ nameFault: `${environment.slug} has a segment of this name already.` }, 409);
          if (error.code !== "invalid") throw error;
          return again({ fault: faultOf(error, read.draft) });
        }
      }),
    )
    .get(
      ONE,
      page("flags:read", async (c) => {
        const found = await readSegment(app, c);
        return segmentPage({ ...found, draft: draftOf(JSON.parse(found.record.rule), c.req.query("as")) });
      }),
    )
    .post(
      ONE,
      action("flags:write", async (c, fields) => {
        const found = await readSegment(app, c);
        const { project, environment, record } = found;
        const read = checked(readRule(fields));
        const again = (more: Partial<OneSegment>, status: Page["status"] = 400): Page => ({
          ...segmentPage({
            ...found,
            draft: read.draft,
            why: textOrNull(fields, "why"),
            isTyped: true,
            ...more,
          }),
          status,
        });
        const expected = revisionIn(fields);
        const kept = { revision: expected ?? record.revision };
        if (textOf(fields, "act") === "row") return again({ draft: withRow(read.draft), ...kept }, 200);
        if (read.fault !== undefined) return again({ fault: read.fault, ...kept });
        try {
          const place = { project, environment, name: record.name };
          return await save(app, c, fields, { ...place, rule: read.rule, expected });
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          if (error.reason === "revision-differs") return again({ theirs: { rule: read.rule } }, 409);
          if (error.code !== "invalid") throw error;
          return again({ fault: faultOf(error, read.draft), ...kept });
        }
      }),
    )
    .get(
      `${ONE}/delete`,
      page("flags:write", async (c) => deletePage(await readSegment(app, c))),
    )
    .post(
      `${ONE}/delete`,
      action("flags:write", async (c, fields) => {
        const found = await readSegment(app, c);
        const { project, environment, record } = found;
        const place = { project: project.slug, environment: environment.slug, segment: record.name };
        try {
          const done = await confirmed(
            fields,
            () => deleteSegment(app, c.get("caller"), place, revisionIn(fields)),
            async () => ({
              title: `Confirm the deletion of the segment ${record.name} in ${environment.slug}, ${project.slug}`,
              label: `Delete ${record.name} in ${environment.slug}`,
              environments: [environment],
              change: <Diff before={{ rule: JSON.parse(record.rule) }} after={{}} />,
              back: { to: segmentPath(project.slug, environment.slug, record.name), label: record.name },
            }),
          );
          if (done && "content" in done) return done;
          const to = `${projectPath(project.slug)}/segments`;
          return {
            to,
            query: { environment: environment.slug },
            text: `The segment ${record.name} is deleted.`,
          };
        } catch (error) {
          if (!(error instanceof AppError) || error.code !== "conflict") throw error;
          return { ...deletePage(await readSegment(app, c), error), status: 409 };
        }
      }),
    );
}

/** What the schema of a rule finds wrong: too many levels, for example. */
function checked(read: ReadRule): ReadRule {
  if (read.fault !== undefined) return read;
  const { success, error } = z.safeParse(segmentRuleSchema, { rule: read.rule });
  return success ? read : { draft: read.draft, fault: error.issues[0]!.message };
}

/** Throws `not_found`. */
async function readSegment(app: App, c: DashboardContext): Promise<FoundSegment> {
  const project = await getProject(app, c.req.param("project")!);
  const environment = await getEnvironment(app, project.slug, c.req.param("environment")!);
  const place = { project: project.slug, environment: environment.slug };
  const name = c.req.param("segment")!;
  const record = await app.store.segments.find({ ...place, segment: name });
  if (!record) throw noSuchSegment(name);
  return { project, environment, record, uses: (await segmentUses(app, place)).get(name) ?? [] };
}

type Saved = {
  project: Project;
  environment: Environment;
  name: string;
  rule: unknown;
  expected: number | null;
};

async function save(
  app: App,
  c: DashboardContext,
  fields: Fields,
  { project, environment, name, rule, expected }: Saved,
) {
  const place = { project: project.slug, environment: environment.slug, segment: name };
  const done = await confirmed(
    fields,
    () => setSegment(app, c.get("caller"), place, rule, expected),
    async () => {
      const before = await app.store.segments.find(place);
      const query = { kind: "segment", name, environment: environment.slug } as const;
      return {
        title: `Confirm the segment ${name} in ${environment.slug}, ${project.slug}`,
        label: `Save ${name} in ${environment.slug}`,
        environments: [environment],
        change: <Diff before={before ? { rule: JSON.parse(before.rule) } : {}} after={{ rule }} />,
        last: await lastChange(app, project.slug, query),
        back: before
          ? { to: segmentPath(project.slug, environment.slug, name), label: name }
          : { to: `${projectPath(project.slug)}/segments`, label: "Segments" },
      };
    },
  );
  if ("content" in done) return done;
  const is = { created: "is created", updated: "is saved", unchanged: "was like this already" }[done.result];
  return { to: segmentPath(project.slug, environment.slug, name), text: `The segment ${name} ${is}.` };
}
