import { DAY_MS } from "../../../base/days.ts";
import type { FlagRecord, FlagStatus } from "../../../flags/flag.ts";
import type { Ramp } from "../../../flags/ramps/ramp.ts";
import type { ScheduledChange } from "../../../flags/schedule/scheduled-change.ts";
import { DEFAULT_STALE_DAYS } from "../../../flags/stale.ts";
import type { Environment } from "../../../projects/environment.ts";
import type { Project } from "../../../projects/project.ts";
import { formatRate } from "../parts/confirm.tsx";
import { TextField, WhyField } from "../parts/field.tsx";
import { Button, Form } from "../parts/link.tsx";
import { EnvironmentName, Notice } from "../parts/status.tsx";
import { type Typed, typedAt } from "../parts/submit.ts";
import { useView } from "../view.ts";
import { LastRead } from "./flag-facts.tsx";
import { flagPath } from "../paths.ts";

/** A flag in one environment. */
export type Place = {
  environment: Environment;
  record: FlagRecord;
  /** When it was last read; null for never. */
  readAt: number | null;
  /** Reads a minute. */
  rate: number;
  /** The last one; null if there was none. */
  ramp: Ramp | null;
};

export type WholeFlag = {
  project: Project;
  flag: string;
  places: readonly Place[];
  /** The next first. */
  statuses: readonly FlagStatus[];
  scheduled: readonly ScheduledChange[];
};

/** Whether applications have read a flag lately enough to miss it. */
export function isRead({ readAt }: Pick<Place, "readAt">, now: number): boolean {
  return readAt !== null && now - readAt < DEFAULT_STALE_DAYS * DAY_MS;
}

/** The form that deletes a flag, which names who still reads it. */
export function Deletion({ whole, typed }: { whole: WholeFlag; typed: Typed | null }) {
  const { project, flag, places } = whole;
  const { now } = useView();
  const readers = places.filter((place) => isRead(place, now));
  return (
    <details class="card" open={typed !== null} id="delete">
      <summary>Delete {flag}</summary>
      <Form
        to={`${flagPath(project.slug, flag)}/delete`}
        values={{ revision: Math.max(...places.map(({ record }) => record.revision)) }}
        class="stack narrow"
        id="delete-form"
        label={`Delete ${flag}`}
        isChanged={typed !== null}
      >
        {readers.length === 0 ? (
          <p>It has not been read in the last {DEFAULT_STALE_DAYS} days.</p>
        ) : (
          <Notice tone="warn" title="Applications still read it">
            <Readers readers={readers} />
          </Notice>
        )}
        <p>It is deleted in {places.map(({ environment }) => environment.slug).join(", ")}.</p>
        <WhyField id="delete-why" value={typedAt(typed, "why").value} />
        <TextField {...typedAt(typed, "name")} label={`Type ${flag} to delete it`} required />
        <p>
          <Button kind="danger primary" icon="trash">
            Delete {flag} in every environment
          </Button>
        </p>
      </Form>
    </details>
  );
}

/** The environments in which applications read a flag, with when and how often. */
export function Readers({ readers }: { readers: readonly Place[] }) {
  return (
    <ul>
      {readers.map(({ environment, readAt, rate }) => (
        <li>
          <EnvironmentName environment={environment} />: <LastRead at={readAt} />
          {rate > 0 && `, ${formatRate(rate)}`}
        </li>
      ))}
    </ul>
  );
}
