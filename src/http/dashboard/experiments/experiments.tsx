import { overviewOfFlags } from "../../../flags/overviews.ts";
import { experiments } from "../../../operations/experiments.ts";
import { getEnvironment } from "../../../projects/environments.ts";
import { getProject } from "../../../projects/projects.ts";
import type { Caller } from "../../../access/caller.ts";
import type { App } from "../../../app.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { readMetrics } from "../flags/screen.tsx";
import { type Faults, faultAt } from "../parts/submit.ts";
import { NEW_EXPERIMENT, RELEASES, experimentPath, pathTo } from "../paths.ts";
import type { Dashboard } from "../routes.ts";
import { GUARD_ACTIONS } from "../../../flags/ramps/ramp-card.ts";
import { DESIGN } from "../../../experiments/experiment-card.ts";
import { metricInWords } from "../../../flags/release/release-words.ts";
import type { Project } from "../../../projects/project.ts";
import { type Fields, textOf, textsOf } from "../fields.ts";
import { Guards, guardsIn } from "../flags/release-fields.tsx";
import type { Page } from "../page.tsx";
import { CheckField, SelectField, TextField, WhyField } from "../parts/field.tsx";
import { CardFields, givenIn } from "../parts/kind-field.tsx";
import { Button, Form } from "../parts/link.tsx";
import { EnvironmentField } from "../parts/list.tsx";
import { projectPage } from "../project/project-page.tsx";
import { useMayChange } from "../view.ts";

/** Flags and forms that a form suggests. */
const SUGGESTED = 200;

export function experimentsRoutes({ app, get, post, act }: Dashboard) {
  const showNew = async (c: DashboardContext, slug: string, typed: Partial<Design>, faults: Faults = {}) => {
    const project = await getProject(app, slug);
    const first = { ...BLANK, environment: project.environments[0]?.slug ?? "" };
    const shown = { ...first, ...typed };
    const isThere = project.environments.some((each) => each.slug === shown.environment);
    const environment = isThere ? shown.environment : null;
    const suggestions = await suggest(app, c.get("caller"), { project: slug, environment });
    return newExperimentPage({ project, typed: shown, faults, ...suggestions });
  };
  get(NEW_EXPERIMENT, "flags:write", (c, { project }) => {
    const { environment, flag } = c.req.query();
    return showNew(c, project, { ...(environment !== undefined && { environment }), flag: flag ?? "" });
  });
  post(
    NEW_EXPERIMENT,
    "flags:write",
    act({
      operation: experiments.create,
      input({ fields, names: { project } }) {
        const typed = typedIn(fields);
        if (typed.environment === "") throw faultAt("environment", "choose an environment");
        return { names: { project, environment: typed.environment }, body: designOf(fields) };
      },
      async confirm({ fields, names: { project } }) {
        const { name, environment } = typedIn(fields);
        return {
          title: `Confirm: experiment ${name} in ${environment}, ${project}`,
          label: `Create ${name} in ${environment}`,
          environments: [await getEnvironment(app, project, environment)],
          change: <p>A draft changes no flag.</p>,
          back: { to: pathTo(RELEASES, { project }), label: "Releases" },
        };
      },
      done: ({ name, environment }, { names: { project } }) => ({
        to: experimentPath({ project, environment, experiment: name }),
        text: `The experiment ${name} is created as a draft.`,
      }),
      again: ({ c, fields, names }, faults) => showNew(c, names.project, typedIn(fields), faults),
      at: FAULTS,
    }),
  );
}

/** The field at which a refusal stands. */
const FAULTS = {
  "experiment-exists": "name",
  "environment-not-found": "environment",
  "flag-not-found": "flag",
  "ramp-variant": "split",
  "experiment-control": "control",
  not_found: "metrics",
  conflict: "metrics",
  forbidden: "metrics",
  invalid: "flag",
};

async function suggest(
  app: App,
  caller: Caller,
  place: { project: string; environment: string | null },
): Promise<Suggestions> {
  const [{ items }, metrics] = await Promise.all([
    overviewOfFlags(app, place.project, { limit: SUGGESTED }),
    readMetrics(app, caller, place),
  ]);
  return { flags: items.map(({ slug }) => slug), metrics };
}

/** A new experiment as it is typed; the fields of its form have these names. */
const BLANK = {
  name: "",
  environment: "",
  flag: "",
  /** The first metric, which decides. */
  metrics: "",
  /** The other metrics, each on a line. */
  more: "",
  split: "",
  control: "",
  minDays: "7",
  hypothesis: "",
  /** Each on a line. */
  guards: "",
  onGuard: "pause",
  why: "",
};

export type Design = typeof BLANK;

function typedIn(fields: Fields): Design {
  const typed = Object.keys(BLANK).map((name) => [name, textOf(fields, name).trim()]);
  const event = textOf(fields, "event").trim();
  return {
    ...(Object.fromEntries(typed) as Design),
    ...(event !== "" && { metrics: `event:${event}` }),
    more: textsOf(fields, "more").join("\n"),
    guards: [textOf(fields, "guards"), ...guardsIn(fields)].join("\n"),
  };
}

