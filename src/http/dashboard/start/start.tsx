import { AppError } from "../../../base/errors.ts";
import { DEFAULT_PROJECT, shortName } from "../../../access/place.ts";
import { visibleProjects } from "../../../access/rights.ts";
import { withoutAccents } from "../../../base/normalize.ts";
import { flags } from "../../../operations/flags.ts";
import { forms } from "../../../operations/forms.ts";
import { projects } from "../../../operations/projects.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { A } from "../parts/link.tsx";
import { type Typed, submit } from "../parts/submit.ts";
import { flagPath, formPath } from "../paths.ts";
import type { Dashboard } from "../routes.ts";
import { counted } from "../parts/text.tsx";
import { type Steps, readSteps } from "./read-steps.ts";
import { FirstSteps } from "./steps.tsx";

/** The first page of a new user: three steps, each with its only field. */
export function startRoutes({ app, options, get, post, act, perform }: Dashboard) {
  const stepsOf = (c: DashboardContext) =>
    readSteps({
      app,
      caller: c.get("caller"),
      signedIn: c.get("session")!.signedIn,
      passwords: options.passwords,
    });
  const show = async (c: DashboardContext, typed: Typed | null = null) => startPage(await stepsOf(c), typed);
  get("/start", null, (c) => show(c));
  post(
    "/start/form",
    "forms:write",
    act({
      operation: forms.create,
      input({ c, fields }) {
        const name = textOf(fields, "name").trim();
        const projects = visibleProjects(c.get("caller"), "forms:write");
        // Without a project, it is of the default one, which is made with the first form.
        const isFree = projects === null || projects.includes(DEFAULT_PROJECT);
        return { body: { slug: slugOf(name), name, ...(!isFree && { project: projects[0] }) } };
      },
      done: (form) => ({ to: formPath(shortName(form)), text: `Created form ${form.slug}` }),
      again: ({ c, fields }, faults) =>
        show(c, { fields, faults: { name: Object.values(faults).join(" ") } }),
      at: { "form-exists": "name" },
    }),
  );
  post("/start/flag", "flags:write", (c, fields) =>
    submit(
      async () => {
        const flag = textOf(fields, "flag").trim();
        const { flag: step } = await stepsOf(c);
        const { slug: project, environments } =
          typeof step?.project === "string"
            ? await perform(c, projects.get, { names: { project: step.project } })
            : await perform(c, projects.create, { body: { slug: DEFAULT_PROJECT } });
        // A new flag is off everywhere, so any environment will do.
        const environment = environments.find(({ locked }) => !locked)?.slug;
        if (environment === undefined)
          throw new AppError("invalid", `every environment of ${project} is locked: create the flag there`);
        await perform(c, flags.set, { names: { project, environment, flag }, body: {}, revision: 0 });
        return { to: flagPath(project, flag), text: `The flag ${flag} is created.` };
      },
      (faults) => show(c, { fields, faults: { flag: Object.values(faults).join(" ") } }),
      { invalid: "flag", conflict: "flag" },
    ),
  );
}

/** `contact-form` for "Contact form"; `contact` for a name without Latin letters. */
function slugOf(name: string): string {
  return (
    withoutAccents(name)
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "-")
      .replaceAll(/^-|-$/g, "")
      .slice(0, 60) || "contact"
  );
}

function startPage(steps: Steps, typed: Typed | null): Page {
  const all = Object.values(steps).filter((step) => step !== null);
  const project = steps.flag?.project ?? null;
  const left = all.filter(({ isDone }) => !isDone).length;
  return {
    title: "Start",
    heading: "Welcome to formflag",
    section: "today",
    topics: ["submissions", "setup"],
    lead:
      left === 0
        ? "Every step is done."
        : `${left === 1 ? "One step, a minute or two" : `${counted(left, "step")}, a minute or two each`}. Leave when you like; Today keeps them until they are done.`,
    commands: [
      ["Create a form", "forms create", "contact"],
      ["Create a flag", "flags set", "new-checkout", { p: project ?? DEFAULT_PROJECT, e: "production" }],
    ],
    content: (
      <div class="split aside">
        <div class="stack">
          <FirstSteps steps={steps} typed={typed} />
          <p class="small soft">
            Rather look around first? Go to <A to="/">Today</A>.
          </p>
        </div>
        <Words isFirst={[null, DEFAULT_PROJECT].includes(project)} />
      </div>
    ),
  };
}

/** The words that the product uses for what it holds. `isFirst` says that the first project is there, or is made with what is created. */
function Words({ isFirst }: { isFirst: boolean }) {
  return (
    <aside class="card" aria-labelledby="words">
      <h2 id="words">Four words</h2>
      <dl class="words">
        <dt>Project</dt>
        <dd>
          One application with its forms and flags.{" "}
          {isFirst && (
            <>
              The first is called <b>{DEFAULT_PROJECT}</b>.{" "}
            </>
          )}
          It can be renamed.
        </dd>
        <dt>Environment</dt>
        <dd>Where it runs, such as develop and production. A flag has a state in each.</dd>
        <dt>Submission</dt>
        <dd>What a sender filled in. It stays in the inbox until you archive it.</dd>
        <dt>Target</dt>
        <dd>Who is told: a mail address, a chat, a webhook.</dd>
      </dl>
    </aside>
  );
}
