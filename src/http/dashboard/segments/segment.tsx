import type { App } from "../../../app.ts";
import { hasScope } from "../../../access/rights.ts";
import { findSlugFault } from "../../../base/slug.ts";
import { definitionOf, noSuchSegment, segmentState } from "../../../flags/segment.ts";
import { segmentUses } from "../../../flags/segments.ts";
import { listMembers } from "../../../memberships/members.ts";
import { segments } from "../../../operations/segments.ts";
import type { Environment } from "../../../projects/environment.ts";
import { getEnvironment } from "../../../projects/environments.ts";
import { getProject } from "../../../projects/projects.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { type Fields, revisionIn, textOf, textOrNull } from "../fields.ts";
import { type Confirmation, lastChange } from "../parts/confirm.tsx";
import { Diff } from "../parts/diff.tsx";
import { faultAt } from "../parts/submit.ts";
import { NEW_SEGMENT, type ParametersOf, SEGMENT, SEGMENTS, pathTo } from "../paths.ts";
import type { Dashboard, Done, Sent } from "../routes.ts";
import { SHOWN_MEMBERS, type ShownMembers } from "./segments.tsx";
import { draftOf, faultOf, newDraft, readRule, withRow } from "./segment-form.tsx";
import {
  type NewSegment,
  type OneSegment,
  deletePage,
  newSegmentPage,
  segmentPage,
} from "./segment-page.tsx";
import type { FoundSegment } from "./segments.tsx";

const APPROVE = `${SEGMENT}/approve` as const;
const DELETE = `${SEGMENT}/delete` as const;

type Place = ParametersOf<typeof SEGMENT>;

/** The field of a fault: the rule has those of the form that a segment names, too. */
const AT = { source: "rule", "form-not-found": "rule", "form-ambiguous": "rule", invalid: "rule" } as const;

const RESULTS = { created: "is created", updated: "is saved", unchanged: "was like this already" } as const;

export function segmentRoutes(dashboard: Dashboard) {
  newSegmentRoutes(dashboard);
  ruleRoutes(dashboard);
  deletionRoutes(dashboard);
}

/** The shared part of both forms that save a segment. */
function savingIn(app: App) {
  return {
    operation: segments.set,
    async confirm({ fields, names }: Sent<Place>): Promise<Confirmation> {
      const { project, environment, segment: name } = names;
      const before = await app.store.segments.find(names);
      return {
        title: `Confirm the segment ${name} in ${environment}, ${project}`,
        label: `Save ${name} in ${environment}`,
        environments: [await getEnvironment(app, project, environment)],
        change: (
          <Diff before={before ? segmentState(definitionOf(before, project)) : {}} after={givenIn(fields)} />
        ),
        last: await lastChange(app, project, { kind: "segment", name, environment }),
        back: before
          ? { to: pathTo(SEGMENT, names), label: name }
          : { to: pathTo(SEGMENTS, { project }), label: "Segments" },
      };
    },
    done: (
      { name, result }: { name: string; result: keyof typeof RESULTS },
      { names }: Sent<Place>,
    ): Done => ({
      to: pathTo(SEGMENT, names),
      text: `The segment ${name} ${RESULTS[result]}.`,
    }),
  };
}

function newSegmentRoutes({ app, get, post, act }: Dashboard) {
  const showNew = async (fields: Fields, place: Place, more: Partial<NewSegment>) => {
    const { environment, segment: name } = place;
    const [{ draft }, why] = [readRule(fields), textOrNull(fields, "why")];
    return newSegmentPage({
      project: await getProject(app, place.project),
      environment,
      name,
      draft,
      why,
      ...more,
    });
  };
  const create = act({
    ...savingIn(app),
    input({ fields, names }: Sent<Place>) {
      const fault = findSlugFault("segment", names.segment);
      if (fault !== undefined) throw faultAt("name", fault);
      return { names, body: givenIn(fields), revision: 0 };
    },
    again: ({ fields, names }, { name }, error) =>
      showNew(
        fields,
        names,
        error.reason === "revision-differs"
          ? { nameFault: `${names.environment} has a segment of this name already.` }
          : name
            ? { nameFault: name }
            : { fault: faultOf(error, readRule(fields).draft) },
      ),
    at: { "revision-differs": "name", ...AT },
  });
  get(NEW_SEGMENT, "flags:write", async (c, parameters) => {
    const project = await getProject(app, parameters.project);
    const environment = c.req.query("environment") ?? project.environments[0]?.slug ?? "";
    return newSegmentPage({ project, environment, name: "", draft: newDraft(c.req.query("as")) });
  });
  post(NEW_SEGMENT, "flags:write", (c, fields, { project }) => {
    const environment = textOf(fields, "environment");
    const place = { project, environment, segment: textOf(fields, "name").trim() };
    return addsRow(fields)
      ? showNew(fields, place, { draft: withRow(readRule(fields).draft) })
      : create(c, fields, place);
  });
}

