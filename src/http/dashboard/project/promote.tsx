import { WhyField } from "../parts/why-field.tsx";
import { counted } from "../parts/counted.ts";
import { Hono } from "hono/quick";
import { AppError } from "../../../base/errors.ts";
import { type Promotion, fingerprintOf } from "../../../flags/promotion.ts";
import { compareEnvironments, promoteFlags } from "../../../flags/promotions.ts";
import type { Environment } from "../../../projects/environment.ts";
import type { Project } from "../../../projects/project.ts";
import { getProject } from "../../../projects/projects.ts";
import type { DashboardContext, DashboardEnv } from "../dashboard-env.ts";
import { sentence } from "../error-page.tsx";
import { type Fields, textOf, textOrNull, textsOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { quoted } from "../parts/commands.tsx";
import { MayChange, confirmed } from "../parts/confirm.tsx";
import { Diff } from "../parts/diff.tsx";
import { Button, ButtonLink, Form } from "../parts/link.tsx";
import { projectPath } from "../parts/project-tabs.tsx";
import { EnvironmentName, Notice } from "../parts/status.tsx";
import type { Dashboard } from "../routes.ts";
import { addressOf } from "../view.ts";
import { SegmentDifferences, comparePage, pairOf, promotionWords } from "./compare.tsx";
import { projectPage } from "./project-page.tsx";

/** Differences that the page before a promotion shows. */
const SHOWN = 50;

/** What a form asks to promote: `flags` is null for all. */
type Order = {
  project: Project;
  from: string;
  target: Environment;
  flags: string[] | null;
  segments: boolean;
};

export function promoteRoutes({ app, action }: Dashboard) {
  const orderOf = async (c: DashboardContext, fields: Fields): Promise<Order> => {
    const project = await getProject(app, c.req.param("project")!);
    const [from, to] = [textOf(fields, "from"), textOf(fields, "to")];
    const { target } = pairOf(project, from, to);
    const isAll = textOf(fields, "which") === "all";
    const flags = isAll ? null : textsOf(fields, "flag");
    return { project, from, target, flags, segments: textOf(fields, "segments") === "on" };
  };
  const promote = (c: DashboardContext, { project, target, ...order }: Order, expected: string | null) =>
    promoteFlags(
      app,
      c.get("caller"),
      project.slug,
      { ...order, to: target.slug },
      expected === null,
      expected,
    );

  return new Hono<DashboardEnv>()
    .post(
      "/projects/:project/compare/review",
      action("flags:write", async (c, fields) => {
        const order = await orderOf(c, fields);
        const { project, from, target, flags } = order;
        if (flags?.length === 0) {
          const comparison = await compareEnvironments(app, project.slug, from, target.slug);
          const error = "Tick the flags to promote.";
          return { ...comparePage({ project, from, to: target.slug, error, comparison }), status: 400 };
        }
        return reviewPage(order, await promote(c, order, null));
      }),
    )
    .post(
      "/projects/:project/compare/promote",
      action("flags:write", async (c, fields) => {
        const order = await orderOf(c, fields);
        const { project, from, target } = order;
        const path = `${projectPath(project.slug)}/compare`;
        try {
          const done = await confirmed(
            fields,
            () => promote(c, order, textOf(fields, "expected")),
            async () => {
              const promotion = await promote(c, order, null);
              return {
                title: `Confirm the promotion from ${from} to ${target.slug}, ${project.slug}`,
                label: labelOf(order, promotion),
                environments: [target],
                change: <Changes promotion={promotion} order={order} />,
                back: { to: addressOf({ root: "" }, path, { from, to: target.slug }), label: "Compare" },
              };
            },
          );
          if ("content" in done) return done;
          const text = `Promoted ${counted(done.flags.length, "flag")} from ${from} to ${target.slug}.`;
          return { to: path, query: { from, to: target.slug }, text };
        } catch (error) {
          if (!(error instanceof AppError) || error.code !== "conflict") throw error;
          const why = textOrNull(fields, "why");
          return { ...reviewPage(order, await promote(c, order, null), { error, why }), status: 409 };
        }
      }),
    );
}

function labelOf({ target }: Order, { flags, segments }: Promotion): string {
  const copied = segments.filter((each) => each.copied).length;
  const and = copied === 0 ? "" : ` and ${counted(copied, "segment")}`;
  return `Promote ${counted(flags.length, "flag")}${and} to ${target.slug}`;
}

type Failed = { error: AppError; why: string | null };

/** What a promotion would do, and the form that does it. */
function reviewPage(order: Order, promotion: Promotion, failed?: Failed): Page {
  const { project, from, target, flags, segments } = order;
  const { slug } = project;
  const path = `${projectPath(slug)}/compare`;
  const words = promotionWords(slug, from, target.slug) + (segments ? " --segments" : "");
  const which = flags === null ? ["--all"] : flags.slice(0, 3).map(quoted);
  const values: [name: string, value: string][] = [
    ["from", from],
    ["to", target.slug],
    ...(flags === null ? [["which", "all"] as [string, string]] : []),
    ...(flags ?? []).map((each): [string, string] => ["flag", each]),
  ];
  const missing = promotion.segments.filter(({ copied }) => !copied);
  return projectPage({
    project: slug,
    tab: "compare",
    title: `Promote from ${from} to ${target.slug}`,
    heading: `Promote to ${target.slug}`,
    back: { to: path, label: "Compare" },
    topics: [],
    commands: which.map((each) => ({
      label: "Does the same",
      text: `formflag flags promote ${each} ${words}`,
    })),
    content: (
      <div class="stack">
        {failed && <Failure {...failed} target={target} />}
        <p>
          This sets {counted(promotion.flags.length, "flag")} of <EnvironmentName environment={target} /> to
          what {promotion.flags.length === 1 ? "it is" : "they are"} in {from}, all at once or not at all.{" "}
          {promotion.unchanged > 0 &&
            `${counted(promotion.unchanged, "other flag")} of those are the same already.`}
        </p>
        <Changes promotion={promotion} order={order} />
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
        {promotion.flags.length === 0 && promotion.segments.every(({ copied }) => !copied) ? (
          <Notice>
            <p>There is nothing left to promote.</p>
          </Notice>
        ) : (
          <MayChange environments={[target]}>
            <Form
              to={`${path}/promote`}
              values={[
                ...values,
                ...(segments ? [["segments", "on"] as const] : []),
                ["expected", fingerprintOf(promotion)] as const,
              ]}
              class="stack narrow"
              id="promote"
            >
              <WhyField value={failed?.why} />
              <p class="buttons">
                <Button kind="primary">{labelOf(order, promotion)}</Button>
                <ButtonLink to={path} query={{ from, to: target.slug }} kind="quiet">
                  Back
                </ButtonLink>
              </p>
            </Form>
          </MayChange>
        )}
      </div>
    ),
  });
}

function Failure({ error, target }: Failed & { target: Environment }) {
  if (error.reason === "promotion-differs")
    return (
      <Notice tone="bad" title="Somebody was faster">
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

function Changes({ promotion: { flags, segments }, order }: { promotion: Promotion; order: Order }) {
  const { project, from, target } = order;
  return (
    <div class="stack">
      {flags.slice(0, SHOWN).map(({ slug, before, after }) => (
        <section class="card" aria-labelledby={`flag-${slug}`}>
          <h2 id={`flag-${slug}`}>{slug}</h2>
          <Diff before={before} after={after} />
        </section>
      ))}
      {flags.length > SHOWN && <p class="soft">And {counted(flags.length - SHOWN, "flag")} more.</p>}
      <SegmentDifferences project={project.slug} from={from} to={target.slug} segments={segments} />
    </div>
  );
}
