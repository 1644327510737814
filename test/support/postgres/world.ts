import { readdirSync } from "node:fs";
import { join } from "node:path";
import { addProjectTarget } from "../../../src/documents/changes/targets.ts";
import { createInvitation } from "../../../src/access/members/invitations.ts";
import { setMember } from "../../../src/access/members/members.ts";
import type { OAuthGrant } from "../../../src/access/oauth/grant.ts";
import { SCOPES, type Scope } from "../../../src/access/scope.ts";
import { createToken } from "../../../src/access/tokens.ts";
import type { App } from "../../../src/app.ts";
import { takeFeedback } from "../../../src/flags/previews/feedbacks.ts";
import { createExperiment } from "../../../src/experiments/experiments.ts";
import { pauseExperiment, startExperiment } from "../../../src/experiments/lifecycle.ts";
import { setFlag } from "../../../src/flags/flags.ts";
import { uploadReferences } from "../../../src/flags/code/code-references.ts";
import { pauseRamp, startRamp } from "../../../src/flags/ramps/ramps.ts";
import { scheduleChange } from "../../../src/flags/schedule/schedule.ts";
import { setTestContext } from "../../../src/flags/contexts/test-contexts.ts";
import { setSegment } from "../../../src/flags/segments.ts";
import { createForm } from "../../../src/forms/forms.ts";
import { markSubmissions } from "../../../src/forms/inbox/submission-marks.ts";
import { storeSubmission } from "../../../src/forms/submissions.ts";
import { createFeed } from "../../../src/forms/feeds/feeds.ts";
import { addTarget } from "../../../src/forms/targets.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { OPERATIONS } from "../../../src/operations/all.ts";
import { stageText } from "../../contracts/blobs.ts";
import { openApiOf } from "../records/openapi.ts";
import { openServices, openTestApp, placeOf } from "../app.ts";
import { apply } from "../records/apply.ts";
import { OPERATOR } from "../records/caller.ts";
import { proposalOf } from "../records/records.ts";
import { signIn } from "../records/users.ts";

export const ROOT = "/api/admin/v1";

/** Who may do what a scope is needed for, written down a second time on purpose. */
export const SUFFICE: Record<Scope, Scope[]> = {
  admin: ["admin"],
  read: ["admin", "read"],
  "flags:read": ["admin", "read", "flags:read", "flags:write", "flags:locked"],
  "flags:write": ["admin", "flags:write", "flags:locked"],
  "flags:locked": ["admin", "flags:locked"],
  "flags:evaluate": ["admin", "flags:evaluate"],
  "flags:browser": ["admin", "flags:browser"],
  "flags:sync": ["admin", "read", "flags:read", "flags:write", "flags:locked", "flags:sync"],
  "flags:refs": ["admin", "flags:refs", "flags:write", "flags:locked"],
  "forms:read": ["admin", "read", "forms:read", "forms:write"],
  "forms:write": ["admin", "forms:write"],
};

