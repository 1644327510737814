import { durationInWords } from "../../../base/units.ts";
import { isObject } from "../../../base/json.ts";
import type { experimentState } from "../../../experiments/experiment.ts";
import { rampStatusInWords } from "../../../flags/ramps/ramp-words.ts";
import type { rampState } from "../../../flags/ramps/ramp-view.ts";
import { recordedState } from "../../../flags/segment.ts";
import type { Environment } from "../../../projects/environment.ts";
import { type Revision, actionOf, nounOf } from "../../../projects/history.ts";
import { Diff, Settings } from "../parts/diff.tsx";
import { A, ButtonLink } from "../parts/link.tsx";
import { Badge, EnvironmentName, type Tone } from "../parts/status.tsx";
import { Actor, Foreign } from "../parts/text.tsx";
import { ExactTime, Time } from "../parts/time.tsx";
import { useMayChange, useView } from "../view.ts";
import {
  REVISION,
  experimentPath,
  pathTo,
  segmentPath,
  flagPath,
  settingPath,
  projectPath,
} from "../paths.ts";

/** The path of a change of the history. */
export function revisionPath(project: string, revision: number): string {
  return pathTo(REVISION, { project, revision: String(revision) });
}

/** The form that takes back the newest change of a flag, which made that revision. */
export function undoOf({ project }: { project: string }, { revision }: { revision: number }) {
  return {
    to: `${revisionPath(project, revision)}/rollback`,
    values: { revision: String(revision), to: "before" },
  };
}

type Props = { project: string; environments: readonly Environment[]; entry: Revision };

/** The states of a flag around a change which differ from what it is now. */
export type Side = "before" | "after";

const OFFERS = { before: "Undo this change…", after: "Restore this state…" } as const;

/** A change of a project's history, or without one of a form's: of what, who made it, when, why, and what it changed. */
export function RevisionCard({
  project,
  environments = [],
  entry,
  sides = [],
  isListed = false,
}: Pick<Props, "entry"> &
  Partial<Props> & {
    sides?: readonly Side[] | undefined;
    /** Whether it is one of a list, which offers no more than the way back. */
    isListed?: boolean;
  }) {
  const { revision, kind, name, at, who, why, environment, before, after } = entry;
  const [done, tone] = ACTIONS[actionOf(entry)];
  return (
    <article class="card change" aria-labelledby={`change-${revision}`}>
      <h2 id={`change-${revision}`}>
        {project === undefined ? `Revision ${revision} ` : <ChangedThing project={project} entry={entry} />}
        <Badge tone={tone}>{done}</Badge>
        {project !== undefined && environment === null && (
          <span class="soft small">in every environment</span>
        )}
        {environment !== null && kind !== "environment" && (
          <EnvironmentName environment={environmentOf(environments, environment)} />
        )}
      </h2>
      <p class="soft">
        {isListed ? (
          <A to={useView().path} query={{ who }}>
            <Actor by={entry} />
          </A>
        ) : (
          <Actor by={entry} />
        )}
        , <Time at={at} />
        {!isListed && (
          <>
            {" "}
            (<ExactTime at={at} />)
          </>
        )}
        {project !== undefined && (
          <>
            ,{" "}
            <A to={revisionPath(project, revision)} label={`Revision ${revision}, ${name}`}>
              revision {revision}
            </A>
          </>
        )}
      </p>
      {project !== undefined && <Reviewed project={project} entry={entry} />}
      {why && (
        <blockquote>
          <Foreign text={why} />
        </blockquote>
      )}
      {kind === "scheduled" ? (
        <Dropped state={after} />
      ) : (
        <Diff before={stateOf(entry, before)} after={stateOf(entry, after)} />
      )}
      {project !== undefined && sides.length > 0 && (
        <RollBackLinks
          project={project}
          environments={environments}
          entry={entry}
          sides={isListed ? sides.filter((side) => side === "before") : sides}
          isListed={isListed}
        />
      )}
    </article>
  );
}

/** The proposed change that a change was part of, with its author and who approved it. */
function Reviewed({ project, entry: { review } }: Omit<Props, "environments">) {
  if (review === null) return null;
  const { change, author, approvers, bypass } = review;
  return (
    <p class="soft">
      <A to={`${projectPath(project)}/changes/${encodeURIComponent(change)}`}>Change {change}</A>
      {bypass ? (
        <Badge tone="bad">without approvals</Badge>
      ) : (
        <>
          , proposed by <Foreign text={author} />, approved by <Foreign text={approvers.join(", ")} />
        </>
      )}
    </p>
  );
}

