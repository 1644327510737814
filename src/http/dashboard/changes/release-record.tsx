import { actorName } from "../../../access/source.ts";
import type { App } from "../../../app.ts";
import { DAY_MS } from "../../../base/days.ts";
import { sentence } from "../../../base/shapes/words.ts";
import type { ProposalView } from "../../../documents/changes/proposal.ts";
import type { GuardReading } from "../../../experiments/guards/readings.ts";
import type { FoundExperiment } from "../../../experiments/experiment.ts";
import { resultsOf } from "../../../experiments/results.ts";
import { settled as settledExperiment } from "../../../experiments/plan.ts";
import { stepInWords } from "../../../flags/audience.ts";
import { type RampView, rampStatusInWords } from "../../../flags/ramps/ramp-words.ts";
import type { Revision } from "../../../projects/history.ts";
import type { Child } from "../markup.ts";
import { changePath } from "../notice-pages.ts";
import type { IconName } from "../parts/icon.tsx";
import type { Tone } from "../parts/status.tsx";
import { Foreign, counted, visible } from "../parts/text.tsx";
import { cancelPath, experimentPath, settingPath } from "../paths.ts";
import type { Coming } from "./cancel.tsx";
import { approvedBy } from "./proposals.tsx";
import { revisionPath } from "./revision-card.tsx";

/** A release as a row: its name leads to its page, and `at` is the time that matters for it. */
export type Release = {
  key: string;
  group: "decide" | "running" | "next" | "finished";
  /** Where it is, for the filters. */
  environments: readonly string[];
  flag: string | undefined;
  icon: IconName;
  tone: Exclude<Tone, "neutral"> | "";
  to: string;
  name: string;
  words: Child;
  more: Child;
  at: number | null;
  /** The word before the time, such as `until`. */
  when?: string;
  /** The next step of a person, and its page. */
  verb?: { label: string; to: string; isChange?: boolean };
  /** The course of one that is made step by step, which its row opens. */
  ramp?: RampView;
  /** The numbers that its guards compare. */
  readings?: readonly GuardReading[];
};

export function ofRamp(project: string, ramp: RampView): Release {
  const { flag, environment, share, steps, status, nextAt, who } = ramp;
  const now = visible(stepInWords(steps, share));
  const done = steps.filter(({ doneAt }) => doneAt !== null);
  const last = done.at(-1)?.doneAt ?? null;
  const shared = {
    key: `ramp-${environment}-${flag}`,
    environments: [environment],
    flag,
    icon: "ramp",
    to: settingPath({ project, environment, flag }),
    name: flag,
  } as const;
  if (status === "paused")
    return {
      ...shared,
      group: "decide",
      tone: "warn",
      words: `stopped at ${now}`,
      more: rampStatusInWords(ramp),
      at: last === null ? null : Date.parse(last),
      when: `${now} since`,
      ramp,
    };
  if (status === "running")
    return {
      ...shared,
      group: "running",
      tone: "info",
      words: now,
      more: `step ${done.length} of ${steps.length}`,
      at: nextAt === null ? null : Date.parse(nextAt),
      when: "next",
      ramp,
    };
  const isCompleted = status === "completed";
  return {
    ...shared,
    group: "finished",
    tone: isCompleted ? "good" : "",
    words: ` ${isCompleted ? "reached" : "ended at"} ${now} in ${environment}`,
    more: (
      <>
        {counted(done.length, "step")} · by <Foreign text={who} />
      </>
    ),
    at: Date.parse(last ?? ramp.createdAt),
  };
}

export function ofScheduled(project: string, { scheduled, fault }: Coming): Release {
  const { id, environment, flag, patch, at, who, why } = scheduled;
  const verb = patch.enabled === undefined ? "changes" : patch.enabled ? "on" : "off";
  return {
    key: `scheduled-${id}`,
    group: "next",
    environments: [environment],
    flag,
    icon: "clock",
    tone: fault === null ? "" : "warn",
    to: settingPath({ project, environment, flag }),
    name: flag,
    words: ` ${verb} in ${environment}`,
    more: (
      <>
        <By who={who} why={why} />
        {fault !== null && ` · would fail: ${sentence(fault)}`}
      </>
    ),
    at: Date.parse(at),
    verb: { label: "Cancel…", to: cancelPath({ project, environment }, id), isChange: true },
  };
}