/** What each operation that takes a body is sent: valid, and a change. */
const BODIES: Record<string, unknown> = {
  "POST /projects": { slug: "made" },
  "POST /projects/{project}/environments": { slug: "made" },
  "PATCH /projects/{project}/environments/{environment}/flags/{flag}": { enabled: true },
  "PATCH /projects/{project}/flags": { flags: { sale: { owner: "bob" } } },
  "PATCH /projects/{project}/flags/{flag}": { owner: "ann" },
  "POST /projects/{project}/environments/{environment}/flags/{flag}/evaluate": { context: {} },
  "PUT /projects/{project}/environments/{environment}/segments/{segment}": { rule: true },
  "PUT /projects/{project}/people/{person}": { context: { plan: "beta" } },
  "POST /projects/{project}/environments/{environment}/segments/{segment}/approve": { all: true },
  "POST /projects/{project}/environments/{environment}/flagd": {
    flags: { made: { state: "DISABLED", variants: { a: 1 } } },
  },
  "PATCH /projects/{project}": { name: "Shop" },
  "PATCH /projects/{project}/environments/{environment}": { locked: true },
  "POST /projects/{project}/environments/{environment}/promote": { from: "staging" },
  "POST /projects/{project}/environments/{environment}/flags/{flag}/scheduled": {
    at: "2999-01-01T00:00:00Z",
    patch: { enabled: true },
  },
  "POST /projects/{project}/environments/{environment}/flags/{flag}/for": {
    until: "2999-01-01T00:00:00Z",
    patch: { enabled: true },
  },
  "PUT /projects/{project}/environments/{environment}/flags/{flag}/ramp": {
    variant: "on",
    to: [1, 100],
    every: 86_400,
  },
  // They take none, and read none.
  "POST /projects/{project}/environments/{environment}/flags/{flag}/ramp/pause": {},
  "POST /projects/{project}/environments/{environment}/flags/{flag}/ramp/resume": {},
  "POST /projects/{project}/environments/{environment}/flags/{flag}/ramp/next": {},
  "POST /projects/{project}/environments/{environment}/flags/{flag}/ramp/finish": {},
  "POST /projects/{project}/environments/{environment}/flags/{flag}/ramp/abort": {},
  "POST /projects/{project}/environments/{environment}/experiments": {
    name: "made",
    flag: "sale",
    metrics: ["event:signup"],
  },
  "PATCH /projects/{project}/environments/{environment}/experiments/{experiment}": { hypothesis: "more" },
  "POST /projects/{project}/environments/{environment}/experiments/{experiment}/start": {},
  "POST /projects/{project}/environments/{environment}/experiments/{experiment}/pause": {},
  "POST /projects/{project}/environments/{environment}/experiments/{experiment}/resume": {},
  "POST /projects/{project}/environments/{environment}/experiments/{experiment}/stop": {},
  "POST /projects/{project}/environments/{environment}/experiments/{experiment}/ship": { variant: "on" },
  "PUT /projects/{project}/code-refs": {
    branch: "made",
    projectName: "web",
    references: { sale: [{ filePath: "a.ts", lineNumber: 1, lineContent: "sale" }] },
  },
  "POST /forms": { slug: "made", project: "shop" },
  "POST /forms/{form}/copy": { slug: "copied" },
  "PATCH /forms/{form}": { enabled: false },
  "POST /forms/{form}/feeds": { format: "csv" },
  "POST /forms/{form}/targets": { target: "https://example.com/made" },
  "PATCH /targets/{target}": { enabled: false },
  "POST /targets/{target}/rotate": {},
  // It takes none, and reads none.
  "POST /targets/{target}/test": {},
  // A text is sent as JSON lines.
  "POST /forms/{form}/submissions/import": '{"data":{"name":"Ben"}}\n',
  // It takes none, and reads none.
  "POST /forms/{form}/test": {},
  "POST /submissions/{id}/replies": { text: "yes" },
  "POST /submissions/{id}/notes": { text: "called back" },
  "POST /submissions/{id}/block": { word: "casino" },
  "POST /submissions/mark-matching": { mark: "archived" },
  "POST /submissions/delete-matching": { state: "spam" },
  "POST /submissions/purge": { field: "name", value: "Ada", dryRun: true },
  "POST /plans": {
    operation: "PATCH /projects/:project/environments/:environment/flags/:flag",
    names: { project: "shop", environment: "develop", flag: "sale" },
    body: { enabled: true },
  },
  "POST /apply": { document: { forms: { applied: {} } }, dryRun: true },
  // It takes none, and reads none.
  "POST /backups": {},
  "POST /mail/test": { address: "ada@example.com" },
  "POST /tokens": { name: "made", scopes: ["admin"] },
  "POST /users": { name: "made-user", role: "viewer" },
  "POST /users/links": { name: "member" },
  // It takes none, and reads none.
  "POST /users/{user}/reset": {},
  "PATCH /users/{user}": { role: "editor" },
  "PUT /projects/{project}/members/{user}": { role: "editor" },
  "POST /projects/{project}/invitations": { role: "viewer" },
  "POST /projects/{project}/targets": { target: "https://example.com/notices", environment: "develop" },
};

/** What operations need in their query. */
const QUERIES: Record<string, string> = { "DELETE /projects/{project}/code-refs": "?branch=main" };

const ALL_DELIVERIES = {
  limit: 1000,
  before: null,
  formKeys: null,
  projects: null,
  submission: null,
  status: null,
};

const LINES = "application/jsonl";

/**
 * A form and a project with one of everything, every operation of the admin API on what exists, and a token for each
 * scope.
 */
