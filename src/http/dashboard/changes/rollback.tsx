import { history } from "../../../operations/history.ts";
import type { App } from "../../../app.ts";
import { AppError } from "../../../base/errors.ts";
import type { FlagPlace } from "../../../flags/flag.ts";
import { type FlagState, blankState, flagState, stateAfter, stateBefore } from "../../../flags/history.ts";
import { getEnvironment } from "../../../projects/environments.ts";
import type { Revision } from "../../../projects/history.ts";
import { sentence } from "../../../base/shapes/words.ts";
import { revisionIn, textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import type { Command } from "../parts/commands.tsx";
import { lastChange } from "../parts/confirm.tsx";
import { Diff } from "../parts/diff.tsx";
import { Changes, Plan } from "../parts/plan.tsx";
import { EnvironmentName, Notice } from "../parts/status.tsx";
import { Actor } from "../parts/text.tsx";
import { ExactTime } from "../parts/time.tsx";
import { type ParametersOf, REVISION, settingPath, projectPath } from "../paths.ts";
import type { Dashboard, Sent } from "../routes.ts";
import { projectPage } from "../project/project-page.tsx";
import { type Side, revisionPath, undoOf } from "./revision-card.tsx";

const PATH = `${REVISION}/rollback` as const;

export function rollbackRoutes({ app, get, post, act }: Dashboard) {
  const roll = act({
    operation: history.rollback,
    input: ({ fields, names: { place, side, entry } }: Sent<Rollback>) => ({
      names: place,
      body: { [side === "after" ? "to" : "before"]: entry.revision },
      revision: revisionIn(fields),
    }),
    async confirm({ names: { place, environment, entry, now, wanted } }) {
      const { project, flag: name } = place;
      return {
        title: `Confirm the rollback of ${name} in ${environment.slug}, ${project}`,
        label: `Roll back ${name} in ${environment.slug}`,
        environments: [environment],
        change: <Diff before={now} after={wanted} />,
        last: await lastChange(app, project, { kind: "flag", name, environment: environment.slug }),
        back: { to: `${revisionPath(project, entry.revision)}/rollback`, label: "Roll back" },
      };
    },
    done({ result, revision }, { names: { place, side, entry } }) {
      const to = settingPath(place);
      const text = `${place.flag} in ${place.environment} is as it was ${side} revision ${entry.revision}.`;
      return result === "unchanged" ? { to, text } : { to, text, undo: undoOf(place, { revision }) };
    },
    async again({ fields, names: { place, side, entry } }, _, error) {
      const parameters = { project: place.project, revision: String(entry.revision) };
      return rollbackPage(await readRollback(app, parameters, side), { why: textOf(fields, "why"), error });
    },
    at: { conflict: "" },
  });
  get(PATH, "flags:write", async (c, names) =>
    rollbackPage(await readRollback(app, names, sideOf(c.req.query("to") ?? ""))),
  );
  post(PATH, "flags:write", async (c, fields, names) =>
    roll(c, fields, await readRollback(app, names, sideOf(textOf(fields, "to")))),
  );
}

/** The number of a revision in a path. Throws `invalid`. */
export function revisionOf(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new AppError("invalid", "a revision is a number");
  return Number(text);
}

/** A change by its revision. Throws `not_found`, `invalid`. */
export async function entryOf(
  { store }: Pick<Dashboard["app"], "store">,
  project: string,
  revision: string,
): Promise<Revision> {
  const entry = await store.changes.find(project, revisionOf(revision));
  if (entry) return entry;
  throw new AppError("not_found", `project "${project}" has no revision ${revision}`, {
    reason: "revision-not-found",
  });
}

/** The side of a change that a page names; null for none. */
function sideOf(text: string): Side | null {
  return text === "after" || text === "before" ? text : null;
}

/** A flag in an environment, what it is now, and what it was before or after a change. */
type Rollback = {
  place: FlagPlace;
  environment: Awaited<ReturnType<typeof getEnvironment>>;
  entry: Revision;
  side: Side;
  /** 0 if the flag does not exist. */
  revision: number;
  now: FlagState | object;
  wanted: FlagState;
};

/**
 * Default side: after the change, or before it if the flag is already as after it. Throws
 * `not_found`, and `invalid` for a change that leaves nothing to roll back to.
 */
async function readRollback(
  app: App,
  { project, revision }: ParametersOf<typeof PATH>,
  given: Side | null,
): Promise<Rollback> {
  const entry = await entryOf(app, project, revision);
  const place = { project, environment: entry.environment ?? "", flag: entry.name };
  const after = stateAfter(place, entry.revision, entry);
  const [environment, record] = await Promise.all([
    getEnvironment(app, project, place.environment),
    app.store.flags.find(place),
  ]);
  const now = record ? flagState(record) : {};
  const side = given ?? (Bun.deepEquals(now, after, true) ? "before" : "after");
  const before = stateBefore(place, entry.revision, entry) ?? blankState(record);
  return {
    place,
    environment,
    entry,
    side,
    revision: record?.revision ?? 0,
    now,
    wanted: side === "after" ? after : before,
  };
}

type Failed = { why: string; error: AppError };

function rollbackPage(
  { place, environment, entry, side, revision, now, wanted }: Rollback,
  failed?: Failed,
): Page {
  const { project, flag } = place;
  const isSame = Bun.deepEquals(now, wanted, true);
  // The page that confirms or proposes it asks.
  const asksWhy = !environment.locked && environment.approvals === 0;
  const history = `${projectPath(project)}/history`;
  const options = { p: project, e: environment.slug };
  const commands: Command[] = [["Lists the revisions", "flags history", flag, options]];
  if (side === "after")
    commands.unshift(["Does the same", "flags rollback", flag, { ...options, to: entry.revision }]);
  else if (revision === entry.revision) commands.unshift(["Does the same", "flags undo", flag, options]);
  return projectPage({
    project,
    tab: "history",
    title: `Roll back ${flag} in ${environment.slug} to ${side} revision ${entry.revision}`,
    heading: `Roll back ${flag}`,
    back: { to: history, label: "History" },
    commands,
    content: (
      <div class="stack">
        <p>
          In <EnvironmentName environment={environment} />, from what it is now to what it was {side} revision{" "}
          {entry.revision}, which <Actor by={entry} /> made <ExactTime at={entry.at} />.
        </p>
        {failed && (
          <Notice
            tone="bad"
            title={failed.error.reason === "revision-differs" ? "Changed by another user" : ""}
          >
            <p>
              {failed.error.reason === "revision-differs"
                ? "The flag has changed since this page was loaded. Below is what differs from what it is now."
                : sentence(failed.error.message)}
            </p>
          </Notice>
        )}
        {!isSame && (
          <Changes changes={[{ title: "What changes", id: "difference", before: now, after: wanted }]} />
        )}
        <Plan
          nothing={isSame && "The flag is already as it was then."}
          environments={[environment]}
          to={`${revisionPath(project, entry.revision)}/rollback`}
          values={{ revision, to: side }}
          id="rollback"
          {...(asksWhy && { why: failed?.why ?? null })}
          icon="history"
          act={`${environment.approvals > 0 ? "Propose to roll" : "Roll"} back ${flag} in ${environment.slug}`}
          back={{ to: history }}
        />
      </div>
    ),
  });
}
