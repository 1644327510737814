import { own } from "../../../base/shapes/own.ts";
import { FIELDS } from "../../../flags/flag-fields.ts";
import { capital } from "../../../base/shapes/words.ts";
import { differencesOf } from "../../../projects/differences.ts";
import type { ScheduledChange } from "../../../flags/schedule/scheduled-change.ts";
import { type Revision, actionOf } from "../../../projects/history.ts";
import { revisionPath } from "../changes/revision-card.tsx";
import { formatCount } from "../parts/chart.tsx";
import { A, ButtonLink } from "../parts/link.tsx";
import { MayChange } from "../parts/confirm.tsx";
import { Settings } from "../parts/diff.tsx";
import { Spark } from "../parts/spark.tsx";
import { Foreign } from "../parts/text.tsx";
import { ExactTime, Time } from "../parts/time.tsx";
import { cancelPath, flagPath, projectPath } from "../paths.ts";
import { useMayChange } from "../view.ts";
import { LastRead } from "./flag-facts.tsx";
import { readerOf } from "./now.tsx";
import type { Screen } from "./screen.tsx";

/** Reads of the last 24 hours, and where the flag is in code. */
export function ReadsCard({ screen: { place, reads, readAt } }: { screen: Screen }) {
  const sum = reads?.reads ?? 0;
  return (
    <section class="card" aria-labelledby="reads-title">
      <div class="title">
        <h2 id="reads-title">Reads</h2>
        <span class="end soft">24 hours</span>
      </div>
      {sum > 0 && <Spark values={reads!.hours} label={`${formatCount(sum)} reads in 24 hours`} />}
      <dl class="pairs">
        {reads?.by.map((each) => (
          <>
            <dt>
              <Foreign text={readerOf(each)} />
            </dt>
            <dd>{formatCount(each.reads)}</dd>
          </>
        ))}
        <dt>Last</dt>
        <dd>
          <LastRead at={readAt} />
        </dd>
        <dt>In code</dt>
        <dd>
          <A to={`${flagPath(place.project, place.flag)}/code`}>Places</A>
        </dd>
      </dl>
    </section>
  );
}

/** The last changes, of which the newest can be taken back. */
export function HistoryCard({ screen: { place, environment, recent } }: { screen: Screen }) {
  const mayChange = useMayChange([environment]);
  const [newest] = recent;
  const query = { name: place.flag, environment: place.environment, kind: "flag" };
  return (
    <section class="card" aria-labelledby="history-title">
      <div class="title">
        <h2 id="history-title">History</h2>
        <A class="end" to={`${projectPath(place.project)}/history`} query={query}>
          All
        </A>
      </div>
      {recent.length === 0 && <p class="soft">Nothing has changed yet.</p>}
      <ul class="past">
        {recent.map((entry) => (
          <li>
            <A to={revisionPath(place.project, entry.revision)}>
              <Foreign text={changeInWords(entry)} />
            </A>
            <span class="soft small">
              <Foreign text={entry.who} />, <Time at={entry.at} />
              {entry.why && (
                <>
                  : <Foreign text={`“${entry.why}”`} />
                </>
              )}
              {mayChange && entry === newest && entry.kind === "flag" && entry.environment !== null && (
                <>
                  {" · "}
                  <A to={`${revisionPath(place.project, entry.revision)}/rollback`} query={{ to: "before" }}>
                    Undo…
                  </A>
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A change of a flag in a few words: `Turned on`, `Rule and variants changed`. */
function changeInWords(entry: Revision): string {
  const { kind, before, after } = entry;
  if (kind === "ramp") return "Step by step";
  if (kind === "scheduled") return "A scheduled change failed";
  if (before === null) return "Created";
  if (after === null) return "Deleted";
  const changed = differencesOf(before, after);
  const turned = changed.find(({ field }) => field === "enabled");
  const others = changed.filter((each) => each !== turned && each.field !== null);
  const labels = others.map(({ field }) => (own(FIELDS, field!)?.label ?? field!).toLowerCase());
  const what =
    labels.length === 0
      ? ""
      : `${labels.slice(0, 2).join(" and ")}${labels.length > 2 ? " and more" : ""} changed`;
  const state = turned ? (turned.after === true ? "turned on" : "turned off") : "";
  return capital([state, what].filter(Boolean).join(", ") || actionOf(entry));
}

/** The changes of a flag that are to come. */
export function Scheduled({ screen: { place, environment, scheduled } }: { screen: Screen }) {
  return (
    <section class="card" aria-labelledby="scheduled-title" id="scheduled">
      <h2 id="scheduled-title">Scheduled in {place.environment}</h2>
      <ul class="stack">
        {scheduled.map((each) => (
          <li id={`scheduled-${each.id}`} class="stack">
            <PlannedChange change={each} />
            <MayChange environments={[environment]}>
              <p>
                <ButtonLink kind="low" to={cancelPath(place, each.id)}>
                  Cancel…
                </ButtonLink>
              </p>
            </MayChange>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** When a change is due, who planned it and why, and what it sets. */
function PlannedChange({ change: { at, who, why, patch } }: { change: ScheduledChange }) {
  return (
    <>
      <p>
        <strong>
          <Time at={at} />
        </strong>{" "}
        (<ExactTime at={at} />
        ), by <Foreign text={who} />
        {why !== null && (
          <>
            : <Foreign text={why} />
          </>
        )}
      </p>
      <Settings values={patch} />
    </>
  );
}
