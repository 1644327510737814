import type { Caller } from "../../../src/access/caller.ts";
import type { ProposalView } from "../../../src/documents/changes/proposal.ts";
import { proposeChange } from "../../../src/documents/changes/proposals.ts";
import { rejectProposal } from "../../../src/documents/changes/reviews.ts";
import { rerunOn } from "../../../src/operations/changes/perform.ts";
import { createExperiment } from "../../../src/experiments/experiments.ts";
import { startExperiment } from "../../../src/experiments/lifecycle.ts";
import { failDeliveries } from "../records/failing.ts";
import { countVisitors } from "../records/visitors.ts";
import { createUser } from "../../../src/access/users.ts";
import { createInvitation } from "../../../src/access/members/invitations.ts";
import { setMember } from "../../../src/access/members/members.ts";
import { createToken } from "../../../src/access/tokens.ts";
import { uploadReferences } from "../../../src/flags/code/code-references.ts";
import { takeFeedback } from "../../../src/flags/previews/feedbacks.ts";
import type { FlagPatch } from "../../../src/flags/flag.ts";
import { rollbackFlag, setFlag } from "../../../src/flags/flags.ts";
import { startRamp } from "../../../src/flags/ramps/ramps.ts";
import { scheduleChange } from "../../../src/flags/schedule/schedule.ts";
import { setSegment } from "../../../src/flags/segments.ts";
import { createForm } from "../../../src/forms/forms.ts";
import {
  assignSubmissions,
  labelSubmissions,
  noteSubmission,
} from "../../../src/forms/inbox/submission-handling.ts";
import { markSubmissions } from "../../../src/forms/inbox/submission-marks.ts";
import { storeSubmission } from "../../../src/forms/submissions.ts";
import { setEnvironment } from "../../../src/projects/environments.ts";
import { addNoticeTarget } from "../../../src/projects/notice-targets.ts";
import { fakeOutgoing } from "../peers/outgoing.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { stageText } from "../../contracts/blobs.ts";
import type { App } from "../../../src/app.ts";
import { OPERATOR, callerNamed } from "../records/caller.ts";

export const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const HOUR = 3_600_000;

/** Texts by other people. Each is used at least once in every place that pages show texts of that kind in. */
const KIND_TEXTS = [
  "Where is my order?",
  "注文はどこですか",
  "أين طلبي؟",
  "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft".repeat(3),
];

/** What {@link furnish} has made: the paths of a page of each kind, and ids that tests need. */
export type Furnished = {
  submissions: string[];
  spam: string;
  withFiles: string;
  revision: number;
  scheduled: string;
  delivery: string;
  change: string;
  /** The id of a target of the project. */
  target: string;
};

/**
 * A form `contact`, a project `shop` with `develop`, `staging` and the locked `production`, and one of everything that pages
 * show. Every place that holds texts of other people gets every text.
 */
