import { AppError } from "../../../base/errors.ts";
import { own } from "../../../base/shapes/own.ts";
import { capital } from "../../../base/shapes/words.ts";
import { FIELDS } from "../../../flags/flag-fields.ts";
import { hasExpired, isOn } from "../../../flags/flag.ts";
import { verbOf, whoGets } from "../../../flags/release/release-words.ts";
import { controlOf, partsOf, shareOfRest, variantsToRelease } from "../../../flags/release/release.ts";
import { parseRules } from "../../../flags/rules/rules.ts";
import type { ScheduledChange } from "../../../flags/schedule/scheduled-change.ts";
import { differencesOf } from "../../../projects/differences.ts";
import { actionOf, type Revision } from "../../../projects/history.ts";
import { revisionPath } from "../changes/revision-card.tsx";
import { Facts } from "../parts/card.tsx";
import { formatRate, MayChange } from "../parts/confirm.tsx";
import { Settings } from "../parts/diff.tsx";
import { A, ButtonLink } from "../parts/link.tsx";
import { Share, Spark } from "../parts/spark.tsx";
import { Notice } from "../parts/status.tsx";
import { Actor, Foreign, formatCount } from "../parts/text.tsx";
import { ExactTime, Time } from "../parts/time.tsx";
import { cancelPath, flagPath, projectPath } from "../paths.ts";
import { useMayChange, useView } from "../view.ts";
import { Expiry, LastRead, NeedsNotice, RuleWords } from "./flag-facts.tsx";
import { ProposedNotice } from "./proposed.tsx";
import type { Screen } from "./screen.tsx";
import { StateSwitch } from "./turn.tsx";

/** Readers that are named. */
const SHOWN_READERS = 3;

/** The state of a flag in an environment: who gets what, its switch, its last change and its reads. */
export function NowCard({ screen }: { screen: Screen }) {
  const { environment, record, rate, readAt, last, reads } = screen;
  const by = reads?.by.slice(0, SHOWN_READERS) ?? [];
  const { now } = useView();
  const gets = whoGets(record, now);
  return (
    <section class="card now" aria-label={`Now in ${environment.slug}`} id="now">
      <div class="top">
        {gets === null ? (
          <RuleWords record={record} />
        ) : (
          <p class="lead">
            {gets.map(({ who, what }) => (
              <>
                <b>
                  <Foreign text={who} />
                </b>{" "}
                {verbOf(who)} <Foreign text={what} />.{" "}
              </>
            ))}
          </p>
        )}
        <StateSwitch screen={screen} />
      </div>
      {hasExpired(record, now) && record.enabled && (
        <Notice tone="warn">
          <p>It has expired, so readers see it as off.</p>
        </Notice>
      )}
      {isOn(record, now) && <NeedsNotice record={record} />}
      <ProposedNotice project={screen.place.project} proposed={screen.proposed} />
      <MayChange environments={[environment]}>{null}</MayChange>
      <ShareOfReads screen={screen} />
      <Facts
        class=""
        facts={[
          ["Since", last === null ? <span class="soft">its creation</span> : <Time at={last.at} />],
          last !== null && [
            "By",
            <>
              <Actor by={last} />
              {last.why && (
                <>
                  <br />
                  <span class="soft small">
                    <Foreign text={`“${last.why}”`} />
                  </span>
                </>
              )}
            </>,
          ],
          [
            "Read",
            <>
              {rate > 0 ? anHour(rate) : <LastRead at={readAt} />}
              {by.length > 0 && (
                <>
                  <br />
                  <span class="soft small">
                    by <Foreign text={by.map(readerOf).join(", ")} />
                  </span>
                </>
              )}
            </>,
          ],
          ["Ends", <Expiry record={record} />],
        ]}
      />
    </section>
  );
}

function anHour(rate: number): string {
  const reads = Math.round(rate * 60);
  return reads >= 1 ? `${reads.toLocaleString("en")} an hour` : formatRate(rate);
}

/** A reader by its token; without one by the keys of its environment. */
function readerOf({ token }: { token: string | null }): string {
  return token ?? "the keys";
}

/** The colours of a share: of the first two, in turns, and of the rest. */
const KEYS = ["key a", "key b", "key"] as const;

/** How today's reads, or before the first the rule, are split among variants. */
function ShareOfReads({ screen: { record, served } }: { screen: Screen }) {
  const { now } = useView();
  const { variants, usual } = variantsToRelease(record);
  const others = [controlOf(record, usual), ...Object.keys(variants).filter((name) => name !== usual)];
  const names = [
    usual,
    ...new Set(others.toSorted((a, b) => Number(a === others[0]) - Number(b === others[0]))),
  ];
  const percents =
    served.reads > 0 ? names.map((name) => (100 * (served.variants[name] ?? 0)) / served.reads) : [];
  if (!percents.some((each) => each > 0)) {
    const share = isOn(record, now) ? restShare(record.rules, usual) : 0;
    return <Share percents={[share]} />;
  }
  return (
    <div>
      <Share percents={percents.slice(0, -1)} />
      <p class="line small soft">
        {names.map((name, at) => (
          <>
            <span class={KEYS[at < names.length - 1 ? at % 2 : 2]}></span>
            <span>
              <Foreign text={name} />, {Math.round(percents[at]! * 10) / 10} %{at === 0 && " of reads today"}
            </span>
          </>
        ))}
      </p>
    </div>
  );
}

function restShare(rules: string | null, variant: string): number {
  if (rules === null) return 100;
  const { defaultVariant, targeting } = parseRules(rules);
  try {
    return shareOfRest(partsOf({ targeting }).rest ?? undefined, variant, defaultVariant);
  } catch (error) {
    if (error instanceof AppError) return 0;
    throw error;
  }
}

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
export function HistoryCard({ screen: { place, project, environment, recent } }: { screen: Screen }) {
  const mayChange = useMayChange([environment]);
  const [newest] = recent;
  return (
    <section class="card" aria-labelledby="history-title">
      <div class="title">
        <h2 id="history-title">History</h2>
        <A
          class="end"
          to={`${projectPath(place.project)}/history`}
          query={{ name: place.flag, kind: "flag" }}
        >
          {project.environments.length > 1 ? "All environments" : "All"}
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
              <Actor by={entry} />, <Time at={entry.at} />
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
