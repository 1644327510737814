import type { App } from "../../../app.ts";
import type { FeedbackRecord, Ratings } from "../../../flags/previews/feedback.ts";
import { countRatings } from "../../../flags/previews/feedbacks.ts";
import { feedback } from "../../../operations/feedback.ts";
import { noSuchFlag } from "../../../flags/flag.ts";
import { noSuchEnvironment } from "../../../projects/environment.ts";
import type { Project } from "../../../projects/project.ts";
import { getProject } from "../../../projects/projects.ts";
import { textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { AskingButton } from "../parts/danger.tsx";
import { type Tone, Badge, EnvironmentName } from "../parts/status.tsx";
import { Empty } from "../parts/card.tsx";
import { Chips } from "../parts/seg.tsx";
import { Share } from "../parts/spark.tsx";
import { Table } from "../parts/table.tsx";
import { Foreign, counted, formatCount, visible } from "../parts/text.tsx";
import { ExactTime, Time } from "../parts/time.tsx";
import { FLAG, flagPath, pathTo } from "../paths.ts";
import type { Dashboard } from "../routes.ts";
import { useMay } from "../view.ts";
import { environmentOf } from "../changes/revision-card.tsx";
import { BY_AGE, Pager } from "../parts/list.tsx";
import { projectPage } from "../project/project-page.tsx";

/** Entries on one page. */
const PAGE = 25;
const ALL = `${FLAG}/feedback` as const;

export function feedbackRoutes({ app, get, post, perform }: Dashboard) {
  get(ALL, "flags:read", async (c, parameters) => {
    const project = await getProject(app, parameters.project);
    const environment = c.req.query("environment") || null;
    if (environment !== null && !project.environments.some(({ slug }) => slug === environment))
      throw noSuchEnvironment(project.slug, environment);
    const flag = await requireFlag(app, project, parameters.flag);
    const place = { project: project.slug, environment, flag };
    const before = c.req.query("before") || null;
    const [{ items, more }, ratings] = await Promise.all([
      app.store.feedback.page(place, { limit: PAGE, before, from: null }),
      before === null ? countRatings(app, place, null) : null,
    ]);
    return feedbackPage({ project, environment, flag, ratings, items, more });
  });
  post(`${ALL}/delete`, "flags:write", async (c, fields, { project, flag }) => {
    const [id, environment] = [textOf(fields, "id"), textOf(fields, "environment") || null];
    const to = { to: pathTo(ALL, { project, flag }), query: { environment } };
    if (id !== "") {
      await perform(c, feedback.delete, { names: { project, feedback: id } });
      return { ...to, text: "The feedback is deleted." };
    }
    const query = { environment: environment ?? undefined };
    const { deleted } = await perform(c, feedback.deleteAll, { names: { project, flag }, query });
    return { ...to, text: `Deleted ${deleted.toLocaleString("en")} entries.` };
  });
}

/** The slug of a flag that exists. Throws `not_found`. */
export async function requireFlag(
  { store }: Pick<App, "store">,
  { slug: project, environments }: Project,
  flag: string,
): Promise<string> {
  const environment = environments[0]?.slug;
  const found =
    environment === undefined ? undefined : await store.flags.find({ project, environment, flag });
  if (!found) throw noSuchFlag(flag);
  return flag;
}

type Feedback = {
  project: Project;
  environment: string | null;
  flag: string;
  /** Null on later pages. */
  ratings: Ratings | null;
  items: FeedbackRecord[];
  more: boolean;
};

function feedbackPage({ project, environment, flag, ratings, items, more }: Feedback): Page {
  const { slug, environments } = project;
  const path = pathTo(ALL, { project: slug, flag });
  const place = { p: slug, e: environment };
  return projectPage({
    project: slug,
    tab: "flags",
    title: `Feedback about ${flag}${environment === null ? "" : ` in ${environment}`}`,
    heading: `Feedback about ${flag}`,
    back: { to: flagPath(slug, flag), label: flag },
    commands: [
      ["Shows the same", "flags feedback", flag, place],
      ["Saves all of it", "flags feedback export", flag, place, { format: "csv", o: "feedback.csv" }],
    ],
    content: (
      <>
        <Chips
          label="Environment"
          chips={[null, ...environments.map((each) => each.slug)].map((each) => ({
            to: path,
            query: { environment: each },
            label: each ?? "Everywhere",
            isCurrent: each === environment,
          }))}
        />
        {items.length === 0 && (ratings === null || ratings.count === 0) ? (
          <Empty title="No feedback yet">
            <p class="soft">Feedback comes in if the flag is a preview and an app sends it.</p>
          </Empty>
        ) : (
          <>
            {ratings && <RatingsCard ratings={ratings} />}
            <ol class="items stack">
              {items.map((each) => (
                <li class="card" id={`feedback-${each.id}`}>
                  <Entry project={project} flag={flag} environment={environment} entry={each} />
                </li>
              ))}
            </ol>
          </>
        )}
        <Pager
          to={path}
          query={{ environment }}
          isLater={ratings === null}
          next={more && { before: items.at(-1)!.id }}
          words={BY_AGE}
        />
        {ratings !== null && ratings.count > 0 && useMay("flags:write") && (
          <AskingButton
            to={`${path}/delete`}
            values={{ environment }}
            question="There is no way back."
            confirm={`Delete all ${formatCount(ratings.count)} for good`}
          >
            Delete all feedback{environment !== null && ` of ${environment}`}…
          </AskingButton>
        )}
      </>
    ),
  });
}

const MOODS: Record<FeedbackRecord["mood"], readonly [label: string, tone: Tone]> = {
  VERY_SAD: ["very sad", "bad"],
  SAD: ["sad", "warn"],
  NEUTRAL: ["neutral", "neutral"],
  HAPPY: ["happy", "good"],
  VERY_HAPPY: ["very happy", "good"],
};

type EntryProps = { project: Project; flag: string; environment: string | null; entry: FeedbackRecord };

function Entry({ project, flag, environment, entry }: EntryProps) {
  const { id, mood, rating, description, metadata, createdAt } = entry;
  const [label, tone] = MOODS[mood];
  return (
    <>
      <h2>
        {rating} of 5 <Badge tone={tone}>{label}</Badge>
        <EnvironmentName environment={environmentOf(project.environments, entry.environment)} />
      </h2>
      <p class="soft">
        <Time at={createdAt} /> (<ExactTime at={createdAt} />)
      </p>
      {description !== null && (
        <p class="value">
          <Foreign text={description} />
        </p>
      )}
      {metadata !== null && <pre tabindex={0}>{visible(JSON.stringify(JSON.parse(metadata), null, 2))}</pre>}
      {useMay("flags:write") && (
        <AskingButton
          to={`${pathTo(ALL, { project: project.slug, flag })}/delete`}
          values={{ id, environment }}
          kind="quiet"
          label={`Delete feedback ${id}`}
          question="There is no way back."
          confirm="Delete this feedback for good"
        >
          Delete…
        </AskingButton>
      )}
    </>
  );
}

/** How often each rating was given. */
function RatingsCard({ ratings: { count, mean, ratings } }: { ratings: Ratings }) {
  const rows = [5, 4, 3, 2, 1].map((rating) => ({ rating, count: ratings[rating] ?? 0 }));
  return (
    <section class="card" aria-labelledby="ratings">
      <h2 id="ratings">
        {mean === null ? "No ratings" : `${mean.toLocaleString("en")} of 5`}
        <span class="soft small">{counted(count, "rating")}</span>
      </h2>
      <Table
        caption="Ratings"
        rows={rows}
        columns={[
          { label: "Rating", heading: true, cell: ({ rating }) => rating },
          { label: "Times", numeric: true, cell: (row) => formatCount(row.count) },
          {
            label: "Share",
            isLabelUnseen: true,
            cell: (row) => <Share percents={[count === 0 ? 0 : (100 * row.count) / count]} />,
          },
        ]}
      />
    </section>
  );
}