export async function openWorld() {
  const app = openTestApp();
  const { reported, ofrep, ...services } = openServices(app);
  const admin = await services.admin();
  await createProject(app, OPERATOR, { slug: "shop", environments: ["develop", "staging"] });
  const sale = { project: "shop", environment: "develop", flag: "sale" };
  const { record: made } = await setFlag(app, OPERATOR, sale, {});
  await setFlag(app, OPERATOR, sale, { description: "d" });
  await setFlag(app, OPERATOR, { ...sale, environment: "staging" }, { payload: 1 });
  const undone = { ...sale, flag: "undone" };
  await setFlag(app, OPERATOR, undone, {});
  const { record: last } = await setFlag(app, OPERATOR, undone, { description: "d" });
  const planned = { patch: { enabled: true }, at: app.now() + 1000 };
  const { id: scheduled } = await scheduleChange(app, OPERATOR, sale, planned);
  await addRamps(app);
  await addExperiments(app);
  await setSegment(app, OPERATOR, { project: "shop", environment: "develop", segment: "staff" }, false);
  await setTestContext(app, OPERATOR, { project: "shop", name: "Ann" }, { plan: "pro" });
  const code = { branch: "main", projectName: "web", references: {} };
  await uploadReferences(app, OPERATOR, "shop", Buffer.from(JSON.stringify(code)));
  // About another flag, which is not deleted with it.
  await giveFeedback(app, "sale");
  await setFlag(app, OPERATOR, { ...sale, flag: "search" }, {});
  const feedback = await giveFeedback(app, "search");
  const form = await createForm(app, OPERATOR, { slug: "contact", uploads: true });
  const blob = await stageText(app.blobs, "bytes");
  const files = [{ field: "file", name: "a.txt", type: "text/plain", blob }];
  const delivery = { id: app.nextId(), kind: "webhook", target: "aaaa-bbbb-cccc" } as const;
  const { id } = await storeSubmission(
    app,
    form,
    { data: '{"name":"Ada","email":"ada@example.com"}', files },
    { deliveries: [delivery] },
  );
  const { id: spare } = await storeSubmission(app, form, { data: "{}", files: [] });
  const { id: spam } = await storeSubmission(app, form, { data: "{}", files: [] });
  await markSubmissions(app, OPERATOR, [spam], "spam");
  await app.store.deliveries.cancelTargetless(app.now(), 1);
  const hook = "https://example.com/hook";
  const { id: feed } = await createFeed(app, OPERATOR, "contact", { format: "csv" });
  const { id: target } = await addTarget(app, OPERATOR, "contact", hook, services.outgoing);
  const { id: projectTarget } = await addProjectTarget(app, OPERATOR, "shop", hook, services.outgoing);
  await createToken(app, OPERATOR, { name: "victim" });
  const { session } = await signIn(app, "member");
  const grant: OAuthGrant = {
    id: "8k2d-0xqa-w51m-33",
    user: "member",
    client: "https://assistant.example/client.json",
    clientName: "Assistant",
    redirect: "http://127.0.0.1:1/",
    resource: "http://127.0.0.1:2/mcp",
    scopes: ["read"],
    project: null,
    environment: null,
    createdAt: app.now(),
    usedAt: app.now(),
    expiresAt: app.now() + 60_000,
  };
  const issued = { hash: "code", challenge: "challenge" };
  await app.store.grants.insert({ grant, ...issued, session: session.id }, 1);
  await app.store.grants.start(
    { ...issued, client: grant.client, redirect: grant.redirect, resource: grant.resource },
    {
      access: "access",
      accessExpiresAt: grant.expiresAt,
      family: "family",
      refresh: "refresh",
      expiresAt: grant.expiresAt,
    },
    { at: app.now(), address: "127.0.0.1" },
  );
  await setMember(app, OPERATOR, "shop", "member", { role: "viewer" });
  const { invitation } = await createInvitation(app, OPERATOR, "shop", { role: "viewer" });
  const change = proposalOf("shop", { expiresAt: app.now() + 1000 });
  await apply(app.store, {
    change: "insertProposal",
    project: "shop",
    proposal: change,
    action: "change.propose",
    events: [],
  });
  const tokens = {} as Record<Scope, string>;
  for (const scope of SCOPES) {
    tokens[scope] = (
      await createToken(app, OPERATOR, {
        name: `only-${scope.replace(":", "-")}`,
        scopes: [scope],
        ...placeOf(scope),
      })
    ).token;
  }

  const names = {
    project: "shop",
    environment: "develop",
    flag: "sale",
    feedback,
    segment: "staff",
    person: "Ann",
    scheduled,
    form: "contact",
    feed,
    target,
    id,
    delivery: delivery.id,
    file: "1",
    name: "victim",
    user: "member",
    invitation: invitation.id,
    session: session.id,
    grant: grant.id,
    change: change.id,
  } as Record<string, string>;
  /** The address of an operation on other things than these, where they are named. */
  const addressOf = (path: string, others: Partial<typeof names> = {}) =>
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ({ ...names, ...others })[name] ?? name);
  const { paths } = await openApiOf(admin);
  const bodies: Record<string, unknown> = {
    ...BODIES,
    "POST /deliveries/retry": { ids: [delivery.id] },
    "POST /projects/{project}/environments/{environment}/flags/{flag}/rollback": { to: made.revision },
    "POST /projects/{project}/history/undo": { first: last.revision, last: last.revision },
    "POST /submissions/mark": { ids: [id], mark: "read" },
    "POST /submissions/assign": { ids: [id], assignee: "member" },
    "POST /submissions/label": { ids: [id], add: ["urgent"] },
    "POST /submissions/delete": { ids: [spare] },
  };
  const every = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([verb, { description, responses }]) => {
      const method = verb.toUpperCase();
      const name = `${method} ${path.replace(ROOT, "")}`;
      const needed = /`(\S+)`/.exec(description)?.[1] as Scope | undefined;
      // 202 is for a change that is proposed instead.
      const statuses = Object.keys(responses).filter((status) => status !== "202");
      const success = Number(statuses.find((status) => status.startsWith("2")));
      const isRamped = /\/ramp(?:\/|$)/.test(path);
      const used = method === "PUT" ? "start" : path.split("/").at(-1);
      const others = {
        ...(path.includes("/projects/{project}/targets/") && { target: projectTarget }),
        ...(isRamped && { flag: `ramp-to-${used}` }),
        ...(path.includes("{experiment}") && { experiment: experimentTo(method, path) }),
      };
      const address = `${addressOf(path, others)}${QUERIES[name] ?? ""}`;
      return { name, path, method, needed, success, address, body: bodies[name] };
    }),
  );
  // The others are open to every token, or without one; a review takes a person, and a change that is as far.
  const isReview = ({ path }: { path: string }) => path.includes("/changes/{change}/");
  // An undo is of one caller, once.
  const isUndo = ({ name }: { name: string }) => name === "POST /submissions/undo";
  const operations = every.flatMap(({ needed, ...each }) =>
    needed === undefined || isReview(each) || isUndo(each) ? [] : [{ ...each, needed }],
  );
  const reviews = every.filter(isReview).map((each) => {
    const isByAnybody = each.path.endsWith("/apply");
    const needed: Scope = isByAnybody ? "flags:write" : "flags:locked";
    return { ...each, needed, ...(each.path.endsWith("/reject") && { body: { why: "no" } }) };
  });
  const { nothing, nameless } = namesOfNothing(names);

  const ask = (
    { method, address, body }: { method: string; address: string; body?: unknown },
    headers: Record<string, string>,
  ) =>
    admin.request(address, {
      method,
      // Among all that is done, the environment is locked too.
      headers: {
        "x-confirm": "*",
        ...headers,
        ...(body === undefined
          ? {}
          : { "content-type": typeof body === "string" ? LINES : "application/json" }),
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });

  /** All that the database and the upload directory hold. */
  const everything = async () => {
    const { store } = app;
    const setup = await store.setup.read(null, true);
    const projects = setup.projects.map(async ({ slug, environments }) => [
      (await store.changes.page(slug, { limit: 1000 })).items,
      (await store.scheduled.page(slug, null, { limit: 100 })).items,
      (await store.ramps.page(slug, null, { limit: 100 })).items,
      await Promise.all(
        environments.map(
          async (each) => (await store.experiments.page(slug, each.slug, { limit: 100 })).items,
        ),
      ),
      await Promise.all(environments.map((each) => store.flags.reads(slug, each.slug))),
      [await store.code.uploads(slug), (await store.code.page(slug, { limit: 1000 })).items],
      await Promise.all((environments[0]?.flags ?? []).map((flag) => feedbackOn(app, slug, flag.slug))),
    ]);
    const sent = setup.forms.map(({ key }) => store.submissions.list(key, 1000, null));
    const lists = await Promise.all(sent);
    const handled = lists.flatMap(({ submissions }) =>
      submissions.map((each) => store.submissions.events(each.id)),
    );
    const targets = [
      ...setup.forms.map(({ key }) => store.targets.list(key)),
      ...setup.projects.map(({ slug }) => store.targets.ofProject(slug)),
    ];
    const files = readdirSync(join(app.directory, "uploads"), { recursive: true });
    return JSON.stringify([
      [(await store.readVersion()).version, setup, await store.tokens.list()],
      [await store.users.page({ limit: 100 }), await store.sessions.page(null, { limit: 100 })],
      await store.grants.page(null, { limit: 100 }),
      await store.members.ofUser("member"),
      await Promise.all(setup.projects.map(({ slug }) => store.invitations.page(slug, { limit: 100 }))),
      [await Promise.all(projects), lists, await Promise.all(handled), await Promise.all(targets)],
      await store.deliveries.page(ALL_DELIVERIES),
      [await store.submissions.files("", 1000), (await app.notes.claim(0, 1000)).garbage],
      files.map(String).toSorted((a, b) => (a < b ? -1 : 1)),
    ]);
  };
  const named = { names, nothing, nameless, tokens };
  return { app, reported, ofrep, operations, reviews, ...named, addressOf, ask, everything };
}

