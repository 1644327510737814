import { promotion } from "../../../operations/promotion.ts";
import { counted } from "../parts/text.tsx";
import type { AppError } from "../../../base/errors.ts";
import { type Promotion, compareEnvironments, fingerprintOf } from "../../../flags/promotions.ts";
import { MAX_UNDONE } from "../../../flags/undo.ts";
import type { Environment } from "../../../projects/environment.ts";
import { getEnvironment } from "../../../projects/environments.ts";
import type { Project } from "../../../projects/project.ts";
import { getProject } from "../../../projects/projects.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { sentence } from "../../../base/shapes/words.ts";
import { type Fields, textOf, textOrNull, textsOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { undoOfAll } from "../flags/ticked.tsx";
import { Button, Form } from "../parts/link.tsx";
import { Changes, Plan } from "../parts/plan.tsx";
import { EnvironmentName, Notice } from "../parts/status.tsx";
import { COMPARE, pathTo } from "../paths.ts";
import type { Dashboard, Sent } from "../routes.ts";
import { addressOf } from "../view.ts";
import { SegmentDifferences, comparePage } from "./compare.tsx";
import { projectPage } from "../project/project-page.tsx";

/** Promotion that a form requests; `flags` is null for all. */
type Order = {
  project: Project;
  from: string;
  target: Environment;
  flags: string[] | null;
  segments: boolean;
};

export function promoteRoutes({ app, post, act, perform }: Dashboard) {
  const orderOf = async (slug: string, fields: Fields): Promise<Order> => {
    const [project, target] = await Promise.all([
      getProject(app, slug),
      getEnvironment(app, slug, textOf(fields, "to")),
    ]);
    const flags = textOf(fields, "which") === "all" ? null : textsOf(fields, "flag");
    const segments = textOf(fields, "segments") === "on";
    return { project, from: textOf(fields, "from"), target, flags, segments };
  };
  const inputOf = ({ project, target, from, flags, segments }: Order, dryRun: boolean) => ({
    names: { project: project.slug, environment: target.slug },
    body: { from, segments, ...(flags && { flags }), ...(dryRun && { dryRun }) },
  });
  const planned = (c: DashboardContext, order: Order): Promise<Promotion> =>
    perform(c, promotion.promote, inputOf(order, true));

  /** The changes of a promotion, if nothing else was changed there since; those of segments are not undone. */
  const madeBy = async (c: DashboardContext, { project, target }: Order, { flags, segments }: Promotion) => {
    if (flags.length > MAX_UNDONE || segments.some(({ copied }) => copied)) return [];
    const query = { environment: target.slug, who: c.get("caller").name, limit: flags.length };
    const { items } = await app.store.changes.page(project.slug, query);
    const slugs = new Set(flags.map(({ slug }) => slug));
    return items.every(({ kind, name }) => kind === "flag" && slugs.delete(name)) ? items : [];
  };

  post(`${COMPARE}/review`, "flags:write", async (c, fields, parameters) => {
    const order = await orderOf(parameters.project, fields);
    const { project, from, target, flags } = order;
    if (flags?.length !== 0) return reviewPage(order, await planned(c, order));
    const comparison = await compareEnvironments(app, project.slug, from, target.slug);
    const error = "Tick the flags to promote.";
    return { ...comparePage({ project, from, to: target.slug, error, comparison }), status: 400 };
  });
  const promote = act({
    operation: promotion.promote,
    input: ({ fields, names: order }: Sent<Order>) => ({
      ...inputOf(order, false),
      etag: textOf(fields, "expected"),
    }),
    async confirm({ c, names: order }) {
      const { project, from, target } = order;
      const plan = await planned(c, order);
      return {
        title: `Confirm the promotion from ${from} to ${target.slug}, ${project.slug}`,
        label: labelOf(order, plan),
        environments: [target],
        change: <Promoted promotion={plan} order={order} />,
        back: { to: addressOf({ root: "" }, pathOf(order), { from, to: target.slug }), label: "Compare" },
      };
    },
    async done(made, { c, names: order }) {
      const { project, from, target } = order;
      return {
        to: pathOf(order),
        query: { from, to: target.slug },
        text: `Promoted ${counted(made.flags.length, "flag")} from ${from} to ${target.slug}.`,
        ...undoOfAll(project.slug, await madeBy(c, order, made)),
      };
    },
    again: async ({ c, fields, names: order }, _, error) =>
      reviewPage(order, await planned(c, order), { error, why: textOrNull(fields, "why") }),
    at: { conflict: "" },
  });
  post(`${COMPARE}/promote`, "flags:write", async (c, fields, { project }) =>
    promote(c, fields, await orderOf(project, fields)),
  );
}

function pathOf({ project }: Order): string {
  return pathTo(COMPARE, { project: project.slug });
}

function labelOf({ target }: Order, { flags, segments }: Promotion): string {
  const copied = segments.filter((each) => each.copied).length;
  const and = copied === 0 ? "" : ` and ${counted(copied, "segment")}`;
  return `Promote ${counted(flags.length, "flag")}${and} to ${target.slug}`;
}

type Failed = { error: AppError; why: string | null };

/** Page that lists the changes of a promotion, with the form that applies them. */
async function reviewPage(order: Order, promotion: Promotion, failed?: Failed): Promise<Page> {
  const { project, from, target, flags, segments } = order;
  const { slug } = project;
  const path = pathOf(order);
  const which = flags === null ? [{ all: true }] : flags.slice(0, 3);
  const values: [name: string, value: string][] = [
    ["from", from],
    ["to", target.slug],
    ...(flags === null ? [["which", "all"] as [string, string]] : []),
    ...(flags ?? []).map((each): [string, string] => ["flag", each]),
  ];
  const expected = await fingerprintOf(promotion);
  const missing = promotion.segments.filter(({ copied }) => !copied);
  return projectPage({
    project: slug,
    tab: "compare",
    title: `Promote from ${from} to ${target.slug}`,
    heading: `Promote to ${target.slug}`,
    back: { to: path, label: "Compare" },
    topics: [],
    commands: which.map((each) => [
      "Does the same",
      "flags promote",
      each,
      { p: slug, from, to: target.slug, segments },
    ]),
    content: (
      <div class="stack">
        {failed && <Failure {...failed} target={target} />}
        <p>
          This sets {counted(promotion.flags.length, "flag")} of <EnvironmentName environment={target} /> to
          what {promotion.flags.length === 1 ? "it is" : "they are"} in {from}, all at once or not at all.{" "}
          {promotion.unchanged > 0 &&
            `${counted(promotion.unchanged, "other flag")} of those are the same already.`}
        </p>
        <Promoted promotion={promotion} order={order} />
        {missing.length > 0 && (
          <Notice tone="warn" title={`${counted(missing.length, "segment")} would not be copied`}>
            <p>
              {target.slug} keeps its own, and a rule cannot be promoted while one of its segments is missing
              there.
            </p>
            <Form to={`${path}/review`} values={[...values, ["segments", "on"]]} class="inline">
              <Button>Copy the segments, too</Button>
            </Form>
          </Notice>
        )}
        <Plan
          nothing={
            promotion.flags.length === 0 &&
            missing.length === promotion.segments.length &&
            "There is nothing left to promote."
          }
          environments={[target]}
          to={`${path}/promote`}
          values={[
            ...values,
            ...(segments ? [["segments", "on"] as const] : []),
            ["expected", expected] as const,
          ]}
          id="promote"
          why={failed?.why ?? null}
          act={labelOf(order, promotion)}
          back={{ to: path, query: { from, to: target.slug } }}
        />
      </div>
    ),
  });
}

function Failure({ error, target }: Failed & { target: Environment }) {
  if (error.reason === "promotion-differs")
    return (
      <Notice tone="bad" title="Changed by another user">
        <p>
          The flags have changed since this page was loaded. Nothing was promoted. Below is what differs now.
        </p>
      </Notice>
    );
  return (
    <Notice tone="bad" title="Nothing was promoted">
      <p>{sentence(error.message)}</p>
      {error.reason === "segment-missing" && (
        <p>Copy the segments, too, or create them in {target.slug} first.</p>
      )}
    </Notice>
  );
}

function Promoted({ promotion: { flags, segments }, order }: { promotion: Promotion; order: Order }) {
  const { project, from, target } = order;
  return (
    <div class="stack">
      <Changes
        changes={flags.map(({ slug, ...states }) => ({ title: slug, id: `flag-${slug}`, ...states }))}
        noun="flag"
      />
      <SegmentDifferences project={project.slug} from={from} to={target.slug} segments={segments} />
    </div>
  );
}
