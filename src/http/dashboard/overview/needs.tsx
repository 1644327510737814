import type { Need } from "../../../operations/today/need.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { A, ButtonLink } from "../parts/link.tsx";
import { Foreign } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";

const ICONS: Record<Need["kind"], IconName> = {
  health: "activity",
  backup: "archive",
  ramp: "ramp",
  experiment: "beaker",
  target: "send",
  proposal: "proposal",
  unread: "inbox",
  stale: "trash",
};

const CLASSES = { bad: "bad", warn: "warn", info: "info", neutral: undefined } as const;

type Props = { needs: readonly Need[]; hasProjects: boolean; isMain: boolean };

/** The needs of the viewer, the worst first: with `isMain`, its button is the only blue one of the page. */
export function NeedsCard({ needs, hasProjects, isMain }: Props) {
  return (
    <section class="card flush" aria-labelledby="needs">
      <div class="title">
        <h2 id="needs">Needs you</h2>
        {needs.length > 0 && <span class="count warn">{needs.length}</span>}
      </div>
      {needs.length === 0 ? (
        <p class="soft quiet-line">Nothing needs you.</p>
      ) : (
        <ul class="rows needs">
          {needs.map((need, at) => (
            <Item need={need} isFirst={isMain && at === 0} hasProjects={hasProjects} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Item({ need, isFirst, hasProjects }: { need: Need; isFirst: boolean; hasProjects: boolean }) {
  const { kind, tone, title, subject, reason, at, verb, path, project } = need;
  const start = title.indexOf(subject);
  return (
    <li class={CLASSES[tone]} data-waiting={kind} id={`waiting-${kind}-${encodeURIComponent(subject)}`}>
      <span class="dot">
        <Icon name={ICONS[kind]} />
      </span>
      <div>
        <p>
          <Foreign text={title.slice(0, start)} />
          <A to={path}>
            <Foreign text={subject} />
          </A>
          <Foreign text={title.slice(start + subject.length)} />
          {hasProjects && project !== null && <span class="soft"> · {project}</span>}
        </p>
        <p>
          <Foreign text={reason} />
          {at !== null && (
            <>
              {" "}
              Since <Time at={at} />.
            </>
          )}
        </p>
      </div>
      <ButtonLink to={path} kind={isFirst ? "primary" : ""} label={`${verb}: ${title}`}>
        {verb}
      </ButtonLink>
    </li>
  );
}
