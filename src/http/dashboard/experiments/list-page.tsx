import type { viewExperiment } from "../../../experiments/experiment.ts";
import { rampStatusInWords } from "../../../flags/ramps/ramp-words.ts";
import type { Project } from "../../../projects/project.ts";
import { environmentOf } from "../changes/revision-card.tsx";
import type { Page } from "../page.tsx";
import { Empty } from "../parts/card.tsx";
import { TextField } from "../parts/field.tsx";
import { A, ButtonLink } from "../parts/link.tsx";
import { EnvironmentField, FilterForm, List } from "../parts/list.tsx";
import { Badge, EnvironmentName, type Tone } from "../parts/status.tsx";
import { Foreign } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { EXPERIMENTS, NEW_EXPERIMENT, experimentPath, pathTo, settingPath } from "../paths.ts";
import { projectPage } from "../project/project-page.tsx";
import { useMayChange } from "../view.ts";

/** An experiment as the admin API shows it. */
export type Listed = ReturnType<typeof viewExperiment>;

type Props = {
  project: Project;
  environment: string | null;
  flag: string | null;
  experiments: readonly Listed[];
  after: string | undefined;
  /** The name behind which the next page begins. */
  next: string | null;
  /** Whether an environment has more than its first ones, which are shown. */
  isCut: boolean;
};

export function experimentsPage(props: Props): Page {
  const { project, environment, flag } = props;
  const { slug, environments } = project;
  const place = { p: slug, e: environment ?? environments[0]?.slug };
  return projectPage({
    project: slug,
    tab: "experiments",
    title: flag === null ? "Experiments" : `Experiments on ${flag}`,
    heading: flag === null ? "Experiments" : `Experiments on ${flag}`,
    actions: <CreateLink {...props} />,
    commands: [
      ["Lists those of an environment", "experiments list", place],
      [
        "Creates one, and starts it",
        "experiments create",
        "headline",
        place,
        {
          flag: flag ?? "hero",
          metric: "submissions:contact",
          start: true,
        },
      ],
    ],
    content: <Experiments {...props} />,
  });
}

function Experiments(props: Props) {
  const { project, environment, flag, experiments, after, next, isCut } = props;
  const { slug, environments } = project;
  const path = pathTo(EXPERIMENTS, { project: slug });
  return (
    <List
      filters={
        <FilterForm to={path} label="Filter">
          <EnvironmentField environments={environments} value={environment} all="All environments" />
          <TextField name="flag" label="Flag" value={flag} />
        </FilterForm>
      }
      empty={
        <Empty title="No experiments">
          <p class="soft">
            An experiment splits the users of a flag among its variants, and counts what each does: which
            headline brings more messages?
          </p>
          <CreateLink {...props} />
        </Empty>
      }
      above={isCut && <p class="soft">An environment has more. Choose it to see all.</p>}
      caption="Experiments"
      rows={experiments}
      keyOf={({ environment, name }) => `experiment-${environment}-${name}`}
      columns={[
        {
          label: "Experiment",
          heading: true,
          cell: (each) => (
            <A to={experimentPath({ project: slug, environment: each.environment, experiment: each.name })}>
              {each.name}
            </A>
          ),
        },
        {
          label: "Environment",
          cell: (each) => <EnvironmentName environment={environmentOf(environments, each.environment)} />,
        },
        {
          label: "Flag",
          cell: (each) => (
            <A to={settingPath({ project: slug, environment: each.environment, flag: each.flag })}>
              {each.flag}
            </A>
          ),
        },
        { label: "Status", cell: (each) => <Status experiment={each} /> },
        { label: "Decided by", cell: ({ metrics }) => <Foreign text={metrics[0]!} /> },
        {
          label: "Started",
          cell: ({ startedAt }) => (startedAt === null ? "–" : <Time at={Date.parse(startedAt)} />),
        },
      ]}
      pages={{
        to: path,
        query: { environment, flag },
        isLater: after !== undefined,
        next: next !== null && { after: next },
      }}
    />
  );
}

const TONES: Record<Listed["status"], Tone> = {
  draft: "neutral",
  running: "info",
  paused: "warn",
  ended: "neutral",
};

/** `running`, `paused because the flag was changed`. */
export function Status({ experiment }: { experiment: Pick<Listed, "status" | "reason"> }) {
  return <Badge tone={TONES[experiment.status]}>{rampStatusInWords(experiment)}</Badge>;
}

function CreateLink({ project: { slug, environments }, environment, flag }: Props) {
  const may = environments.some((each) => useMayChange([each]));
  if (!may) return null;
  return (
    <ButtonLink
      to={pathTo(NEW_EXPERIMENT, { project: slug })}
      query={{ environment, flag }}
      kind="primary"
      icon="plus"
    >
      Create an experiment
    </ButtonLink>
  );
}
