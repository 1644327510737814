import { own } from "../../../base/shapes/own.ts";
import { durationInWords, parseDuration } from "../../../base/units.ts";
import { EVENT_FILTERS } from "../../../delivery/notices/notice-types.ts";
import type { TargetView } from "../../../delivery/target.ts";
import { projectTargets } from "../../../operations/changes/project-targets.ts";
import type { Project } from "../../../projects/project.ts";
import { eventInWords } from "../deliveries/delivery-words.tsx";
import { type Fields, textOf, textOrNull, textsOf } from "../fields.ts";
import { CheckField, SelectField, TextField } from "../parts/field.tsx";
import { Fold } from "../parts/fold.tsx";
import { Button, Form } from "../parts/link.tsx";
import { EnvironmentField } from "../parts/list.tsx";
import { Badge } from "../parts/status.tsx";
import { type Typed, faultAt, typedAt } from "../parts/submit.ts";
import {
  RequestFields,
  TARGET_FAULTS,
  TARGET_HINT,
  TargetActions,
  actOnTarget,
  newTargetIn,
  targetName,
  targetSecretPage,
} from "../parts/targets.tsx";
import { PROJECT, pathTo } from "../paths.ts";
import type { Dashboard } from "../routes.ts";
import { addressOf, useMay } from "../view.ts";
import { Change } from "./environments.tsx";
import { AddFold, Section, type ShowSettings, settingsPath } from "./section.tsx";

const TARGETS = `${PROJECT}/targets` as const;

/** The choices of events that a target hears of; none is for all. */
const ABOUT: Readonly<Record<string, readonly [label: string, events: readonly string[]]>> = {
  all: ["everything in the project", []],
  changes: ["every change of flags, segments and environments", ["flag.*", "segment.*", "environment.*"]],
  releases: ["ramps, guards and experiments", ["ramp.*", "guard.*", "experiment.*"]],
  approvals: ["changes that are proposed, approved, applied or rejected", ["change.*"]],
  cleaning: ["flags ready to remove", ["flag.removable", "flag.stale", "flag.expired"]],
};

/** The targets of a project, which get its notices. */
export function projectTargetRoutes(dashboard: Dashboard, show: ShowSettings) {
  const { get, post, act, perform, viewOf } = dashboard;
  const homeOf = (project: string) => ({
    section: "flags" as const,
    back: { to: settingsPath(project), label: project },
  });

  get(TARGETS, "flags:read", async (c, { project }) =>
    c.redirect(addressOf(viewOf(c), `${settingsPath(project)}#targets`), 303),
  );
  post(
    TARGETS,
    "flags:write",
    act({
      operation: projectTargets.add,
      input: ({ fields, names }) => ({ names, body: targetOf(fields) }),
      done({ secret }, { names }) {
        if (secret !== null) return targetSecretPage(secret, homeOf(names.project));
        return { to: settingsPath(names.project), text: "Added the target" };
      },
      again: ({ c, fields, names }, faults) =>
        show(c, names.project, { at: "targets", typed: { fields, faults } }),
      at: { ...TARGET_FAULTS, not_found: "environment" },
    }),
  );
  post(`${TARGETS}/:target`, "flags:write", async (c, fields, { project, target: id }) => {
    const { targets } = await perform(c, projectTargets.list, { names: { project } });
    const [to, home] = [pathTo(TARGETS, { project }), homeOf(project)];
    const its = targets.filter((each): each is TargetView => !("on" in each));
    return actOnTarget(dashboard, c, fields, { id, to, targets: its, gets: "new notices", home });
  });
}

/** A target for the admin API. Throws the fault of the digest. */
function targetOf(fields: Fields) {
  const [environment, digest] = [textOrNull(fields, "environment"), textOrNull(fields, "digest")];
  const [, events] = own(ABOUT, textOf(fields, "about")) ?? ["", textsOf(fields, "event")];
  const seconds = digest === null ? undefined : parseDuration(digest);
  if (digest !== null && seconds === undefined) throw faultAt("digest", "write a time such as 10m, 1h or 7d");
  return {
    ...newTargetIn(fields),
    ...(environment !== null && { environment }),
    ...(events.length > 0 && { events }),
    ...(seconds !== undefined && { digest: seconds }),
  };
}