function ruleRoutes({ app, get, post, act }: Dashboard) {
  const show = async (c: DashboardContext, place: Place, more: Partial<OneSegment> = {}) => {
    const found = await readSegment(app, place);
    const members = await readMembers(app, c, found);
    const draft = draftOf(found.record, place.project, c.req.query("as"));
    return segmentPage({ ...found, members, draft, isEdited: c.req.query("as") !== undefined, ...more });
  };
  const showTyped = async (fields: Fields, place: Place, more: Partial<OneSegment>) => {
    const found = await readSegment(app, place);
    const [{ draft }, why] = [readRule(fields), textOrNull(fields, "why")];
    const revision = revisionIn(fields) ?? found.record.revision;
    return segmentPage({ ...found, draft, why, isTyped: true, revision, ...more });
  };
  const set = act({
    ...savingIn(app),
    async input({ fields, names }: Sent<Place>) {
      if (!(await app.store.segments.find(names))) throw noSuchSegment(names.segment);
      return { names, body: givenIn(fields), revision: revisionIn(fields) };
    },
    again: ({ fields, names }, _, error) =>
      showTyped(
        fields,
        names,
        error.reason === "revision-differs"
          ? { theirs: givenIn(fields), revision: undefined }
          : { fault: faultOf(error, readRule(fields).draft) },
      ),
    at: { "revision-differs": "rule", ...AT },
  });
  get(SEGMENT, "flags:read", (c, place) => show(c, place));
  post(SEGMENT, "flags:write", (c, fields, place) =>
    addsRow(fields)
      ? showTyped(fields, place, { draft: withRow(readRule(fields).draft) })
      : set(c, fields, place),
  );
  post(
    APPROVE,
    "flags:write",
    act({
      operation: segments.approve,
      input: ({ fields, names }) => ({
        names,
        body: isAll(fields)
          ? { all: true }
          : { values: [textOf(fields, "value")], ...(isUndo(fields) && { undo: true }) },
      }),
      async confirm({ fields, names }) {
        const { project, environment, segment } = names;
        return {
          title: `Confirm the approval in segment ${segment} of ${environment}, ${project}`,
          label: `${isUndo(fields) ? "Take back" : "Approve"} in ${segment} of ${environment}`,
          environments: [await getEnvironment(app, project, environment)],
          change: isAll(fields) ? "Everything that is pending is approved." : becomes(fields),
          back: { to: pathTo(SEGMENT, names), label: segment },
        };
      },
      done: (_, { fields, names }) => ({
        to: pathTo(SEGMENT, names),
        ...(isAll(fields)
          ? { text: "All are approved." }
          : { text: becomes(fields), ...(!isUndo(fields) && { undo: undoOf(fields, names) }) }),
      }),
      again: ({ c, names }, _, { message }) => show(c, names, { fault: message }),
      at: { "member-value-not-found": "", conflict: "" },
    }),
  );
}

function deletionRoutes({ app, get, post, act }: Dashboard) {
  get(DELETE, "flags:write", async (_, place) => deletePage(await readSegment(app, place)));
  post(
    DELETE,
    "flags:write",
    act({
      operation: segments.delete,
      input: ({ fields, names }) => ({ names, revision: revisionIn(fields) }),
      async confirm({ names }) {
        const { project, environment, record } = await readSegment(app, names);
        const { name } = record;
        return {
          title: `Confirm the deletion of the segment ${name} in ${environment.slug}, ${project.slug}`,
          label: `Delete ${name} in ${environment.slug}`,
          isDeletion: true,
          environments: [environment],
          change: <Diff before={segmentState(definitionOf(record, project.slug))} after={{}} />,
          back: { to: pathTo(SEGMENT, names), label: name },
        };
      },
      done: (_, { names: { project, environment, segment } }) => ({
        to: pathTo(SEGMENTS, { project }),
        query: { environment },
        text: `The segment ${segment} is deleted.`,
      }),
      again: async ({ names }, _, error) => deletePage(await readSegment(app, names), error),
      at: { conflict: "" },
    }),
  );
}

/** Whether a form asks for one more row, and is not sent off yet. */
function addsRow(fields: Fields): boolean {
  return textOf(fields, "act") === "row";
}

/** Whether a form approves every pending value. */
function isAll(fields: Fields): boolean {
  return textOf(fields, "all") === "1";
}

function isUndo(fields: Fields): boolean {
  return textOf(fields, "undo") === "1";
}

/** The state of a value after its approval, or the undo of it. */
function becomes(fields: Fields): string {
  return `${textOf(fields, "value")} is ${isUndo(fields) ? "pending again" : "approved"}.`;
}

/** The undo of the approval of a value. */
function undoOf(fields: Fields, names: Place) {
  return { to: pathTo(APPROVE, names), values: { value: textOf(fields, "value"), undo: "1" } };
}

/** The rule or the source of a form. Throws the fault of what was typed. */
function givenIn(fields: Fields) {
  const { rule, source, fault } = readRule(fields);
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
  const [pending, approved] = await Promise.all([list(true), list(false)]);
  return { lists: { pending: pending.items, approved: approved.items, more: approved.more }, after };
}

/** Throws `not_found`. */
async function readSegment(app: App, place: Place): Promise<FoundSegment> {
  const [project, environment, record, uses] = await Promise.all([
    getProject(app, place.project),
    getEnvironment(app, place.project, place.environment),
    app.store.segments.find(place),
    segmentUses(app, place),
  ]);
  if (!record) throw noSuchSegment(place.segment);
  const own = (uses.get(record.name) ?? []).map((use) => ({ ...use, environment: environment.slug }));
  const places: Environment[] = [];
  for (const each of project.environments)
    if (await app.store.segments.find({ ...place, environment: each.slug })) places.push(each);
  return { project, environment, places, record, uses: own };
}
