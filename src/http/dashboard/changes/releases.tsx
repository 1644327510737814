import type { App } from "../../../app.ts";
import { DAY_MS } from "../../../base/days.ts";
import { approvalsNeeded, approversOf, statusOf } from "../../../documents/changes/proposal.ts";
import { standing } from "../../../documents/changes/standing.ts";
import type { Experiment } from "../../../experiments/experiment.ts";
import { durationInWords } from "../../../base/units.ts";
import { nextStep, type Ramp } from "../../../flags/ramps/ramp.ts";
import { settled } from "../../../flags/ramps/ramp-plan.ts";
import { rampStatusInWords } from "../../../flags/ramps/ramp-words.ts";
import type { Project } from "../../../projects/project.ts";
import { getProject } from "../../../projects/projects.ts";
import type { Child } from "../markup.ts";
import type { Page } from "../page.tsx";
import { Empty } from "../parts/card.tsx";
import { Icon, type IconName } from "../parts/icon.tsx";
import { A, ButtonLink } from "../parts/link.tsx";
import { Foreign } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { PROJECT, experimentPath, projectPath, settingPath } from "../paths.ts";
import { projectPage } from "../project/project-page.tsx";
import type { Dashboard } from "../routes.ts";

/** Releases of each kind that are read, and finished ones that are shown. */
const MOST = 100;
const FINISHED = 8;

/** A release as a row: its name leads to its page, and `at` is the time that matters for it. */
type Release = {
  key: string;
  icon: IconName;
  tone: "bad" | "warn" | "info" | "good" | "";
  to: string;
  name: string;
  words: Child;
  more: Child;
  at: number | null;
  /** The word before the time, such as `until`. */
  when?: string;
};

type Releases = Record<"decide" | "running" | "next" | "finished", Release[]>;

/** The releases of a project in one list, by what a person does next. */
export function releasesRoutes({ app, get }: Dashboard) {
  get(`${PROJECT}/releases`, "flags:read", async (_, { project: slug }) => {
    const project = await getProject(app, slug);
    return releasesPage(project, await readReleases(app, project));
  });
}

async function readReleases(app: App, project: Project): Promise<Releases> {
  const { slug, environments } = project;
  const [ramps, scheduled, proposals, ...experiments] = await Promise.all([
    app.store.ramps.page(slug, null, { limit: MOST }),
    app.store.scheduled.next([slug], MOST),
    app.store.proposals.page(slug, { statuses: ["open"], limit: MOST }),
    ...environments.map((each) => app.store.experiments.page(slug, each.slug, { limit: MOST })),
  ]);
  const found: Releases = { decide: [], running: [], next: [], finished: [] };
  for (const each of ramps.items) addRamp(found, slug, settled(each));
  for (const { items } of experiments)
    for (const { experiment } of items) addExperiment(found, slug, experiment, app.now());
  for (const each of proposals.items) {
    const proposal = await standing(app, each);
    const needed = approvalsNeeded(proposal, project);
    const status = statusOf(proposal, needed, app.now());
    if (status !== "open" && status !== "approved") continue;
    const { id, who, why, summary, createdAt } = proposal;
    found.decide.push({
      key: `change-${id}`,
      icon: "proposal",
      tone: "info",
      to: `${projectPath(slug)}/changes/${encodeURIComponent(id)}`,
      name: summary,
      words: proposal.environments.length > 0 && ` in ${proposal.environments.join(", ")}`,
      more: (
        <>
          <Foreign text={who} /> proposed it
          {why !== null && (
            <>
              : <Foreign text={why} />
            </>
          )}
          {` · ${approversOf(proposal).length} of ${needed} approvals`}
        </>
      ),
      at: createdAt,
    });
  }
  for (const { scheduled: each } of scheduled) {
    const { id, environment, flag, patch, at, who } = each;
    const verb = patch.enabled === undefined ? "changes" : patch.enabled ? "on" : "off";
    found.next.push({
      key: `scheduled-${id}`,
      icon: "clock",
      tone: "",
      to: settingPath({ project: slug, environment, flag }),
      name: flag,
      words: ` ${verb} in ${environment}`,
      more: (
        <>
          by <Foreign text={who} />
        </>
      ),
      at,
    });
  }
  const lately = found.finished.toSorted((a, b) => (b.at ?? 0) - (a.at ?? 0)).slice(0, FINISHED);
  return { ...found, finished: lately };
}