type Props = { project: Project; typed: Typed | null };

export function TargetRows({ project, targets, typed }: Props & { targets: readonly TargetView[] }) {
  const to = pathTo(TARGETS, { project: project.slug });
  const mayChange = useMay("flags:write", { project: project.slug });
  return (
    <Section id="targets">
      {targets.length === 0 && (
        <div class="empty">
          <p class="title">No target gets notices of this project</p>
          <p class="soft">A webhook, a chat or a mail address hears of each change, or of many together.</p>
        </div>
      )}
      {targets.map((target) => (
        <Fold
          id={`target-${target.id}`}
          name={targetName(target)}
          sentence={
            <>
              {aboutOf(target)}
              <span class="soft small">; {howOften(target)}</span>{" "}
              {!target.enabled && <Badge>disabled</Badge>}
            </>
          }
          act={mayChange ? <Change of={targetName(target)} /> : null}
        >
          {mayChange && <TargetActions to={to} target={target} />}
        </Fold>
      ))}
      {mayChange && <NewTarget to={to} project={project} typed={typed} />}
    </Section>
  );
}

/** `every change in production`. */
function aboutOf({ environment, events }: TargetView): string {
  const known = Object.values(ABOUT).find(([, each]) => each.join() === (events ?? []).join());
  const about = known?.[0] ?? events?.map(eventInWords).join(", ") ?? "";
  return environment === null ? about : `${about}, in ${environment}`;
}

function howOften({ digest }: TargetView): string {
  if (digest === 86_400 || digest === 604_800) return digest === 86_400 ? "once a day" : "once a week";
  return digest === null ? "at once" : `every ${durationInWords(digest).replace(/^1 /, "")}`;
}

const OFTEN = [
  { value: "", label: "at once" },
  { value: "10m", label: "every 10 minutes, together" },
  { value: "1h", label: "every hour, together" },
  { value: "1d", label: "once a day" },
  { value: "7d", label: "once a week" },
];

function NewTarget({ to, project, typed }: Props & { to: string }) {
  const fault = typed?.faults["events"];
  const ticked = typed === null ? [] : textsOf(typed.fields, "event");
  const about = typed === null ? "changes" : textOf(typed.fields, "about");
  return (
    <AddFold id="add-target" act="Tell someone else" isOpen={typed !== null}>
      <Form to={to} class="editor" id="target-form" label="Add a target" isChanged={typed !== null}>
        <TextField {...typedAt(typed, "target")} label="Target" hint={TARGET_HINT} required />
        <RequestFields typed={typed} />
        <fieldset>
          <legend>About</legend>
          {Object.entries(ABOUT).map(([value, [label]]) => (
            <CheckField
              type="radio"
              name="about"
              id={`about-${value}`}
              value={value}
              label={label}
              checked={about === value}
            />
          ))}
          <details open={ticked.length > 0}>
            <summary>Other events</summary>
            <div class="stack">
              <CheckField
                type="radio"
                name="about"
                id="about-some"
                value="some"
                label="these alone"
                checked={ticked.length > 0}
              />
              {fault && (
                <p class="error" id="events-error">
                  {fault}
                </p>
              )}
              <div class="columns events">
                {EVENT_FILTERS.map((event) => (
                  <CheckField
                    name="event"
                    id={`event-${event}`}
                    value={event}
                    label={eventInWords(event)}
                    checked={ticked.includes(event)}
                    fault={fault && "events-error"}
                  />
                ))}
              </div>
            </div>
          </details>
        </fieldset>
        <div class="columns">
          <EnvironmentField
            {...typedAt(typed, "environment")}
            label="Of"
            environments={project.environments}
            all="all environments"
          />
          <SelectField {...typedAt(typed, "digest")} label="How often" options={OFTEN} />
        </div>
        <p class="buttons">
          <Button icon="plus">Add the target</Button>
        </p>
      </Form>
    </AddFold>
  );
}