/** A name that nothing has for each name in a path, and a function that takes all names out of a text. */
function namesOfNothing(names: Record<string, string>) {
  const nothing: Record<string, string> = Object.fromEntries(
    Object.entries(names).map(([name, value]) => [
      name,
      /^[\da-f-]{36}$/.test(value) ? "01900000-0000-7000-8000-00000000dead" : "nothing",
    ]),
  );
  const all = [...Object.values(names), ...Object.values(nothing), "staging"]
    .filter((name) => name.length > 1)
    .toSorted((a, b) => b.length - a.length);
  const nameless = (text: string) => all.reduce((rest, name) => rest.replaceAll(name, "*"), text);
  return { nothing, nameless };
}

const PLACES = new Map(
  OPERATIONS.map(({ method, path, place }) => [
    `${method} ${ROOT}${path.replaceAll(/:(\w+)/g, "{$1}")}`,
    place,
  ]),
);

/** What an operation says that it reaches; undefined for one that says nothing. */
export function placeReached({ method, path }: { method: string; path: string }) {
  return PLACES.get(`${method} ${path}`);
}

/** The experiment for an operation on one. */
function experimentTo(method: string, path: string): string {
  return path.endsWith("{experiment}") ? `to-${method.toLowerCase()}` : `to-${path.split("/").at(-1)}`;
}

