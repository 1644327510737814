import { AppError } from "../../../base/errors.ts";
import { hasExpired, isOn } from "../../../flags/flag.ts";
import { verbOf, whoGets } from "../../../flags/release/release-words.ts";
import { controlOf, partsOf, shareOfRest, variantsToRelease } from "../../../flags/release/release.ts";
import { parseRules } from "../../../flags/rules/rules.ts";
import { Facts } from "../parts/card.tsx";
import { formatRate, MayChange } from "../parts/confirm.tsx";
import { Share } from "../parts/spark.tsx";
import { Notice } from "../parts/status.tsx";
import { Foreign } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { useView } from "../view.ts";
import { Expiry, LastRead, RuleWords } from "./flag-facts.tsx";
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
      <MayChange environments={[environment]}>{null}</MayChange>
      <ShareOfReads screen={screen} />
      <Facts
        class=""
        facts={[
          ["Since", last === null ? <span class="soft">its creation</span> : <Time at={last.at} />],
          last !== null && [
            "By",
            <>
              <Foreign text={last.who} />
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
              </>
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
export function readerOf({ token }: { token: string | null }): string {
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
  if (percents.length === 0) {
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
