import { holdsFlag } from "../../../experiments/experiment.ts";
import { rampStatusInWords } from "../../../flags/ramps/ramp-words.ts";
import { stateInWords } from "../../../experiments/result-words.ts";
import type { Results } from "../../../experiments/results.ts";
import type { Page } from "../page.tsx";
import { Card, Facts } from "../parts/card.tsx";
import { MayChange } from "../parts/confirm.tsx";
import { A, ButtonLink } from "../parts/link.tsx";
import { Badge, EnvironmentName, Notice, type Tone } from "../parts/status.tsx";
import { Foreign, counted } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { RELEASES, pathTo, projectPath, settingPath } from "../paths.ts";
import { projectPage } from "../project/project-page.tsx";
import { Deletion, Ending, type Shown, Steps, shipped } from "./actions.tsx";
import { Method, MetricCard } from "./results.tsx";

export function experimentPage(shown: Shown): Page {
  const { project, environment, experiment, faults } = shown;
  const place = { p: project, e: environment.slug };
  const { name, status } = experiment;
  return projectPage({
    project,
    tab: "releases",
    title: `Experiment ${name} in ${environment.slug}`,
    heading: name,
    back: { to: pathTo(RELEASES, { project }), label: "Releases" },
    actions: (
      <ButtonLink
        to={`${projectPath(project)}/history`}
        query={{ kind: "experiment", name, environment: environment.slug }}
        icon="history"
      >
        History
      </ButtonLink>
    ),
    ...(faults && { status: 422 as const }),
    commands: [
      ["Shows the results", "experiments results", name, place],
      status === "draft"
        ? ["Starts it", "experiments start", name, place]
        : [
            "Ends it with a variant for everyone",
            "experiments ship",
            name,
            place,
            { variant: shipped(shown) },
          ],
    ],
    content: <Experiment {...shown} />,
  });
}

function toneOf({ ratio, winner, status }: Results): Tone {
  if (status === "draft") return "neutral";
  return ratio.alarm ? "bad" : winner === null ? "info" : "good";
}

function Experiment(shown: Shown) {
  const { environment, experiment, results, faults = {} } = shown;
  return (
    <div class="stack">
      {faults[""] && (
        <Notice tone="bad">
          <p>{faults[""]}</p>
        </Notice>
      )}
      <Notice tone={toneOf(results)} {...(results.ratio.alarm && { title: "The split is off" })}>
        <p>
          <Foreign text={stateInWords(results)} />
        </p>
      </Notice>
      {experiment.status === "draft" && (
        <MayChange environments={[environment]}>
          <Steps {...shown} />
        </MayChange>
      )}
      <About {...shown} />
      {results.metrics.map((metric, index) => (
        <MetricCard metric={metric} index={index} />
      ))}
      <Method results={results} />
      <MayChange environments={[environment]}>
        {holdsFlag(experiment) ? (
          <>
            <Steps {...shown} />
            <Ending {...shown} />
          </>
        ) : (
          <Deletion {...shown} />
        )}
      </MayChange>
    </div>
  );
}

const TONES: Record<Shown["experiment"]["status"], Tone> = {
  draft: "neutral",
  running: "info",
  paused: "warn",
  ended: "neutral",
};

function About({ project, environment, experiment, results: { days } }: Shown) {
  const { flag, hypothesis, split, control, minDays, guards, onGuard, startedAt, endedAt, who, why } =
    experiment;
  const total = Object.values(split).reduce((sum, weight) => sum + weight, 0);
  const shares = Object.entries(split).map(
    ([variant, weight]) => `${variant} ${Math.round((weight / total) * 1000) / 10} %`,
  );
  return (
    <Card
      id="about"
      title={
        <>
          <EnvironmentName environment={environment} />
          <Badge tone={TONES[experiment.status]}>{rampStatusInWords(experiment)}</Badge>
        </>
      }
    >
      {hypothesis !== null && (
        <blockquote>
          <Foreign text={hypothesis} />
        </blockquote>
      )}
      <Facts
        class="row"
        facts={[
          ["Flag", <A to={settingPath({ project, environment: environment.slug, flag })}>{flag}</A>],
          ["Split", <Foreign text={shares.join(", ")} />],
          ["Control", <Foreign text={control} />],
          startedAt !== null && ["Started", <Time at={Date.parse(startedAt)} />],
          endedAt !== null && [
            "Ended",
            <>
              <Time at={Date.parse(endedAt)} />, after {counted(days, "day")}
            </>,
          ],
          minDays > 0 && ["Winner", `after ${counted(minDays, "day")} at the earliest`],
          guards.length > 0 && ["Guards", `${guards.join(", ")}: ${onGuard}`],
          [
            "Created by",
            <>
              <Foreign text={who} />
              {why !== null && (
                <>
                  : <Foreign text={why} />
                </>
              )}
            </>,
          ],
        ]}
      />
    </Card>
  );
}