function RollBackLinks({
  project,
  environments,
  entry: { revision, environment },
  sides,
  isListed,
}: Props & { sides: readonly Side[]; isListed: boolean }) {
  if (!useMayChange([environmentOf(environments, environment!)])) return null;
  return (
    <p class="buttons">
      {sides.map((to) => (
        <ButtonLink to={`${revisionPath(project, revision)}/rollback`} query={{ to }} icon="history">
          {isListed ? "Undo…" : OFFERS[to]}
        </ButtonLink>
      ))}
    </p>
  );
}

/** Subject of a change, as a link if it has a page. */
function ChangedThing({ project, entry }: Omit<Props, "environments">) {
  const { kind, name, environment, after } = entry;
  if (after === null) return <span>{name}</span>;
  if (kind === "project") return <A to={projectPath(project)}>{name}</A>;
  if (kind === "environment") return <A to={`${projectPath(project)}/settings`}>{name}</A>;
  if (environment === null) return <A to={flagPath(project, name)}>{name}</A>;
  if (kind === "segment") return <A to={segmentPath(project, environment, name)}>{name}</A>;
  if (kind === "experiment")
    return <A to={experimentPath({ project, environment, experiment: name })}>{name}</A>;
  return <A to={settingPath({ project, environment, flag: name })}>{name}</A>;
}

/** A recorded state as fields, in sentences where it is of a ramp or an experiment. */
export function stateOf({ kind }: Pick<Revision, "kind">, state: unknown): unknown {
  return state === null ? {} : stateInWords(kind, recordedState(kind, state));
}

/** Why a scheduled change failed, and what it would have set. */
function Dropped({ state }: { state: unknown }) {
  const { dropped, change } = state as { dropped?: unknown; change?: unknown };
  return (
    <>
      <p>
        It was not made: <Foreign text={String(dropped)} />
      </p>
      {isObject(change) && <Settings values={change} />}
    </>
  );
}

const ACTIONS: Record<ReturnType<typeof actionOf>, readonly [label: string, tone: Tone]> = {
  created: ["created", "good"],
  updated: ["changed", "info"],
  deleted: ["deleted", "bad"],
  dropped: ["scheduled change failed", "bad"],
};

/** A change in a few words: `flag checkout changed in production`. */
export function describeRevision(entry: Revision): string {
  const { kind, name, environment } = entry;
  const place = environment === null || kind === "environment" ? "" : ` in ${environment}`;
  return `${nounOf(kind)} ${name}, ${ACTIONS[actionOf(entry)][0]}${place}`;
}

/** An environment by its slug, which may have been deleted since. */
export function environmentOf(
  environments: readonly Environment[],
  slug: string,
): Pick<Environment, "slug"> & Partial<Environment> {
  return environments.find((each) => each.slug === slug) ?? { slug };
}

/** A recorded state of a ramp or an experiment as sentences, by what they are about; any other as it is. */
function stateInWords(kind: Revision["kind"], state: unknown): unknown {
  if (!isObject(state)) return state;
  if (kind === "ramp") return rampInSentences(state as ReturnType<typeof rampState>);
  if (kind === "experiment") return experimentInSentences(state as ReturnType<typeof experimentState>);
  return state;
}

/** `on 1 → 10 → 50 %, a step every day`, `paused by a person, at 10 %`. */
function rampInSentences({ variant, to, every, start, guards, onGuard, share, ...now }: Ramp) {
  const pace = to.length === 1 ? "" : `, a step every ${durationInWords(every).replace(/^1 /, "")}`;
  return {
    ramp: `${variant} ${to.join(" → ")} %${pace}${start === undefined ? "" : `, from ${start} on`}`,
    state: `${rampStatusInWords(now)}, at ${share} %`,
    ...guardsInSentences(guards, onGuard),
  };
}

type Ramp = ReturnType<typeof rampState>;

function experimentInSentences({
  flag,
  metrics,
  control,
  split,
  minDays,
  hypothesis,
  guards,
  onGuard,
  ...now
}: ReturnType<typeof experimentState>) {
  const shares = Object.entries(split).map(([variant, weight]) => `${variant} ${weight}`);
  return {
    flag,
    split: `${shares.join(" : ")}, measured against ${control}`,
    metrics,
    "runs at least": durationInWords(minDays * 86_400),
    hypothesis,
    ...guardsInSentences(guards, onGuard),
    state: rampStatusInWords(now),
  };
}

function guardsInSentences(guards: readonly string[] = [], onGuard = "pause") {
  if (guards.length === 0) return {};
  return { guards, "when a guard fires": onGuard === "pause" ? "pause" : "roll back" };
}