export function ofFailed(
  project: string,
  { revision, environment, name, who, at, after }: Revision,
): Release {
  const { dropped } = after as { dropped?: unknown };
  return {
    key: `failed-${revision}`,
    group: "finished",
    environments: environment === null ? [] : [environment],
    flag: name,
    icon: "clock",
    tone: "bad",
    to: revisionPath(project, revision),
    name,
    words: ` was not changed in ${environment}`,
    more: (
      <>
        <Foreign text={sentence(String(dropped))} /> Scheduled by <Foreign text={who} />
      </>
    ),
    at,
  };
}

export function ofProposal(proposal: ProposalView): Release {
  const { id, project, environments, summary, why, status, needed, isOutdated, createdAt } = proposal;
  const to = changePath(project, id);
  const isLive = status === "open" || status === "approved";
  const places = ` in ${environments.join(", ")}`;
  const place = environments.length > 0 && !summary.endsWith(places) ? places : "";
  return {
    key: `change-${id}`,
    group: isLive ? "decide" : "finished",
    environments,
    flag: undefined,
    icon: "proposal",
    tone: isLive ? "info" : status === "applied" ? "good" : "",
    to,
    name: summary,
    words: isLive ? place : `${place}: ${status}`,
    more: (
      <>
        <By who={actorName(proposal)} why={why} />
        {isLive && ` · ${approvedBy(proposal)} of ${counted(needed, "approval")}`}
        {isOutdated && " · outdated"}
      </>
    ),
    at: Date.parse(createdAt),
    ...(isLive && { verb: { label: status === "approved" ? "Apply" : "Review", to } }),
  };
}

export function ofExperiment(app: App, found: FoundExperiment): Release {
  const { project } = found;
  const experiment = settledExperiment(found);
  const { name, flag, environment, status, hypothesis, minDays, startedAt, endedAt, isDecided } = experiment;
  const to = experimentPath({ project, environment, experiment: name });
  const day = Math.floor((app.now() - (startedAt ?? app.now())) / DAY_MS) + 1;
  const course = `day ${day} of ${minDays}`;
  const shared = {
    key: `experiment-${environment}-${name}`,
    environments: [environment],
    flag,
    icon: "beaker",
    tone: "",
    to,
    name,
    at: startedAt,
    words: (
      <>
        {" "}
        on {flag} in {environment}
        {hypothesis !== null && (
          <>
            : <Foreign text={hypothesis} />
          </>
        )}
      </>
    ),
  } as const;
  const decide = { group: "decide", when: "since", verb: { label: "Decide", to } } as const;
  if (status === "paused") return { ...shared, ...decide, tone: "warn", more: rampStatusInWords(experiment) };
  if (status === "running" && isDecided)
    return { ...shared, ...decide, tone: "info", more: `It has a result · ${course}` };
  if (status === "running")
    return {
      ...shared,
      group: "running",
      tone: "info",
      more: `${course} · no result yet`,
      at: startedAt! + minDays * DAY_MS,
      when: "until",
      verb: { label: "Results", to },
    };
  if (status === "draft")
    return { ...shared, group: "next", more: "Not started", verb: { label: "Start…", to, isChange: true } };
  const { winner } = resultsOf(experiment, experiment.counts ?? undefined, app.now());
  return {
    ...shared,
    group: "finished",
    tone: winner === null ? "" : "good",
    more: (
      <>
        Experiment · {winner === null ? "no winner" : <Foreign text={`${winner} won`} />} · by{" "}
        <Foreign text={experiment.who} />
      </>
    ),
    at: endedAt,
  };
}

/** `by ann: the plan`. */
function By({ who, why }: { who: string; why: string | null }) {
  return (
    <>
      by <Foreign text={who} />
      {why !== null && (
        <>
          : <Foreign text={why} />
        </>
      )}
    </>
  );
}
