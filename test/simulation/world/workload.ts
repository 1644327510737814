import { AppError } from "../../../src/base/errors.ts";
import { applyDocument } from "../../../src/documents/apply.ts";
import { rollbackFlag, setFlag } from "../../../src/flags/flags.ts";
import { importFlags } from "../../../src/flags/imports.ts";
import { promoteFlags } from "../../../src/flags/promotions.ts";
import { scheduleChange } from "../../../src/flags/schedule/schedule.ts";
import type { Form } from "../../../src/forms/form.ts";
import { createForm, deleteForm, setForm } from "../../../src/forms/forms.ts";
import { markSubmissions } from "../../../src/forms/inbox/submission-marks.ts";
import {
  type IntakeRules,
  checkOpen,
  loadRules,
  receiveSubmission,
} from "../../../src/forms/intake/intake.ts";
import { purgeSubmissions } from "../../../src/forms/keeping/purge.ts";
import { deleteSubmission } from "../../../src/forms/keeping/submission-deletion.ts";
import { retryDeliveries } from "../../../src/forms/deliveries.ts";
import { addTarget, setTarget } from "../../../src/forms/targets.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { fakeOutgoing } from "../../support/peers/outgoing.ts";
import type { History } from "../history/history.ts";
import { type Approvals, approvalSteps } from "./approvals.ts";
import { OPERATOR, ask } from "./asking.ts";
import { CHECKED_TEXTS } from "./check-service.ts";
import { CHECKED, furnishChecks } from "./checks.ts";
import { identitySteps } from "./identities.ts";
import { furnishPeople, peopleOf } from "./people.ts";
import { optInSteps } from "./opt-ins.ts";
import { postOver, visitSteps } from "./posts.ts";
import { experimentSteps, type Visits } from "./rollouts/experiments.ts";
import { fillingSteps } from "./rollouts/fillings.ts";
import { furnishNeeds, needSteps } from "./rollouts/needs.ts";
import { furnishRollouts, rampSteps } from "./rollouts/ramps.ts";
import { createProcess } from "./scheduler.ts";
import { walkSteps } from "./walk.ts";
import type { World } from "./world.ts";

/** A submission by the text that nothing else has. */
type Sent = {
  form: string;
  name: string;
  status: "accepted" | "refused" | "unknown";
  ids: Set<string>;
  withFile: boolean;
  sentAt: number;
  acceptedAt: number;
};

/** A step of somebody, who takes one after the other. */
type Step = () => Promise<void>;

/** What is known of what was done. */
export type Ledger = {
  sent: Map<string, Sent>;
  /** Submissions that somebody may have deleted, by id. */
  deleted: Set<string>;
  purged: { name: string; at: number }[];
  /** Until when a purge may have found submissions, whatever came of it. */
  purging: { name: string; until: number }[];
  /** Submissions that were moved between folders. */
  marked: Set<string>;
  scheduled: Map<string, { flag: string; at: number; patch: string }>;
  /** Forms that were deleted. */
  forms: Map<string, "there" | "gone" | "unknown">;
  flags: History;
  approvals: Approvals;
  /** Steps of those whose submissions fill segments. */
  joining: readonly Step[];
  /** Visitors of flags that experiments and ramps hold. */
  visits: Visits;
};

const FLAGS = ["sale", "search", "beta"];
const PROJECT = "shop";
/** Between two steps of the others, at most. */
const OTHERS_MS = 1500;
/** How many submissions the form `limited` takes. */
export const MOST = 12;
/** The form that keeps submissions for a day. */
export const FLEETING = "fleeting";
const NAMES = ["Ada", "Ben", "Cyd"];

