import { segments } from "../../../operations/segments.ts";
import * as z from "zod/mini";
import type { App } from "../../../app.ts";
import { findSlugFault } from "../../../base/slug.ts";
import { noSuchSegment } from "../../../flags/segment.ts";
import { segmentRuleSchema } from "../../../flags/segment-schema.ts";
import { deleteSegment, segmentUses, setSegment } from "../../../flags/segments.ts";
import { getEnvironment } from "../../../projects/environments.ts";
import type { Environment } from "../../../projects/environment.ts";
import { getProject } from "../../../projects/projects.ts";
import type { Project } from "../../../projects/project.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { type Fields, revisionIn, textOf, textOrNull } from "../fields.ts";
import type { Page } from "../page.tsx";
import { confirmed, lastChange } from "../parts/confirm.tsx";
import { Diff } from "../parts/diff.tsx";
import { faultAt, submit } from "../parts/submit.ts";
import type { Dashboard } from "../routes.ts";
import { NEW_RULE, type ReadRule, draftOf, faultOf, readRule, withRow } from "./segment-form.tsx";
import { NEW_SEGMENT, type ParametersOf, SEGMENT, SEGMENTS, pathTo, segmentPath } from "../paths.ts";
import {
  type FoundSegment,
  type NewSegment,
  type OneSegment,
  deletePage,
  newSegmentPage,
  segmentPage,
} from "./segment-page.tsx";

const DELETE = `${SEGMENT}/delete` as const;

export function segmentRoutes({ app, get, post }: Dashboard) {
  get(NEW_SEGMENT, "flags:write", async (c, parameters) => {
    const project = await getProject(app, parameters.project);
    const environment = c.req.query("environment") ?? project.environments[0]?.slug ?? "";
    const draft = c.req.query("as") === "json" ? ({ as: "json", text: "" } as const) : NEW_RULE;
    return newSegmentPage({ project, environment, name: "", draft });
  });
  post(NEW_SEGMENT, "flags:write", async (c, fields, parameters) => {
    const project = await getProject(app, parameters.project);
    const environment = await getEnvironment(app, project.slug, textOf(fields, "environment"));
    const [name, why] = [textOf(fields, "name").trim(), textOrNull(fields, "why")];
    const read = checked(readRule(fields));
    const show = (more: Partial<NewSegment>) =>
      newSegmentPage({ project, environment: environment.slug, name, draft: read.draft, why, ...more });
    if (textOf(fields, "act") === "row") return show({ draft: withRow(read.draft) });
    return submit(
      () => {
        const fault = findSlugFault("segment", name);
        if (fault !== undefined) throw faultAt("name", fault);
        return save(app, c, fields, { project, environment, name, rule: ruleIn(read), expected: 0 });
      },
      (faults, error) => {
        if (error.code === "conflict")
          return show({ nameFault: `${environment.slug} has a segment of this name already.` });
        return show(faults["name"] ? { nameFault: faults["name"] } : { fault: faultOf(error, read.draft) });
      },
      { "revision-differs": "name", invalid: "rule" },
    );
  });
  get(SEGMENT, "flags:read", async (c, parameters) => {
    const found = await readSegment(app, parameters);
    return segmentPage({ ...found, draft: draftOf(JSON.parse(found.record.rule), c.req.query("as")) });
  });
  post(SEGMENT, "flags:write", async (c, fields, parameters) => {
    const found = await readSegment(app, parameters);
    const { project, environment, record } = found;
    const read = checked(readRule(fields));
    const expected = revisionIn(fields);
    const why = textOrNull(fields, "why");
    const show = (more: Partial<OneSegment>): Page =>
      segmentPage({ ...found, draft: read.draft, why, isTyped: true, ...more });
    const kept = { revision: expected ?? record.revision };
    if (textOf(fields, "act") === "row") return show({ draft: withRow(read.draft), ...kept });
    return submit(
      () => save(app, c, fields, { project, environment, name: record.name, rule: ruleIn(read), expected }),
      (_, error) =>
        show(
          error.code === "conflict"
            ? { theirs: { rule: read.rule } }
            : { fault: faultOf(error, read.draft), ...kept },
        ),
      { "revision-differs": "rule", invalid: "rule" },
    );
  });
  get(DELETE, "flags:write", async (_, parameters) => deletePage(await readSegment(app, parameters)));
  post(DELETE, "flags:write", async (c, fields, parameters) => {
    const { project, environment, record } = await readSegment(app, parameters);
    const place = { project: project.slug, environment: environment.slug, segment: record.name };
    return submit(
      async () => {
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
          { app, caller: c.get("caller"), operation: segments.delete, names: place },
        );
        if (done && "content" in done) return done;
        return {
          to: pathTo(SEGMENTS, { project: project.slug }),
          query: { environment: environment.slug },
          text: `The segment ${record.name} is deleted.`,
        };
      },
      async (_, error) => deletePage(await readSegment(app, parameters), error),
      { conflict: "" },
    );
  });
}

/** The rule of a form. Throws the fault of what was typed. */
function ruleIn({ rule, fault }: ReadRule): unknown {
  if (fault !== undefined) throw faultAt("rule", fault);
  return rule;
}

/** Adds the schema's error to a rule: too many levels, for example. */
function checked(read: ReadRule): ReadRule {
  if (read.fault !== undefined) return read;
  const { success, error } = z.safeParse(segmentRuleSchema, { rule: read.rule });
  return success ? read : { draft: read.draft, fault: error.issues[0]!.message };
}

/** Throws `not_found`. */
async function readSegment(
  app: App,
  { segment: name, ...parameters }: ParametersOf<typeof SEGMENT>,
): Promise<FoundSegment> {
  const project = await getProject(app, parameters.project);
  const environment = await getEnvironment(app, project.slug, parameters.environment);
  const place = { project: project.slug, environment: environment.slug };
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
          : { to: pathTo(SEGMENTS, { project: project.slug }), label: "Segments" },
      };
    },
    { app, caller: c.get("caller"), operation: segments.set, names: place, body: { rule } },
  );
  if ("content" in done) return done;
  const is = { created: "is created", updated: "is saved", unchanged: "was like this already" }[done.result];
  return { to: segmentPath(project.slug, environment.slug, name), text: `The segment ${name} ${is}.` };
}