function addRamp(found: Releases, project: string, ramp: Ramp): void {
  const { flag, environment, share, steps, every, status, nextAt, guards, who } = ramp;
  const to = settingPath({ project, environment, flag });
  const shared = { key: `ramp-${environment}-${flag}`, icon: "ramp" as const, to, name: flag };
  const done = steps.filter(({ doneAt }) => doneAt !== null);
  const pace = `step ${done.length} of ${steps.length}, one every ${durationInWords(every).replace(/^1 /, "")}`;
  const guarded = guards.length === 0 ? "no guard" : `stops if ${guards.join(", or ")}`;
  if (status === "paused")
    found.decide.unshift({
      ...shared,
      tone: "warn",
      words: ` stopped at ${share} % in ${environment}`,
      more: `${rampStatusInWords(ramp)} · ${pace}`,
      at: done.at(-1)?.doneAt ?? null,
      when: "since",
    });
  else if (status === "running") {
    const next = nextStep(ramp);
    const more = `${pace} · ${next ? `${next.share} % next · ` : ""}${guarded}`;
    found.running.push({
      ...shared,
      tone: "info",
      words: ` ${share} % in ${environment}`,
      more,
      at: nextAt,
      when: "next",
    });
  } else {
    const isCompleted = status === "completed";
    found.finished.push({
      ...shared,
      tone: isCompleted ? "good" : "",
      words: isCompleted ? ` reached ${share} % in ${environment}` : ` ended at ${share} % in ${environment}`,
      more: (
        <>
          {done.length === 1 ? "1 step" : `${done.length} steps`} · by <Foreign text={who} />
        </>
      ),
      at: done.at(-1)?.doneAt ?? ramp.createdAt,
    });
  }
}

function addExperiment(found: Releases, project: string, experiment: Experiment, now: number): void {
  const { name, flag, environment, status, hypothesis, minDays, startedAt, endedAt, isDecided, who } =
    experiment;
  const to = experimentPath({ project, environment, experiment: name });
  const shared = { key: `experiment-${environment}-${name}`, icon: "beaker" as const, to, name };
  const words = (
    <>
      {" "}
      on {flag} in {environment}
      {hypothesis !== null && (
        <>
          : <Foreign text={hypothesis} />
        </>
      )}
    </>
  );
  const day = Math.floor((now - (startedAt ?? now)) / DAY_MS) + 1;
  const course = `day ${day} of ${minDays}`;
  if (status === "paused")
    found.decide.unshift({ ...shared, tone: "warn", words, more: rampStatusInWords(experiment), at: null });
  else if (status === "running" && isDecided)
    found.decide.push({
      ...shared,
      tone: "info",
      words,
      more: `It has a result · ${course}`,
      at: startedAt,
      when: "since",
    });
  else if (status === "running")
    found.running.push({
      ...shared,
      tone: "info",
      words,
      more: `${course} · no result yet`,
      at: startedAt! + minDays * DAY_MS,
      when: "until",
    });
  else if (status === "draft") found.next.push({ ...shared, tone: "", words, more: "Not started", at: null });
  else
    found.finished.push({
      ...shared,
      tone: "",
      words,
      more: (
        <>
          Experiment · by <Foreign text={who} />
        </>
      ),
      at: endedAt,
    });
}

function releasesPage({ slug }: Project, { decide, running, next, finished }: Releases): Page {
  const isEmpty = [decide, running, next, finished].every(({ length }) => length === 0);
  return projectPage({
    project: slug,
    tab: "releases",
    title: "Releases",
    heading: "Releases",
    commands: [
      ["List ramps", "flags ramps", { p: slug }],
      ["List scheduled changes", "flags scheduled", { p: slug }],
      ["List proposals", "changes list", { p: slug }],
    ],
    content: isEmpty ? (
      <Empty title="Nothing is released step by step, at a time, or as an experiment">
        <p class="soft">A release begins on the page of its flag.</p>
        <ButtonLink to={projectPath(slug)}>Show the flags</ButtonLink>
      </Empty>
    ) : (
      <>
        <Group id="decide" title="Decide" releases={decide} verb="Decide" />
        <Group id="running" title="Running" releases={running} />
        <Group id="next" title="Next" releases={next} />
        <Group id="finished" title="Finished" releases={finished} />
        <p class="soft small">A release begins on the page of its flag.</p>
      </>
    ),
  });
}

type GroupProps = { id: string; title: string; releases: readonly Release[]; verb?: string };

function Group({ id, title, releases, verb }: GroupProps) {
  if (releases.length === 0) return null;
  return (
    <section class="card flush" aria-labelledby={id}>
      <div class="title">
        <h2 id={id}>{title}</h2>
        {verb !== undefined && <span class="count warn">{releases.length}</span>}
      </div>
      <ul class="rows">
        {releases.map(({ key, icon, tone, to, name, words, more, at, when }, index) => (
          <li id={key} class={`slim ${tone}`}>
            <span class="dot">
              <Icon name={icon} />
            </span>
            <div>
              <p>
                <A to={to}>
                  <Foreign text={name} />
                </A>
                {words}
              </p>
              <p class="soft small">
                {more}
                {verb !== undefined && at !== null && (
                  <>
                    {" · "}
                    {when} <Time at={at} />
                  </>
                )}
              </p>
            </div>
            {verb !== undefined ? (
              <ButtonLink to={to} kind={index === 0 ? "primary" : ""} label={`${verb}: ${name}`}>
                {verb}
              </ButtonLink>
            ) : (
              <span class="small soft">
                {at !== null && (
                  <>
                    {when} <Time at={at} />
                  </>
                )}
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
