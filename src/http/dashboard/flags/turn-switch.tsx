import { type Course, audienceOf } from "../../../flags/audience.ts";
import { type FlagStatus, hasExpired } from "../../../flags/flag.ts";
import type { Environment } from "../../../projects/environment.ts";
import type { Project } from "../../../projects/project.ts";
import { PROPOSED_FOR } from "../parts/confirm.tsx";
import { WhyField } from "../parts/field.tsx";
import { A, ButtonLink } from "../parts/link.tsx";
import { Ask, Switch } from "../parts/switch.tsx";
import { formatShort } from "../parts/time.tsx";
import { settingAction, settingPath } from "../paths.ts";
import { type View, useView } from "../view.ts";

/** The switch of a flag in an environment: it acts at once, or asks first where the environment is locked or needs approvals. */
export function Turn({
  project,
  environment,
  status,
  who,
  course,
  query,
}: {
  project: Project;
  /** The query of the page, to which a switch comes back. */
  query: Parameters<typeof Switch>[0]["query"];
  environment: Environment;
  status: FlagStatus;
  who: string;
  course: Course | undefined;
}) {
  const view = useView();
  const { slug, enabled, revision } = status;
  const place = { project: project.slug, environment: environment.slug, flag: slug };
  const { approvals, locked } = environment;
  // A flag that has expired is off for its readers until its page gives it another end.
  if (enabled && hasExpired(status, view.now))
    return (
      <A to={settingPath(place)} class="switch" label={`${slug} has expired in ${environment.slug}: change…`}>
        {""}
      </A>
    );
  const form = { to: `${settingAction(place)}/turn`, query };
  if (!locked && approvals === 0)
    return <Switch {...form} values={{ revision }} isOn={enabled} label={`${slug} in ${environment.slug}`} />;
  const verb = enabled ? "off" : "on";
  const asked = approvals === 0 ? { confirm: environment.slug } : { propose: PROPOSED_FOR };
  const guarded = approvals === 0 ? "is locked" : "needs approvals";
  return (
    <Ask
      {...form}
      values={{ revision, on: String(!enabled), ...asked }}
      isOn={enabled}
      label={`${slug} is ${enabled ? "on" : "off"} in ${environment.slug}, which ${guarded}: change…`}
      question={
        <>
          <b>
            Turn {slug} {verb} in {environment.slug}?
          </b>
          <br />
          <span class="soft small">{consequence(status, who, course, view)}</span>
        </>
      }
      act={approvals === 0 ? `Turn ${verb} in ${environment.slug}` : "Propose for approval"}
      others={
        <ButtonLink to={settingPath(place)} kind="plain">
          Other ways
        </ButtonLink>
      }
    >
      <WhyField id={`why-${environment.slug}-${slug}`} />
    </Ask>
  );
}

/** The effect of a press, in a sentence. */
function consequence(
  { enabled, rules }: FlagStatus,
  who: string,
  course: Course | undefined,
  view: View,
): string {
  const after = courseAfter(course, view);
  if (enabled) return `Now: ${who}. Then nobody gets it, within seconds.${after}`;
  const then = audienceOf({ enabled: true, expiresAt: null, rules }, view.now);
  if (then === "everyone") return `Then everyone gets it, within seconds.${after}`;
  return `Then who gets it, within seconds: ${then}.${after}`;
}

/** The end of that sentence: whether its schedule or its release goes on. */
function courseAfter(course: Course | undefined, { now, timeZone }: View): string {
  if (course?.ramp) return " Its release step by step pauses.";
  if (course?.experiment) return " Its experiment pauses.";
  if (!course?.scheduled) return "";
  return ` What is scheduled for ${formatShort(course.scheduled.at, { now, timeZone, hasClock: true })} stays.`;
}