const { control, split, minDays, hypothesis } = DESIGN;
const NUMBERS = { split, control, minDays };

/** A design for the admin API. Throws the fault of a field that it cannot read. */
function designOf(fields: Fields) {
  const { name, flag, metrics, more, guards, onGuard } = typedIn(fields);
  const given = givenIn({ ...NUMBERS, hypothesis }, fields, 0);
  if (metrics === "")
    throw faultAt("metrics", "name what decides, such as submissions:contact or event:signup");
  return {
    name,
    flag,
    metrics: [metrics, ...linesOf(more)],
    ...given,
    guards: linesOf(guards),
    onGuard,
  };
}

function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** Names that fields of the form complete. */
export type Suggestions = { flags: readonly string[]; metrics: readonly string[] };

type Props = { project: Project; typed: Design; faults: Faults } & Suggestions;

function newExperimentPage(props: Props): Page {
  const { slug } = props.project;
  const [place, flag] = [{ p: slug, e: props.typed.environment }, props.typed.flag || "hero"];
  return projectPage({
    project: slug,
    tab: "releases",
    title: "New experiment",
    heading: "New experiment",
    back: { to: pathTo(RELEASES, { project: slug }), label: "Releases" },
    ...(Object.keys(props.faults).length > 0 && { status: 422 as const }),
    commands: [
      ["Creates one", "experiments create", "headline", place, { flag, metric: "submissions:contact" }],
    ],
    content: <DesignForm {...props} />,
  });
}

/** The name, value and fault of a control. */
function controls(typed: Design, faults: Faults) {
  return (name: keyof Design) => ({ name, value: typed[name], error: faults[name] });
}

function DesignForm({ project, typed, faults, flags, metrics }: Props) {
  const at = controls(typed, faults);
  const environments = project.environments.filter((each) => useMayChange([each]));
  return (
    <Form
      to={pathTo(NEW_EXPERIMENT, { project: project.slug })}
      class="card stack"
      id="new-experiment"
      label="New experiment"
      isChanged={typed.name !== BLANK.name}
    >
      <div class="columns">
        <TextField
          {...at("name")}
          label="Name"
          hint="Such as headline. It cannot be changed later."
          maxlength={150}
          required
        />
        <EnvironmentField environments={environments} {...at("environment")} />
        <TextField
          {...at("flag")}
          label="Flag"
          hint="Its users are split among its variants."
          suggestions={flags}
          required
        />
        <SelectField
          {...at("metrics")}
          label="Metric that decides"
          options={optionsOf(metrics, typed.metrics)}
        />
        <TextField name="event" label="Or an event of your pages" hint="Its name, such as signup." />
      </div>
      <CardFields card={{ hypothesis }} typed={{ fields: null, faults }} texts={typed} />
      <Details typed={typed} faults={faults} metrics={metrics} />
      <WhyField value={typed.why} />
      <p class="buttons">
        <Button kind="primary" icon="plus">
          Create the draft
        </Button>
        <span class="soft">A draft changes nothing before its start.</span>
      </p>
    </Form>
  );
}

const IN_DETAILS = ["more", "split", "control", "minDays", "guards", "onGuard"] as const;

function Details({ typed, faults, metrics }: Pick<Props, "typed" | "faults" | "metrics">) {
  const isOpen = IN_DETAILS.some((name) => faults[name] || typed[name] !== BLANK[name]);
  return (
    <details open={isOpen} id="new-experiment-more">
      <summary>Split, length and guards</summary>
      <div class="stack">
        <div class="columns">
          <CardFields card={NUMBERS} typed={{ fields: null, faults }} texts={typed} />
        </div>
        <fieldset>
          <legend>Other metrics</legend>
          <p class="hint">They are shown, and do not decide.</p>
          {[...new Set([...metrics, ...linesOf(typed.more)])].map((metric) => (
            <CheckField
              name="more"
              id={`more-${metric.replaceAll(/\W/g, "-")}`}
              value={metric}
              label={metricInWords(metric)}
              checked={linesOf(typed.more).includes(metric)}
            />
          ))}
        </fieldset>
        <Guards
          metrics={metrics}
          release={{
            guards: linesOf(typed.guards),
            onGuard: GUARD_ACTIONS.find((each) => each === typed.onGuard) ?? "pause",
          }}
        />
        {faults["guards"] && (
          <p class="error" id="guards-error">
            {faults["guards"]}
          </p>
        )}
      </div>
    </details>
  );
}

/** Metrics that exist, and the typed one. */
function optionsOf(metrics: readonly string[], typed: string) {
  const all = [...new Set([...metrics, ...(typed === "" ? [] : [typed])])];
  const none = { value: "", label: "choose one" };
  return [none, ...all.map((metric) => ({ value: metric, label: metricInWords(metric) }))];
}
