import type { RampView } from "../../../flags/ramps/ramp-words.ts";
import type { Project } from "../../../projects/project.ts";
import { MayChange } from "../parts/confirm.tsx";
import { Icon } from "../parts/icon.tsx";
import { A, ButtonLink } from "../parts/link.tsx";
import { Badge, EnvironmentName } from "../parts/status.tsx";
import { Foreign } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { settingPath } from "../paths.ts";
import { useMayChange } from "../view.ts";
import { RampActions, RampCourse } from "./ramp.tsx";
import type { Release } from "./release-record.tsx";
import { environmentOf } from "./revision-card.tsx";

/** A release in a list; `isFirst` is the one whose button is blue. */
type Props = { project: Project; release: Release; isFirst: boolean };

export function ReleaseRow(props: Props) {
  return props.release.ramp === undefined ? (
    <Row {...props} />
  ) : (
    <Steps {...props} ramp={props.release.ramp} />
  );
}

function Row({ project, release, isFirst }: Props) {
  const { key, group, icon, tone, to, name, words, more, at, when, verb, environments } = release;
  const places = project.environments.filter(({ slug }) => environments.includes(slug));
  const isOffered = verb && (!verb.isChange || useMayChange(places));
  const time = at !== null && (
    <>
      {when} <Time at={at} />
    </>
  );
  return (
    <li id={key} class={`slim ${tone}`}>
      <span class="dot">
        <Icon name={icon} />
      </span>
      <div>
        <p>
          <A to={to}>
            <Foreign text={name} />
          </A>
          {words}
        </p>
        <p class="soft small">
          {more}
          {isOffered && time && <> · {time}</>}
        </p>
      </div>
      {isOffered ? (
        <ButtonLink
          to={verb.to}
          kind={isFirst ? "primary" : group === "decide" ? "" : "low"}
          label={`${verb.label}: ${name}`}
        >
          {verb.label}
        </ButtonLink>
      ) : (
        <span class="small soft">{time}</span>
      )}
    </li>
  );
}

/** A release step by step, whose row opens: where it is, what watches it, and what may be done. */
function Steps({ project: { slug, environments }, release, ramp, isFirst }: Props & { ramp: RampView }) {
  const { key, group, name, words, more, at, when, tone } = release;
  const environment = environmentOf(environments, ramp.environment);
  const place = { project: slug, environment: ramp.environment, flag: ramp.flag };
  return (
    <li id={key}>
      <details class="item" open={group === "decide"} id={`${key}-steps`}>
        <summary class="title">
          <h3>{name}</h3>
          <EnvironmentName environment={environment} />
          <Badge tone={tone === "" ? "neutral" : tone}>{words}</Badge>
          <span class="soft small">{more}</span>
          <span class="end soft small">
            {at !== null && (
              <>
                {when} <Time at={at} />
              </>
            )}
            <Icon name="chevronDown" kind="tiny" />
          </span>
        </summary>
        <RampCourse ramp={ramp} project={slug} readings={release.readings ?? []} />
        <MayChange environments={environments.filter((each) => each.slug === ramp.environment)}>
          <RampActions place={place} ramp={ramp} id={`${key}-form`} isPrimary={isFirst} back="releases" />
        </MayChange>
        <p class="small">
          <A to={settingPath(place)}>The flag {name}</A>
        </p>
      </details>
    </li>
  );
}