export async function furnish(
  app: App & { clock: { now: number } },
  texts: readonly string[] = KIND_TEXTS,
): Promise<Furnished> {
  // From noon, so that one day has all submissions, at whatever hour this runs.
  app.clock.now = Math.floor(Date.now() / (24 * HOUR)) * 24 * HOUR - 60 * HOUR;
  const first = texts[0]!;
  const ann = (why?: string) => callerNamed("ann", { why });
  for (const role of ["admin", "viewer", "inbox", "editor", "releaser"] as const)
    await createUser(app, ann(), { name: role, role });
  await createToken(app, ann(), { name: "deploy", scopes: ["flags:write"] });

  const form = await createForm(app, ann(), {
    slug: "contact",
    name: first,
    uploads: true,
    metadata: "full",
  });
  for (const [index, name] of texts.entries()) await createForm(app, ann(), { slug: `form-${index}`, name });
  const submissions: string[] = [];
  const store = async (
    data: object,
    given: { files?: [name: string, bytes: string][]; text?: string } = {},
  ) => {
    app.clock.now += HOUR / 4;
    const { files = [], text = first } = given;
    const staged = files.map(async ([name, bytes]) => ({
      field: text,
      name,
      type: "application/octet-stream",
      blob: await stageText(app.blobs, bytes),
    }));
    const meta = { address: "192.0.2.7", userAgent: text, referrer: "https://example.com/", language: "en" };
    const draft = {
      data: JSON.stringify(data),
      files: await Promise.all(staged),
      meta: JSON.stringify(meta),
    };
    const delivery = { id: app.nextId(), kind: "notification" as const, target: "ann@example.com" };
    const { id } = await storeSubmission(app, form, draft, { deliveries: [delivery] });
    submissions.push(id);
    return { id, delivery: delivery.id };
  };
  for (const text of texts)
    await store(
      { email: "ada@example.com", name: text, message: text, [text]: [text, { [text]: text }] },
      { text },
    );
  const spam = await store({ email: "eve@example.com", message: first });
  await markSubmissions(app, ann(), [spam.id], "spam");
  const archived = await store({ email: "bob@example.com", message: first });
  await markSubmissions(app, ann(), [archived.id], "archived");
  const names = texts.map((text, index): [string, string] => [`${text}.${index}`, "text"]);
  const withFiles = await store({ email: "ada@example.com", message: first }, { files: names });
  await markSubmissions(app, ann(), [withFiles.id], "read");
  await assignSubmissions(app, ann(), [withFiles.id], "inbox");
  await labelSubmissions(app, ann(), [withFiles.id], { add: ["urgent", "to call"], remove: [] });
  for (const text of texts) await noteSubmission(app, ann(), withFiles.id, text);
  await failDeliveries(app, first, withFiles.delivery);

  await createProject(app, ann(), {
    slug: "shop",
    name: first,
    environments: ["develop", "staging", "production"],
  });
  await setMember(app, ann(), "shop", "viewer", { role: "viewer" });
  await createInvitation(app, OPERATOR, "shop", { role: "editor", environments: ["develop", "staging"] });
  await createToken(app, ann(), {
    name: "pipeline",
    project: "shop",
    environment: "staging",
    scopes: ["flags:read"],
  });
  const place = (environment: string, flag = "checkout") => ({ project: "shop", environment, flag });
  const set = async (environment: string, patch: FlagPatch, why?: string, flag?: string) => {
    app.clock.now += 60_000;
    return (await setFlag(app, ann(why), place(environment, flag), patch)).record.revision;
  };
  for (const environment of ["develop", "staging", "production"])
    await setSegment(
      app,
      ann(),
      { project: "shop", environment, segment: "staff" },
      {
        in: [{ var: "email" }, environment === "production" ? texts : texts.toReversed()],
      },
    );
  await furnishExperiments(app, ann(first), texts);
  await set("production", { payload: { texts }, description: first }, first);
  const revision = await set("production", { enabled: true }, first);
  for (const text of texts) await set("production", { payload: { [text]: text } }, text);
  await set("develop", {
    enabled: true,
    variants: { on: { texts }, off: {} },
    defaultVariant: "off",
    targeting: { if: [{ or: [{ $ref: "staff" }, { in: [{ var: "email" }, texts] }] }, "on", "off"] },
  });
  await set("staging", { isPreview: true, previewName: first, previewContent: first });
  for (const [index, description] of texts.entries())
    await set("develop", { description, payload: description }, description, `flag-${index}`);
  await rollbackFlag(app, ann(first), place("production"), revision);
  const project = (await app.store.projects.find("shop"))!;
  const { key: environmentKey } = project.environments.find(({ slug }) => slug === "staging")!;
  for (const text of texts) {
    const feedback = {
      mood: "HAPPY",
      rating: 4,
      description: text,
      metadata: JSON.stringify({ [text]: text }),
    };
    const network = `192.0.2.${texts.indexOf(text)}`;
    const origin = { projectKey: project.key, environmentKey, flag: "checkout", network };
    await takeFeedback(app, origin, { ...feedback, mood: "HAPPY" });
  }
  const lines = texts.map((lineContent, index) => ({
    filePath: "src/shop.ts",
    lineNumber: index + 1,
    lineContent,
  }));
  const code = { branch: "main", projectName: "web", references: { checkout: lines } };
  await uploadReferences(app, ann(), "shop", Buffer.from(JSON.stringify(code)));
  const planned = { patch: { enabled: false, description: first }, at: Date.now() + 24 * HOUR };
  const { id: scheduled } = await scheduleChange(app, ann(first), place("production"), planned);
  const course = { variant: "on", to: [1, 10, 50, 100], every: 30 * 86_400 };
  await setFlag(app, ann(), place("staging", "ramped"), {});
  await startRamp(app, ann(first), place("staging", "ramped"), course);
  await setEnvironment(app, ann(), "shop", "production", { locked: true, color: "red" });
  const change = await proposeWith(app, ann(first), texts);
  const noticed = { target: "https://127.0.0.1/hooks/flags", environment: "staging", events: ["flag.*"] };
  const { id: target } = await addNoticeTarget(
    app,
    ann(),
    "shop",
    { ...noticed, digest: 3600 },
    fakeOutgoing(),
  );
  await addNoticeTarget(app, ann(), "shop", { target: "mail:ops@example.com" }, fakeOutgoing());
  await app.store.flags.markRead([{ environmentKey, slug: "checkout", at: app.clock.now }]);
  return {
    submissions,
    spam: spam.id,
    withFiles: withFiles.id,
    revision,
    scheduled,
    delivery: withFiles.delivery,
    change,
    target,
  };
}

/** Experiments on a flag `hero`: one that has counted visitors in staging, drafts in develop and production. */
async function furnishExperiments(app: App, caller: Caller, texts: readonly string[]): Promise<void> {
  const design = {
    flag: "hero",
    metrics: ["submissions:contact", "event:signup"],
    hypothesis: texts.join("\n"),
  };
  for (const environment of ["develop", "staging", "production"]) {
    await setFlag(app, caller, { project: "shop", environment, flag: "hero" }, {});
    const place = { project: "shop", environment, experiment: "headline" };
    await createExperiment(app, caller, place, design);
    if (environment === "staging") await startExperiment(app, caller, place);
  }
  await countVisitors(app, "hero", { off: [150, 30], on: [160, 90] });
}

/** Proposes a change of production that holds every text, and rejects it with one. */
async function proposeWith(app: App, caller: Caller, texts: readonly string[]): Promise<string> {
  const operation = {
    operation: "PATCH /projects/:project/environments/:environment/flags/:flag",
    names: { project: "shop", environment: "production", flag: "checkout" },
    query: undefined,
    body: { description: texts.at(-1)!, payload: { texts } },
  };
  const where = { project: "shop", lasts: 240 * HOUR };
  const proposed = await proposeChange(app, caller, operation, where, rerunOn(app));
  const { change } = proposed as { change: ProposalView };
  const reviewer = { ...callerNamed("releaser"), type: "user" as const };
  await rejectProposal(app, reviewer, { project: "shop", change: change.id }, texts[0]!.slice(0, 500));
  return change.id;
}
