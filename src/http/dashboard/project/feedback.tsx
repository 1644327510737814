import { Hono } from "hono/quick";
import type { App } from "../../../app.ts";
import type { FeedbackRecord, Ratings } from "../../../flags/previews/feedback.ts";
import { countRatings, deleteFeedback, deleteFeedbackOf } from "../../../flags/previews/feedbacks.ts";
import { noSuchFlag } from "../../../flags/flag.ts";
import { getEnvironment } from "../../../projects/environments.ts";
import type { Project } from "../../../projects/project.ts";
import { getProject } from "../../../projects/projects.ts";
import type { DashboardEnv } from "../dashboard-env.ts";
import { textOf } from "../fields.ts";
import { flagPath } from "../flags/paths.ts";
import type { Page } from "../page.tsx";
import { quoted } from "../parts/commands.tsx";
import { Button, ButtonLink, Form } from "../parts/link.tsx";
import { Badge, EnvironmentName, type Tone } from "../parts/status.tsx";
import { Empty } from "../parts/table.tsx";
import { Foreign } from "../parts/text.tsx";
import { ExactTime, Time } from "../parts/time.tsx";
import type { Dashboard } from "../routes.ts";
import { useMay } from "../view.ts";
import { environmentOf } from "./change-card.tsx";
import { EnvironmentField, FilterForm, Pager } from "./filter-form.tsx";
import { projectPage } from "./project-page.tsx";
import { RatingsChart } from "./ratings-chart.tsx";

/** Entries on one page. */
const PAGE = 25;
const ALL = "/projects/:project/flags/:flag/feedback";

export function feedbackRoutes({ app, page, action }: Dashboard) {
  return new Hono<DashboardEnv>()
    .get(
      ALL,
      page("flags:read", async (c) => {
        const project = await getProject(app, c.req.param("project")!);
        const environment = c.req.query("environment") || null;
        if (environment !== null) await getEnvironment(app, project.slug, environment);
        const flag = await requireFlag(app, project, c.req.param("flag")!);
        const place = { project: project.slug, environment, flag };
        const before = c.req.query("before") || null;
        const { items, more } = await app.store.feedback.page(place, { limit: PAGE, before, from: null });
        const ratings = before === null ? await countRatings(app, place, null) : null;
        return feedbackPage({ project, environment, flag, ratings, items, more });
      }),
    )
    .post(
      `${ALL}/delete`,
      action("flags:write", async (c, fields) => {
        const [project, flag, id] = [c.req.param("project")!, c.req.param("flag")!, textOf(fields, "id")];
        const environment = textOf(fields, "environment") || null;
        const to = { to: `${flagPath(project, flag)}/feedback`, query: { environment } };
        if (id !== "") {
          await deleteFeedback(app, c.get("caller"), { project, id });
          return { ...to, text: "The feedback is deleted." };
        }
        const count = await deleteFeedbackOf(app, c.get("caller"), { project, environment, flag });
        return { ...to, text: `Deleted ${count.toLocaleString("en")} entries.` };
      }),
    );
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
  const path = `${flagPath(slug, flag)}/feedback`;
  const where = `${quoted(flag)} -p ${quoted(slug)}${environment === null ? "" : ` -e ${quoted(environment)}`}`;
  return projectPage({
    project: slug,
    tab: "flags",
    title: `Feedback about ${flag}${environment === null ? "" : ` in ${environment}`}`,
    heading: `Feedback about ${flag}`,
    back: { to: flagPath(slug, flag), label: flag },
    commands: [
      { label: "Shows the same", text: `formflag flags feedback ${where}` },
      {
        label: "Saves all of it",
        text: `formflag flags feedback export ${where} --format csv -o feedback.csv`,
      },
    ],
    content: (
      <>
        <FilterForm to={path} label="Filter">
          <EnvironmentField environments={environments} value={environment} all="Any environment" />
        </FilterForm>
        {items.length === 0 && (ratings === null || ratings.count === 0) ? (
          <Empty title="Nobody has said anything yet">
            <p class="soft">Feedback comes in where the flag is a preview and an app sends it.</p>
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
          newest={
            ratings === null && (
              <ButtonLink to={path} query={{ environment }}>
                Newest
              </ButtonLink>
            )
          }
          older={
            more && (
              <ButtonLink to={path} query={{ environment, before: items.at(-1)!.id }}>
                Older
              </ButtonLink>
            )
          }
        />
        {ratings !== null && ratings.count > 0 && (
          <DeleteAll to={`${path}/delete`} environment={environment} count={ratings.count} />
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
      {metadata !== null && (
        <pre tabindex={0}>
          <Foreign text={JSON.stringify(JSON.parse(metadata), null, 2)} />
        </pre>
      )}
      <Delete to={`${flagPath(project.slug, flag)}/feedback/delete`} id={id} environment={environment} />
    </>
  );
}

/** Deletes one entry after a second click: there is no way back. */
function Delete({ to, id, environment }: { to: string; id: string; environment: string | null }) {
  if (!useMay("flags:write")) return null;
  return (
    <details>
      <summary>Delete…</summary>
      <Form to={to} values={{ id, environment }} class="inline">
        <Button kind="danger" icon="trash" label="Delete this feedback for good">
          Delete for good
        </Button>
      </Form>
    </details>
  );
}

function DeleteAll({ to, environment, count }: { to: string; environment: string | null; count: number }) {
  if (!useMay("flags:write")) return null;
  return (
    <details>
      <summary>Delete all feedback{environment === null ? "" : ` of ${environment}`}…</summary>
      <Form to={to} values={{ environment }} class="inline">
        <Button kind="danger" icon="trash">
          Delete all {count.toLocaleString("en")} for good
        </Button>
      </Form>
    </details>
  );
}
