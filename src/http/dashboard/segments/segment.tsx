import { segments } from "../../../operations/segments.ts";
import * as z from "zod/mini";
import type { App } from "../../../app.ts";
import { findSlugFault } from "../../../base/slug.ts";
import { definitionOf, noSuchSegment, segmentState } from "../../../flags/segment.ts";
import { segmentRuleSchema } from "../../../flags/segment-schema.ts";
import { deleteSegment, segmentUses, setSegment } from "../../../flags/segments.ts";
import { approve, listMembers } from "../../../memberships/members.ts";
import { type GivenSource, setSource } from "../../../memberships/sources.ts";
import { hasScope } from "../../../access/rights.ts";
import type { FoundSegment } from "./found-segment.ts";
import { SHOWN_MEMBERS, type ShownMembers } from "./members-card.tsx";
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
import { type ReadRule, draftOf, faultOf, newDraft, readRule, withRow } from "./segment-form.tsx";
import { NEW_SEGMENT, type ParametersOf, SEGMENT, SEGMENTS, pathTo, segmentPath } from "../paths.ts";
import {
  type NewSegment,
  type OneSegment,
  deletePage,
  newSegmentPage,
  segmentPage,
} from "./segment-page.tsx";

const APPROVE = `${SEGMENT}/approve` as const;
const DELETE = `${SEGMENT}/delete` as const;

export function segmentRoutes({ app, get, post }: Dashboard) {
  get(NEW_SEGMENT, "flags:write", async (c, parameters) => {
    const project = await getProject(app, parameters.project);
    const environment = c.req.query("environment") ?? project.environments[0]?.slug ?? "";
    return newSegmentPage({ project, environment, name: "", draft: newDraft(c.req.query("as")) });
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
        return save(app, c, fields, { project, environment, name, given: givenIn(read), expected: 0 });
      },
      (faults, error) => {
        if (error.code === "conflict" && error.reason === "revision-differs")
          return show({ nameFault: `${environment.slug} has a segment of this name already.` });
        return show(faults["name"] ? { nameFault: faults["name"] } : { fault: faultOf(error, read.draft) });
      },
      { "revision-differs": "name", ...FORM_FAULTS, invalid: "rule" },
    );
  });
  get(SEGMENT, "flags:read", async (c, parameters) => {
    const found = await readSegment(app, parameters);
    const members = await readMembers(app, c, found);
    return segmentPage({
      ...found,
      members,
      draft: draftOf(found.record, found.project.slug, c.req.query("as")),
    });
  });
  post(APPROVE, "flags:write", async (c, fields, parameters) => {
    const found = await readSegment(app, parameters);
    const { project, environment, record } = found;
    const place = { project: project.slug, environment: environment.slug, segment: record.name };
    const to = segmentPath(project.slug, environment.slug, record.name);
    const values = textOf(fields, "all") === "1" ? null : [textOf(fields, "value")];
    return submit(
      async () => {
        const done = await confirmed(
          fields,
          () => approve(app, c.get("caller"), place, values),
          async () => ({
            title: `Confirm the approval in segment ${record.name} of ${environment.slug}, ${project.slug}`,
            label: `Approve in ${record.name} of ${environment.slug}`,
            environments: [environment],
            change: values === null ? "Everything that is pending is approved." : `${values[0]} is approved.`,
            back: { to, label: record.name },
          }),
        );
        if ("content" in done) return done;
        return { to, text: values === null ? "All are approved." : `${values[0]} is approved.` };
      },
      async (_, error) =>
        segmentPage({
          ...found,
          members: await readMembers(app, c, found),
          draft: draftOf(record, project.slug, undefined),
          fault: error.message,
        }),
      { "member-not-found": "", conflict: "" },
    );
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
      () => save(app, c, fields, { project, environment, name: record.name, given: givenIn(read), expected }),
      (_, error) =>
        show(
          error.reason === "revision-differs"
            ? { theirs: read.source ? { source: read.source } : { rule: read.rule } }
            : { fault: faultOf(error, read.draft), ...kept },
        ),
      { "revision-differs": "rule", ...FORM_FAULTS, invalid: "rule" },
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
            isDeletion: true,
            environments: [environment],
            change: <Diff before={segmentState(definitionOf(record, project.slug))} after={{}} />,
            back: { to: segmentPath(project.slug, environment.slug, record.name), label: record.name },
          }),
          { app, caller: c.get("caller"), operation: segments.delete, names: place },
        );
        if (done && "content" in done) return done;
        const to = pathTo(SEGMENTS, { project: project.slug });
        const query = { environment: environment.slug };
        return { to, query, text: `The segment ${record.name} is deleted.` };
      },
      async (_, error) => deletePage(await readSegment(app, parameters), error),
      { conflict: "" },
    );
  });
}

/** Refusals of the form that a segment names. */
const FORM_FAULTS = { "form-not-found": "rule", "form-ambiguous": "rule" } as const;

type Given = { rule: unknown } | { source: GivenSource };

/** The rule or the source of a form. Throws the fault of what was typed. */
function givenIn({ rule, source, fault }: ReadRule): Given {
  if (fault !== undefined) throw faultAt("rule", fault);
  return source ? { source } : { rule };
}

/** The members of a segment that a form fills, as far as the caller may see them; undefined for one with a rule. */
async function readMembers(
  app: App,
  c: DashboardContext,
  { project, environment, record }: FoundSegment,
): Promise<ShownMembers | undefined> {
  const { source } = record;
  if (!source) return undefined;
  const after = c.req.query("after") || undefined;
  const caller = c.get("caller");
  if (!hasScope(caller, "forms:read", { project: source.project })) return { lists: null, after };
  const place = { project: project.slug, environment: environment.slug, segment: record.name };
  const list = (pending: boolean) =>
    listMembers(app, caller, place, { limit: SHOWN_MEMBERS, pending, ...(pending ? {} : { after }) });
  const [pending, approved] = [await list(true), await list(false)];
  return { lists: { pending: pending.items, approved: approved.items, more: approved.more }, after };
}

/** Adds the schema's error to a rule: too many levels, for example. */
function checked(read: ReadRule): ReadRule {
  if (read.fault !== undefined || read.source) return read;
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
  given: Given;
  expected: number | null;
};

async function save(
  app: App,
  c: DashboardContext,
  fields: Fields,
  { project, environment, name, given, expected }: Saved,
) {
  const place = { project: project.slug, environment: environment.slug, segment: name };
  const done = await confirmed(
    fields,
    () =>
      "source" in given
        ? setSource(app, c.get("caller"), place, given.source, expected)
        : setSegment(app, c.get("caller"), place, given.rule, expected),
    async () => {
      const before = await app.store.segments.find(place);
      const query = { kind: "segment", name, environment: environment.slug } as const;
      return {
        title: `Confirm the segment ${name} in ${environment.slug}, ${project.slug}`,
        label: `Save ${name} in ${environment.slug}`,
        environments: [environment],
        change: (
          <Diff before={before ? segmentState(definitionOf(before, project.slug)) : {}} after={given} />
        ),
        last: await lastChange(app, project.slug, query),
        back: before
          ? { to: segmentPath(project.slug, environment.slug, name), label: name }
          : { to: pathTo(SEGMENTS, { project: project.slug }), label: "Segments" },
      };
    },
    { app, caller: c.get("caller"), operation: segments.set, names: place, body: given },
  );
  if ("content" in done) return done;
  const is = { created: "is created", updated: "is saved", unchanged: "was like this already" }[done.result];
  return { to: segmentPath(project.slug, environment.slug, name), text: `The segment ${name} ${is}.` };
}
