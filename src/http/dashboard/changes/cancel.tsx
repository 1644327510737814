import type { App } from "../../../app.ts";
import { AppError } from "../../../base/errors.ts";
import { sentence } from "../../../base/shapes/words.ts";
import { applyPatch } from "../../../flags/flag.ts";
import { flagState } from "../../../flags/history.ts";
import { noSuchScheduled, viewScheduled } from "../../../flags/schedule/scheduled-change.ts";
import { scheduled as operations } from "../../../operations/scheduled.ts";
import { differencesOf } from "../../../projects/differences.ts";
import type { Environment } from "../../../projects/environment.ts";
import { getEnvironment } from "../../../projects/environments.ts";
import type { Page } from "../page.tsx";
import { lastChange } from "../parts/confirm.tsx";
import { Diff, Settings } from "../parts/diff.tsx";
import { Plan } from "../parts/plan.tsx";
import { EnvironmentName, Notice } from "../parts/status.tsx";
import { Foreign } from "../parts/text.tsx";
import { ExactTime, Time } from "../parts/time.tsx";
import { A } from "../parts/link.tsx";
import { CANCEL, type ParametersOf, RELEASES, cancelPath, pathTo, settingPath } from "../paths.ts";
import { projectPage } from "../project/project-page.tsx";
import type { Dashboard, Sent } from "../routes.ts";

/** A scheduled change, and what it would make of the flag as it is now. */
export type Coming = {
  scheduled: ReturnType<typeof viewScheduled>;
  before: unknown;
  after: unknown;
  /** Why it would fail, as far as is known now. */
  fault: string | null;
};

/** A coming change with its place. */
type Found = { project: string; environment: Environment; coming: Coming };

/** The page that cancels a scheduled change. */
export function cancelRoutes({ app, get, post, act }: Dashboard) {
  const cancel = act({
    operation: operations.cancel,
    input: ({ names: { project, environment, coming } }: Sent<Found>) => ({
      names: { project, environment: environment.slug, scheduled: coming.scheduled.id },
    }),
    async confirm({ names: { project, environment, coming } }) {
      const { flag: name } = coming.scheduled;
      return {
        title: `Confirm the cancellation for ${name} in ${environment.slug}, ${project}`,
        label: `Cancel the change of ${name} in ${environment.slug}`,
        environments: [environment],
        change: <Planned project={project} coming={coming} />,
        last: await lastChange(app, project, { kind: "flag", name, environment: environment.slug }),
        back: { to: pathTo(RELEASES, { project }), label: "Releases" },
      };
    },
    done: (_, { names: { project, environment, coming } }) => ({
      to: pathTo(RELEASES, { project }),
      text: `The change of ${coming.scheduled.flag} in ${environment.slug} will not be made.`,
    }),
  });
  get(CANCEL, "flags:write", async (_, names) => cancelPage(await readScheduled(app, names)));
  post(CANCEL, "flags:write", async (c, fields, names) => cancel(c, fields, await readScheduled(app, names)));
}

/** A scheduled change with the flag before and after it. */
export async function describeScheduled(
  app: App,
  project: string,
  scheduled: Coming["scheduled"],
): Promise<Coming> {
  const { environment, flag, patch, at, createdAt } = scheduled;
  const record = await app.store.flags.find({ project, environment, flag });
  // A flag of the same name that was created since is another flag.
  if (!record || record.createdAt > Date.parse(createdAt))
    return { scheduled, before: {}, after: patch, fault: "the flag has been deleted" };
  try {
    const after = applyPatch(flag, record, patch, Date.parse(at)).record;
    return { scheduled, before: flagState(record), after: flagState(after), fault: null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { scheduled, before: {}, after: patch, fault: error.message };
  }
}

/** Throws `not_found`. */
async function readScheduled(
  app: App,
  { project, environment, id }: ParametersOf<typeof CANCEL>,
): Promise<Found> {
  const [where, scheduled] = await Promise.all([
    getEnvironment(app, project, environment),
    app.store.scheduled.find(project, environment, id),
  ]);
  if (!scheduled) throw noSuchScheduled(id);
  const coming = await describeScheduled(app, project, viewScheduled(scheduled));
  return { project, environment: where, coming };
}

function cancelPage({ project, environment, coming }: Found): Page {
  const { id, flag } = coming.scheduled;
  const back = { to: pathTo(RELEASES, { project }), label: "Releases" };
  return projectPage({
    project,
    tab: "releases",
    title: `Cancel the scheduled change of ${flag} in ${environment.slug}`,
    heading: "Cancel a scheduled change",
    back,
    commands: [["Does the same", "flags unschedule", id, { p: project }]],
    content: (
      <div class="stack">
        <section class="card" aria-labelledby="change">
          <h2 id="change">
            {flag} <EnvironmentName environment={environment} />
          </h2>
          <Planned project={project} coming={coming} />
        </section>
        <Plan
          environments={[environment]}
          to={cancelPath({ project, environment: environment.slug }, id)}
          id="cancel"
          kind="danger primary"
          act="Cancel this change"
          back={{ ...back, label: "Keep it" }}
        />
      </div>
    ),
  });
}

/** When a change is due, who planned it and why, and what it changes. */
function Planned({
  project,
  coming: { scheduled, before, after, fault },
}: {
  project: string;
  coming: Coming;
}) {
  const { at, who, why, createdAt, environment, flag } = scheduled;
  const isAlready = differencesOf(before, after).length === 0;
  return (
    <>
      <p class="soft">
        On <ExactTime at={Date.parse(at)} />, scheduled by <Foreign text={who} />,{" "}
        <Time at={Date.parse(createdAt)} />
      </p>
      {why && (
        <blockquote>
          <Foreign text={why} />
        </blockquote>
      )}
      {fault !== null && (
        <Notice tone="warn" title="This change would fail">
          <p>
            {sentence(fault)}{" "}
            <A to={settingPath({ project, environment, flag })} label={`The flag ${flag} in ${environment}`}>
              The flag
            </A>
          </p>
        </Notice>
      )}
      {isAlready ? (
        <>
          <p>As the flag is now, nothing would differ. The change sets:</p>
          <Settings values={scheduled.patch} />
        </>
      ) : (
        <Diff before={before} after={after} />
      )}
    </>
  );
}
