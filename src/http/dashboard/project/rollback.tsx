import { WhyField } from "../parts/why-field.tsx";
import { Hono } from "hono/quick";
import type { App } from "../../../app.ts";
import { AppError } from "../../../base/errors.ts";
import { rollbackFlag } from "../../../flags/flags.ts";
import type { FlagPlace } from "../../../flags/flag.ts";
import { type FlagState, flagState, stateAfter } from "../../../flags/history.ts";
import { getEnvironment } from "../../../projects/environments.ts";
import type { Change } from "../../../projects/history.ts";
import type { DashboardContext, DashboardEnv } from "../dashboard-env.ts";
import { sentence } from "../error-page.tsx";
import { revisionIn, textOf } from "../fields.ts";
import { settingPath } from "../flags/paths.ts";
import type { Page } from "../page.tsx";
import { quoted } from "../parts/commands.tsx";
import { MayChange, confirmed, lastChange } from "../parts/confirm.tsx";
import { Diff } from "../parts/diff.tsx";
import { Button, ButtonLink, Form } from "../parts/link.tsx";
import { projectPath } from "../parts/project-tabs.tsx";
import { EnvironmentName, Notice } from "../parts/status.tsx";
import { Foreign } from "../parts/text.tsx";
import { ExactTime } from "../parts/time.tsx";
import type { Dashboard } from "../routes.ts";
import { changeOf } from "./history.tsx";
import { projectPage } from "./project-page.tsx";

const PATH = "/projects/:project/history/:revision/rollback";

export function rollbackRoutes({ app, page, action }: Dashboard) {
  return new Hono<DashboardEnv>()
    .get(
      PATH,
      page("flags:write", async (c) => rollbackPage(await readRollback(app, c))),
    )
    .post(
      PATH,
      action("flags:write", async (c, fields) => {
        const { place, change } = await readRollback(app, c);
        const why = textOf(fields, "why");
        try {
          const done = await confirmed(
            fields,
            () => rollbackFlag(app, c.get("caller"), place, change.revision, revisionIn(fields)),
            async () => confirmationOf(app, await readRollback(app, c)),
          );
          if ("content" in done) return done;
          const { project, environment, flag } = place;
          const undone =
            done.result === "unchanged" ? undefined : await undoOf(app, place, done.record.revision);
          return {
            to: settingPath({ project, environment, flag }),
            text: `${flag} in ${environment} is as it was after revision ${change.revision}.`,
            undo: undone,
          };
        } catch (error) {
          if (!(error instanceof AppError) || error.code !== "conflict") throw error;
          return { ...rollbackPage(await readRollback(app, c), { why, error }), status: 409 };
        }
      }),
    );
}

/** A flag in an environment, what it is now, and what a change made of it. */
type Rollback = {
  place: FlagPlace;
  environment: Awaited<ReturnType<typeof getEnvironment>>;
  change: Change;
  /** 0 where the flag does not exist. */
  revision: number;
  now: FlagState | object;
  wanted: FlagState;
};

/** Throws `not_found`, and `invalid` for a change that leaves nothing to roll back to. */
async function readRollback(app: App, c: DashboardContext): Promise<Rollback> {
  const project = c.req.param("project")!;
  const change = await changeOf(app, project, c.req.param("revision")!);
  const place = { project, environment: change.environment ?? "", flag: change.name };
  const wanted = stateAfter(place, change.revision, change);
  const environment = await getEnvironment(app, project, place.environment);
  const record = await app.store.flags.find(place);
  return {
    place,
    environment,
    change,
    revision: record?.revision ?? 0,
    now: record ? flagState(record) : {},
    wanted,
  };
}

/** The form that takes a rollback back: it rolls back to the change before, if that was one of this flag. */
async function undoOf(app: App, { project, environment, flag }: FlagPlace, revision: number) {
  const query = { kind: "flag", name: flag, environment, before: revision, limit: 1 } as const;
  const [before] = (await app.store.changes.page(project, query)).items;
  if (!before || before.after === null || before.environment !== environment) return undefined;
  return {
    to: `${projectPath(project)}/history/${before.revision}/rollback`,
    values: { revision: String(revision) },
  };
}

async function confirmationOf(app: App, { place, environment, change, now, wanted }: Rollback) {
  const { project, flag } = place;
  return {
    title: `Confirm the rollback of ${flag} in ${environment.slug}, ${project}`,
    label: `Roll back ${flag} in ${environment.slug}`,
    environments: [environment],
    change: <Diff before={now} after={wanted} />,
    last: await lastChange(app, project, { kind: "flag", name: flag, environment: environment.slug }),
    back: { to: `${projectPath(project)}/history/${change.revision}/rollback`, label: "Roll back" },
  };
}

type Failed = { why: string; error: AppError };

function rollbackPage(
  { place, environment, change, revision, now, wanted }: Rollback,
  failed?: Failed,
): Page {
  const { project, flag } = place;
  const isSame = Bun.deepEquals(now, wanted, true);
  const words = [quoted(flag), "-p", quoted(project), "-e", quoted(environment.slug)].join(" ");
  return projectPage({
    project,
    tab: "history",
    title: `Roll back ${flag} in ${environment.slug} to revision ${change.revision}`,
    heading: `Roll back ${flag}`,
    back: { to: `${projectPath(project)}/history`, label: "History" },
    commands: [
      { label: "Does the same", text: `formflag flags rollback ${words} --to ${change.revision}` },
      { label: "Lists the revisions", text: `formflag flags history ${words}` },
    ],
    content: (
      <div class="stack">
        <p>
          In <EnvironmentName environment={environment} />, from what it is now to what it was after revision{" "}
          {change.revision}, which <Foreign text={change.who} /> made on <ExactTime at={change.at} />.
        </p>
        {failed && (
          <Notice tone="bad" title={failed.error.reason === "revision-differs" ? "Somebody was faster" : ""}>
            <p>
              {failed.error.reason === "revision-differs"
                ? "The flag has changed since this page was loaded. Below is what differs from what it is now."
                : sentence(failed.error.message)}
            </p>
          </Notice>
        )}
        {isSame ? (
          <Notice>
            <p>The flag is already as it was then.</p>
          </Notice>
        ) : (
          <>
            <section class="card" aria-labelledby="difference">
              <h2 id="difference">What changes</h2>
              <Diff before={now} after={wanted} />
            </section>
            <MayChange environments={[environment]}>
              <Form
                to={`${projectPath(project)}/history/${change.revision}/rollback`}
                values={{ revision }}
                class="stack narrow"
                id="rollback"
              >
                <WhyField value={failed?.why} />
                <p class="buttons">
                  <Button kind="primary" icon="history">
                    Roll back {flag} in {environment.slug}
                  </Button>
                  <ButtonLink to={`${projectPath(project)}/history`} kind="quiet">
                    Back
                  </ButtonLink>
                </p>
              </Form>
            </MayChange>
          </>
        )}
      </div>
    ),
  });
}
