import { WhyField } from "../parts/why-field.tsx";
import { Hono } from "hono/quick";
import type { App } from "../../../app.ts";
import { AppError } from "../../../base/errors.ts";
import { type RollbackPoint, rollbackFlag } from "../../../flags/flags.ts";
import type { FlagPlace, FlagRecord } from "../../../flags/flag.ts";
import { type FlagState, blankState, flagState, stateAfter, stateBefore } from "../../../flags/history.ts";
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
import type { Side } from "./change-card.tsx";

const PATH = "/projects/:project/history/:revision/rollback";

export function rollbackRoutes({ app, page, action }: Dashboard) {
  return new Hono<DashboardEnv>()
    .get(
      PATH,
      page("flags:write", async (c) =>
        rollbackPage(await readRollback(app, c, sideOf(c.req.query("to") ?? ""))),
      ),
    )
    .post(
      PATH,
      action("flags:write", async (c, fields) => {
        const side = sideOf(textOf(fields, "to"));
        const { place, change, point } = await readRollback(app, c, side);
        const why = textOf(fields, "why");
        try {
          const done = await confirmed(
            fields,
            () => rollbackFlag(app, c.get("caller"), place, point, revisionIn(fields)),
            async () => confirmationOf(app, await readRollback(app, c, side)),
          );
          if ("content" in done) return done;
          const to = settingPath(place);
          const words = `${typeof point === "number" ? "after" : "before"} revision ${change.revision}`;
          const text = `${place.flag} in ${place.environment} is as it was ${words}.`;
          return done.result === "unchanged" ? { to, text } : { to, text, undo: undoOf(place, done.record) };
        } catch (error) {
          if (!(error instanceof AppError) || error.code !== "conflict") throw error;
          return { ...rollbackPage(await readRollback(app, c, side), { why, error }), status: 409 };
        }
      }),
    );
}

/** The side of a change that a page names; null for none. */
function sideOf(text: string): Side | null {
  return text === "after" || text === "before" ? text : null;
}

/** A flag in an environment, what it is now, and what it was before or after a change. */
type Rollback = {
  place: FlagPlace;
  environment: Awaited<ReturnType<typeof getEnvironment>>;
  change: Change;
  side: Side;
  point: RollbackPoint;
  /** 0 where the flag does not exist. */
  revision: number;
  now: FlagState | object;
  wanted: FlagState;
};

/**
 * Where no side is named, it is the one after the change, or the one before where the flag is as after it. Throws
 * `not_found`, and `invalid` for a change that leaves nothing to roll back to.
 */
async function readRollback(app: App, c: DashboardContext, given: Side | null): Promise<Rollback> {
  const project = c.req.param("project")!;
  const change = await changeOf(app, project, c.req.param("revision")!);
  const place = { project, environment: change.environment ?? "", flag: change.name };
  const after = stateAfter(place, change.revision, change);
  const environment = await getEnvironment(app, project, place.environment);
  const record = await app.store.flags.find(place);
  const now = record ? flagState(record) : {};
  const side = given ?? (Bun.deepEquals(now, after, true) ? "before" : "after");
  const before = stateBefore(place, change.revision, change) ?? blankState(record);
  return {
    place,
    environment,
    change,
    side,
    point: side === "after" ? change.revision : { before: change.revision },
    revision: record?.revision ?? 0,
    now,
    wanted: side === "after" ? after : before,
  };
}

/** The form that takes a rollback back. */
function undoOf({ project }: FlagPlace, { revision }: FlagRecord) {
  return {
    to: `${projectPath(project)}/history/${revision}/rollback`,
    values: { revision: String(revision), to: "before" },
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
  { place, environment, change, side, revision, now, wanted }: Rollback,
  failed?: Failed,
): Page {
  const { project, flag } = place;
  const isSame = Bun.deepEquals(now, wanted, true);
  const words = [quoted(flag), "-p", quoted(project), "-e", quoted(environment.slug)].join(" ");
  const to = `${projectPath(project)}/history/${change.revision}/rollback`;
  const commands = [{ label: "Lists the revisions", text: `formflag flags history ${words}` }];
  if (side === "after")
    commands.unshift({
      label: "Does the same",
      text: `formflag flags rollback ${words} --to ${change.revision}`,
    });
  else if (revision === change.revision)
    commands.unshift({ label: "Does the same", text: `formflag flags rollback ${words}` });
  return projectPage({
    project,
    tab: "history",
    title: `Roll back ${flag} in ${environment.slug} to ${side} revision ${change.revision}`,
    heading: `Roll back ${flag}`,
    back: { to: `${projectPath(project)}/history`, label: "History" },
    commands,
    content: (
      <div class="stack">
        <p>
          In <EnvironmentName environment={environment} />, from what it is now to what it was {side} revision{" "}
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
              <Form to={to} values={{ revision, to: side }} class="stack narrow" id="rollback">
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