/** An experiment with a flag of its name for each operation on one. */
async function addExperiments(app: App): Promise<void> {
  const running = ["pause", "resume", "stop", "ship", "results"];
  for (const what of ["get", "patch", "delete", "start", ...running]) {
    const place = { project: "shop", environment: "develop", experiment: `to-${what}` };
    await setFlag(app, OPERATOR, { ...place, flag: place.experiment }, {});
    const design = { flag: place.experiment, metrics: ["event:signup"] };
    await createExperiment(app, OPERATOR, place, design);
    if (running.includes(what)) await startExperiment(app, OPERATOR, place);
    if (what === "resume") await pauseExperiment(app, OPERATOR, place);
  }
}

/** A flag with a ramp for each operation on one. */
async function addRamps(app: App): Promise<void> {
  await setFlag(app, OPERATOR, { project: "shop", environment: "develop", flag: "ramp-to-start" }, {});
  for (const what of ["ramp", "pause", "resume", "next", "finish", "abort"]) {
    const flag = `ramp-to-${what}`;
    const place = { project: "shop", environment: "develop", flag };
    await setFlag(app, OPERATOR, place, {});
    await startRamp(app, OPERATOR, place, { variant: "on", to: [1, 100], every: 86_400 });
    if (flag.endsWith("resume")) await pauseRamp(app, OPERATOR, place);
  }
}

/** Says something about a flag of the project `shop` in `staging`, and returns the id. */
async function giveFeedback(app: App, flag: string): Promise<string> {
  const { key: projectKey, environments } = (await app.store.projects.find("shop"))!;
  const environmentKey = environments.find(({ slug }) => slug === "staging")!.key;
  const feedback = { mood: "HAPPY", rating: 4, description: flag, metadata: null } as const;
  const origin = { projectKey, environmentKey, flag, network: "192.0.2.1" };
  return (await takeFeedback(app, origin, feedback)).id;
}

async function feedbackOn({ store }: App, project: string, flag: string) {
  const place = { project, environment: null, flag };
  return (await store.feedback.page(place, { limit: 100, before: null, from: null })).items;
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