/** Makes what the workload works on, while nothing goes wrong. Returns what else is done: by whom, and how often. */
export async function furnish(
  world: World,
  ledger: Ledger,
): Promise<[name: string, steps: readonly Step[]][]> {
  const { app } = world.servers[0]!;
  await createProject(app, OPERATOR, { slug: PROJECT, environments: ["develop", "live"] });
  for (const flag of FLAGS) await setFlag(app, OPERATOR, { project: PROJECT, environment: "live", flag }, {});
  for (const slug of ["contact", "limited"]) {
    await createForm(app, OPERATOR, {
      slug,
      project: PROJECT,
      uploads: true,
      spamWords: ["casino"],
      learn: true,
    });
    for (const path of ["steady", "shaky"])
      await addTarget(app, OPERATOR, slug, `https://8.8.8.8/${slug}/${path}`, fakeOutgoing());
  }
  // So slow that what waits for it is leased for longer than a lease lasts.
  await addTarget(app, OPERATOR, "contact", "https://8.8.8.8/contact/slow", fakeOutgoing());
  await addTarget(app, OPERATOR, "contact", "https://8.8.8.8/contact/leaving", fakeOutgoing());
  await setForm(app, OPERATOR, "limited", { maxSubmissions: MOST });
  await createForm(app, OPERATOR, { slug: FLEETING, project: PROJECT, uploads: true, spamWords: ["casino"] });
  await setForm(app, OPERATOR, FLEETING, { retention: 86_400, spamRetention: 86_400 });
  await furnishChecks(world);
  await furnishPeople(world);
  await furnishRollouts(world);
  await furnishNeeds(world);
  const { people, steps } = peopleOf(world);
  const walk = walkSteps(world);
  ledger.joining = await fillingSteps(world);
  const experiments = await experimentSteps(world, ledger.visits);
  return [
    ["people", [...steps, ...identitySteps(people)]],
    ["reviewers", await approvalSteps(world, ledger.approvals)],
    ["visitors", await visitSteps(world)],
    ["subscribers", await optInSteps(world)],
    ...["walker", "other walker", "third walker"].map((name) => [name, walk] as [string, Step[]]),
    ["releasers", rampSteps(world)],
    ["other releasers", rampSteps(world)],
    ["maintainers", needSteps(world)],
    ["other maintainers", needSteps(world)],
    ["members", ledger.joining],
    ["experimenters", experiments],
    ["other experimenters", experiments],
  ];
}

