import { durationInWords, parseDuration } from "../../../base/units.ts";
import { EVENT_FILTERS } from "../../../delivery/notices/notice-types.ts";
import type { TargetView } from "../../../delivery/target.ts";
import { projectTargets } from "../../../operations/changes/project-targets.ts";
import { listNoticeTargets } from "../../../projects/notice-targets.ts";
import type { Project } from "../../../projects/project.ts";
import { getProject } from "../../../projects/projects.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { eventInWords } from "../deliveries/delivery-words.tsx";
import { type Fields, textOf, textOrNull, textsOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { Empty } from "../parts/card.tsx";
import { CheckField, TextField } from "../parts/field.tsx";
import { Button, Form } from "../parts/link.tsx";
import { EnvironmentField } from "../parts/list.tsx";
import { type Typed, faultAt, typedAt } from "../parts/submit.ts";
import type { Column } from "../parts/table.tsx";
import { TARGET_HINT, TargetTable, actOnTarget, targetSecretPage } from "../parts/targets.tsx";
import { PROJECT, pathTo } from "../paths.ts";
import type { Dashboard } from "../routes.ts";
import { useMay } from "../view.ts";
import { projectPage } from "./project-page.tsx";

const TARGETS = `${PROJECT}/targets` as const;

/** The targets of a project, which get its notices. */
export function projectTargetRoutes(dashboard: Dashboard) {
  const { app, get, post, act, perform } = dashboard;
  const show = async (c: DashboardContext, slug: string, typed: Typed | null = null) => {
    const [project, targets] = await Promise.all([
      getProject(app, slug),
      listNoticeTargets(app, c.get("caller"), slug),
    ]);
    return targetsPage({ project, targets, typed });
  };
  const homeOf = (project: string) => ({
    section: "flags" as const,
    back: { to: pathTo(TARGETS, { project }), label: project },
  });

  get(TARGETS, "flags:read", (c, { project }) => show(c, project));
  post(
    TARGETS,
    "flags:write",
    act({
      operation: projectTargets.add,
      input: ({ fields, names }) => ({ names, body: targetOf(fields) }),
      done({ secret }, { names }) {
        if (secret !== null) return targetSecretPage(secret, homeOf(names.project));
        return { to: pathTo(TARGETS, names), text: "Added the target" };
      },
      again: ({ c, fields, names }, faults) => show(c, names.project, { fields, faults }),
      at: { invalid: "target", conflict: "target", forbidden: "target", not_found: "environment" },
    }),
  );
  post(`${TARGETS}/:target`, "flags:write", async (c, fields, { project, target: id }) => {
    const { targets } = await perform(c, projectTargets.list, { names: { project } });
    return actOnTarget(dashboard, c, fields, { id, targets, gets: "new notices", home: homeOf(project) });
  });
}

/** A target for the admin API. Throws the fault of the digest. */
function targetOf(fields: Fields) {
  const [environment, digest] = [textOrNull(fields, "environment"), textOrNull(fields, "digest")];
  const events = textsOf(fields, "event");
  const seconds = digest === null ? undefined : parseDuration(digest);
  if (digest !== null && seconds === undefined) throw faultAt("digest", "write a time such as 10m, 1h or 7d");
  return {
    target: textOf(fields, "target").trim(),
    ...(environment !== null && { environment }),
    ...(events.length > 0 && { events }),
    ...(seconds !== undefined && { digest: seconds }),
  };
}

type Shown = { project: Project; targets: TargetView[]; typed: Typed | null };

function targetsPage({ project, targets, typed }: Shown): Page {
  const { slug } = project;
  return projectPage({
    project: slug,
    tab: "targets",
    title: "Targets",
    heading: "Targets",
    commands: [
      ["Lists the same", "targets list", { p: slug }],
      ["Adds one", "targets add", "mail:ops@example.com", { p: slug, event: "flag.*", digest: "1h" }],
      ["Lists what was sent", "deliveries list", { project: slug }],
    ],
    content: <Targets project={project} targets={targets} typed={typed} />,
  });
}

function Targets({ project, targets, typed }: Shown) {
  const to = pathTo(TARGETS, { project: project.slug });
  const mayChange = useMay("flags:write", { project: project.slug });
  return (
    <>
      <p class="soft">
        Targets of a project get notices of what changes in its flags, segments and environments.
      </p>
      {targets.length === 0 ? (
        <Empty title="No target gets notices of this project">
          <p class="soft">A webhook, a chat or a mail address hears of each change, or of many together.</p>
        </Empty>
      ) : (
        <TargetTable targets={targets} to={to} mayChange={mayChange} columns={COLUMNS} />
      )}
      {mayChange && <NewTarget to={to} project={project} typed={typed} />}
    </>
  );
}

const COLUMNS: readonly Column<TargetView>[] = [
  { label: "Environment", cell: ({ environment }) => environment ?? "all" },
  { label: "Events", cell: ({ events }) => events?.map(eventInWords).join(", ") ?? "all" },
  {
    label: "Together",
    cell: ({ digest }) => (digest === null ? "no" : `every ${durationInWords(digest).replace(/^1 /, "")}`),
  },
];

type NewTargetProps = Omit<Shown, "targets"> & { to: string };

function NewTarget({ to, project, typed }: NewTargetProps) {
  const fault = typed?.faults["events"];
  return (
    <Form to={to} class="card stack" id="add-target" label="Add a target" isChanged={typed !== null}>
      <h2>Add a target</h2>
      <TextField {...typedAt(typed, "target")} label="Target" hint={TARGET_HINT} required />
      <div class="columns">
        <EnvironmentField
          {...typedAt(typed, "environment")}
          environments={project.environments}
          all="All environments"
        />
        <TextField
          {...typedAt(typed, "digest")}
          label="Gather notices for"
          hint="Such as 10m or 1h, at most 7d; empty to send each at once"
        />
      </div>
      <fieldset>
        <legend>Events</legend>
        <p class="hint">Without any it gets all.</p>
        {fault && (
          <p class="error" id="events-error">
            {fault}
          </p>
        )}
        <div class="columns events">
          {FAMILIES.map(({ family, events }) => (
            <div class="stack">
              {[family, ...events].map((event) => (
                <CheckField
                  name="event"
                  id={`event-${event}`}
                  value={event}
                  label={event}
                  checked={typed !== null && textsOf(typed.fields, "event").includes(event)}
                  fault={fault && "events-error"}
                />
              ))}
            </div>
          ))}
        </div>
      </fieldset>
      <div class="buttons">
        <Button kind="primary" icon="plus">
          Add the target
        </Button>
      </div>
    </Form>
  );
}

/** The families of events, each with its events if there are several. */
const FAMILIES = EVENT_FILTERS.filter((event) => event.endsWith(".*")).map((family) => {
  const events = EVENT_FILTERS.filter((event) => event !== family && event.startsWith(family.slice(0, -1)));
  return { family, events: events.length > 1 ? events : [] };
});
