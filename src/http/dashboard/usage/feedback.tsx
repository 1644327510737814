import type { PropsWithChildren } from "../markup.ts";
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
import { ButtonForm } from "../parts/link.tsx";
import { type Tone, Badge, EnvironmentName } from "../parts/status.tsx";
import { Empty } from "../parts/card.tsx";
import { Foreign, visible } from "../parts/text.tsx";
import { ExactTime, Time } from "../parts/time.tsx";
import { FLAG, flagPath, pathTo } from "../paths.ts";
import type { Dashboard } from "../routes.ts";
import { useMay } from "../view.ts";
import { environmentOf } from "../changes/revision-card.tsx";
import { BY_AGE, EnvironmentField, FilterForm, Pager } from "../parts/list.tsx";
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
        <FilterForm to={path} label="Filter">
          <EnvironmentField environments={environments} value={environment} all="Any environment" />
        </FilterForm>
        {items.length === 0 && (ratings === null || ratings.count === 0) ? (
          <Empty title="No feedback yet">
            <p class="soft">Feedback comes in if the flag is a preview and an app sends it.</p>
          </Empty>
        ) : (
          <>
            {ratings && <RatingsChart ratings={ratings} />}
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
        {ratings !== null && ratings.count > 0 && (
          <DeleteForGood
            to={`${path}/delete`}
            values={{ environment }}
            summary={`Delete all feedback${environment === null ? "" : ` of ${environment}`}…`}
          >
            Delete all {ratings.count.toLocaleString("en")} for good
          </DeleteForGood>
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
      <DeleteForGood
        to={`${pathTo(ALL, { project: project.slug, flag })}/delete`}
        values={{ id, environment }}
        summary="Delete…"
        label="Delete this feedback for good"
      >
        Delete for good
      </DeleteForGood>
    </>
  );
}

/** Deletes feedback after a second click: there is no way back. */
function DeleteForGood({
  to,
  values,
  summary,
  label,
  children,
}: PropsWithChildren<{
  to: string;
  values: Readonly<Record<string, string | null>>;
  summary: string;
  label?: string;
}>) {
  if (!useMay("flags:write")) return null;
  return (
    <details>
      <summary>{summary}</summary>
      <ButtonForm to={to} values={values} kind="danger" icon="trash" label={label}>
        {children}
      </ButtonForm>
    </details>
  );
}

const [WIDTH, ROW, BAR, LABEL, VALUE] = [320, 24, 14, 20, 56];

/** How often each rating was given, as bars and as a table. */
function RatingsChart({ ratings: { count, mean, ratings } }: { ratings: Ratings }) {
  const rows = [5, 4, 3, 2, 1].map((rating) => ({ rating, count: ratings[rating] ?? 0 }));
  const most = Math.max(1, ...rows.map((row) => row.count));
  const lengthOf = (value: number) => Math.round((value / most) * (WIDTH - LABEL - VALUE));
  return (
    <section class="card" aria-labelledby="ratings">
      <h2 id="ratings">
        {mean === null ? "No ratings" : `${mean.toLocaleString("en")} of 5`}
        <span class="soft small">
          {count.toLocaleString("en")} {count === 1 ? "rating" : "ratings"}
        </span>
      </h2>
      <svg
        class="ratings"
        viewBox={`0 0 ${WIDTH} ${rows.length * ROW}`}
        role="img"
        aria-label={`Ratings: ${rows.map((row) => `${row.rating} given ${row.count} times`).join(", ")}`}
      >
        {rows.map((row, at) => (
          <g>
            <text x="0" y={at * ROW + 16}>
              {row.rating}
            </text>
            <rect x={LABEL} y={at * ROW + (ROW - BAR) / 2} width={lengthOf(row.count)} height={BAR} rx="3" />
            <text x={LABEL + lengthOf(row.count) + 6} y={at * ROW + 16}>
              {row.count.toLocaleString("en")}
            </text>
          </g>
        ))}
      </svg>
      <details>
        <summary>As a table</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">Rating</th>
              <th scope="col" class="numeric">
                Times
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr>
                <th scope="row">{row.rating}</th>
                <td class="numeric">{row.count.toLocaleString("en")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  );
}