/** Lets clients work until a time. Returns once all have stopped. */
export async function work(
  world: World,
  ledger: Ledger,
  until: number,
  others: readonly [name: string, steps: readonly Step[]][],
): Promise<void> {
  const { scheduler } = world;
  const { chance } = scheduler;
  const compiled = new WeakMap<Form, Promise<IntakeRules>>();
  const anyServer = () => chance.pick(world.servers);
  const formKeys = new Map(
    world.db.query<{ slug: string; key: string }, []>("SELECT slug, key FROM forms").values() as [
      string,
      string,
    ][],
  );
  let numbers = 0;
  /** A process alone knows its own changes at once. */
  const settling = world.servers.length > 1 ? world.staleness : 0;
  const repeat = (name: string, every: number, step: () => Promise<void>) =>
    scheduler.as(createProcess(name), async () => {
      while (scheduler.now() < until) {
        await scheduler.sleep(chance.int(every), name);
        await step();
      }
    });

  const post = async (marker: string, sent: Sent, text: string, key: string | null, tries: number) => {
    const direct = () =>
      ask(world, anyServer(), async ({ app, findForm, judge }) => {
        const { key: formKey } = (await app.store.forms.named(sent.form))[0] ?? { key: "" };
        const form = await findForm(formKey);
        if (!form) throw new AppError("not_found", "there is no such form");
        if (!form.enabled) throw new AppError("conflict", "this form is closed");
        checkOpen(form, app.now());
        let rules = compiled.get(form);
        if (!rules) compiled.set(form, (rules = loadRules(app, form)));
        rules.catch(() => compiled.delete(form));
        const files = [];
        if (sent.withFile) {
          const blob = await app.blobs.stage();
          await blob.write(Buffer.from(marker));
          files.push({ field: "file", name: "a.txt", type: "text/plain", blob });
        }
        const fields = { marker, name: sent.name, text };
        return receiveSubmission(app, {
          form,
          rules: await rules,
          sent: {
            data: JSON.stringify(fields),
            fields,
            files,
            source: "json",
            control: new Map(),
            hasHoneypotFile: false,
          },
          sender: {
            network: () => "203.0.113.7",
            idempotencyKey: key,
            assignment: null,
            details: () => ({ address: "203.0.113.7", userAgent: null, referrer: null, language: null }),
            isAbandoned: () => false,
          },
          judge: async () => judge,
          challenger: () => Promise.reject(new Error("no form has a challenge")),
          countSpam: () => {},
          report: (error) => world.violated(`reported behind a commit: ${String(error)}`),
        });
      });
    const { name, form, withFile } = sent;
    const file = withFile ? { name: "a.txt", type: "text/plain", text: marker } : null;
    const posted = { fields: { marker, name, text }, file, key };
    const outcome = await (chance.once(2) ? direct() : postOver(world, formKeys.get(form)!, posted));
    scheduler.note(`${marker} ${outcome.code}`);
    if (outcome.code === "ok") {
      sent.status = "accepted";
      sent.ids.add(outcome.value!.id);
      sent.acceptedAt = scheduler.now();
    } else if (outcome.code === "unknown") {
      sent.status = "unknown";
      if (key !== null && tries > 0) {
        await scheduler.sleep(chance.int(3000), "try again");
        await post(marker, sent, text, key, tries - 1);
      }
    }
  };
  const submit = async (form = chance.pick(["contact", "contact", "limited", FLEETING, CHECKED])) => {
    const marker = `m${(numbers += 1)}`;
    const key = chance.once(2) ? `key-${marker}` : null;
    const sent: Sent = {
      form,
      name: chance.pick(NAMES),
      status: "refused",
      ids: new Set(),
      withFile: chance.once(6),
      sentAt: scheduler.now(),
      acceptedAt: Infinity,
    };
    ledger.sent.set(marker, sent);
    const text = chance.once(8) ? "casino" : form === CHECKED ? chance.pick(CHECKED_TEXTS) : "hello";
    const posts = [post(marker, sent, text, key, 5)];
    // A double click.
    if (key !== null && chance.once(4)) posts.push(post(marker, sent, text, key, 5));
    await Promise.all(posts);
  };

  const idOfAny = (): string | undefined => {
    const ids = [...ledger.sent.values()].flatMap(({ ids: known }) => [...known]);
    return ids.length === 0 ? undefined : chance.pick(ids);
  };
  const place = (flag: string) => ({ project: PROJECT, environment: "live", flag });

  const write = async () => {
    const flag = chance.pick(FLAGS);
    const known = ledger.flags.newest(flag);
    const expected = chance.once(3) ? known : null;
    const begin = scheduler.now();
    const entry = ledger.flags.beginWrite(flag, expected, begin);
    const outcome = await ask(world, anyServer(), ({ app }) => {
      const kind = chance.int(12);
      if (kind === 0) return rollbackFlag(app, OPERATOR, place(flag), { before: null }, expected);
      return setFlag(app, OPERATOR, place(flag), { payload: `p${(numbers += 1)}` }, expected);
    });
    const { code } = outcome;
    scheduler.note(`set ${flag} ${code} ${outcome.value?.record.revision ?? ""}`);
    if (outcome.value?.result === "unchanged") {
      // It has only seen what is there.
      ledger.flags.beginRead(flag, begin).end(scheduler.now(), outcome.value.record.revision);
      return;
    }
    entry.end(
      scheduler.now() - (code === "ok" ? settling : 0),
      code === "unknown" ? "unknown" : code === "ok" ? outcome.value!.record.revision : null,
      code === "conflict",
    );
  };
  const read = async () => {
    const flag = chance.pick(FLAGS);
    // A moment that other processes may still answer: a change waits behind its commit until none does.
    const entry = ledger.flags.beginRead(flag, scheduler.now() - settling);
    const outcome = await ask(world, anyServer(), async (server) => {
      const project = keys(world);
      const { watch } = server.app;
      const isCurrent = () => watch.staleFor() === 0;
      const [wasCurrent, before] = [isCurrent(), watch.counts().failed];
      const flags = await server.findFlags(project.key, project.environment);
      // While the database does not answer, readers get what was in memory.
      if (!wasCurrent || !isCurrent() || watch.counts().failed !== before) return null;
      return flags?.get(flag)?.revision ?? 0;
    });
    entry.end(scheduler.now(), outcome.value ?? null);
  };
  const administer = async () => {
    const id = idOfAny();
    const server = anyServer();
    switch (chance.int(11)) {
      case 0: {
        const targets = await ask(world, server, ({ app }) =>
          app.store.forms.named("contact").then(([form]) => app.store.targets.list(form!.key)),
        );
        const name = chance.pick(["/shaky", "/shaky", "/leaving"]);
        const target = targets.value?.find(({ url }) => url.endsWith(name));
        if (!target) return;
        const isEnabled = name === "/leaving" || chance.once(2);
        await ask(world, server, ({ app }) =>
          setTarget(app, OPERATOR, target.id, { enabled: isEnabled }, async () => fakeOutgoing()),
        );
        return;
      }
      case 1:
        if (id === undefined) return;
        ledger.deleted.add(id);
        await ask(world, server, ({ app }) => deleteSubmission(app, OPERATOR, id));
        return;
      case 2: {
        if (id === undefined) return;
        ledger.marked.add(id);
        const mark = chance.pick(["spam", "inbox", "archived", "read"] as const);
        await ask(world, server, ({ app }) => markSubmissions(app, OPERATOR, [id], mark));
        return;
      }
      case 3: {
        if (!chance.once(6)) return;
        const name = chance.pick(NAMES);
        const at = scheduler.now();
        for (const sent of ledger.sent.values())
          if (sent.name === name) for (const each of sent.ids) ledger.deleted.add(each);
        const { code } = await ask(world, server, ({ app }) =>
          purgeSubmissions(app, OPERATOR, { field: "name", value: name }),
        );
        // What arrived during a purge may be found by it too, also where its sender has not got its answer yet.
        ledger.purging.push({ name, until: scheduler.now() });
        for (const sent of ledger.sent.values())
          if (sent.name === name) for (const each of sent.ids) ledger.deleted.add(each);
        for (const [, sent] of ledger.sent)
          if (sent.name === name && sent.status !== "refused") sent.status = "unknown";
        if (code === "ok") ledger.purged.push({ name, at });
        return;
      }
      case 4: {
        const flag = chance.pick(FLAGS);
        const at = scheduler.now() + 1000 + chance.int(20_000);
        const patch = `scheduled-${(numbers += 1)}`;
        const done = await ask(world, server, ({ app }) =>
          scheduleChange(
            app,
            OPERATOR,
            { ...place(flag), environment: "develop" },
            {
              patch: { payload: patch },
              at: app.now() - scheduler.now() + at,
            },
          ),
        );
        if (done.code === "ok") ledger.scheduled.set(done.value!.id, { flag, at: done.value!.at, patch });
        return;
      }
      case 5:
        await ask(world, server, ({ app }) =>
          promoteFlags(
            app,
            OPERATOR,
            PROJECT,
            { from: "live", to: "develop", flags: null, segments: false },
            false,
          ),
        );
        return;
      case 6:
        await ask(world, server, ({ app }) =>
          importFlags(
            app,
            OPERATOR,
            { project: PROJECT, environment: "develop" },
            {
              flags: {
                sale: {
                  state: "ENABLED",
                  variants: { on: true, off: false },
                  defaultVariant: chance.pick(["on", "off"]),
                },
              },
            },
            false,
          ),
        );
        return;
      case 7:
        await ask(world, server, ({ app }) =>
          applyDocument(
            app,
            OPERATOR,
            {
              projects: {
                [PROJECT]: { flags: { beta: { environments: { develop: { enabled: chance.once(2) } } } } },
              },
            },
            { prune: false, confirmed: true },
          ),
        );
        return;
      case 8: {
        const deliveries = await ask(world, server, ({ app }) =>
          app.store.deliveries.page({
            limit: 20,
            before: null,
            formKeys: null,
            projects: null,
            submission: null,
            status: null,
          }),
        );
        const all = deliveries.value?.items ?? [];
        if (all.length === 0) return;
        const some = [chance.pick(all).id, chance.pick(all).id, chance.pick(all).id];
        await ask(world, server, ({ app }) => retryDeliveries(app, OPERATOR, { ids: [...new Set(some)] }));
        return;
      }
      case 9: {
        const slug = "passing";
        const { code } = await ask(world, server, ({ app }) =>
          createForm(app, OPERATOR, { slug, project: PROJECT }),
        );
        if (code === "ok") ledger.forms.set(slug, "there");
        else if (code === "unknown") ledger.forms.set(slug, "unknown");
        return;
      }
      default: {
        const { code } = await ask(world, server, ({ app }) => deleteForm(app, OPERATOR, "passing"));
        if (code === "ok") ledger.forms.set("passing", "gone");
        else if (code === "unknown") ledger.forms.set("passing", "unknown");
      }
    }
  };

  await Promise.all([
    repeat("sender-a", 1500, () => submit()),
    repeat("sender-b", 3000, () => submit()),
    // More than a slow receiver takes within a lease.
    repeat("burst", 30_000, async () => {
      await Promise.all(Array.from({ length: 24 }, () => submit("contact")));
    }),
    repeat("writer-a", 1500, write),
    repeat("writer-b", 1500, write),
    repeat("reader-a", 300, read),
    repeat("reader-b", 300, read),
    repeat("operator-a", 4000, administer),
    repeat("operator-b", 4000, administer),
    ...others.map(([name, steps]) => repeat(name, OTHERS_MS, () => chance.pick(steps)())),
  ]);
}

/** The two keys of the environment whose flags are read. */
function keys({ db }: World): { key: string; environment: string } {
  return db
    .query<{ key: string; environment: string }, []>(
      "SELECT p.key, e.key AS environment FROM projects p JOIN environments e ON e.project_id = p.id AND e.slug = 'live'",
    )
    .get()!;
}
