import { Tile, trendOf } from "../parts/tile.tsx";
import { roughDuration } from "../../../base/units.ts";
import type { Numbers } from "../../../maintenance/numbers.ts";
import { formatCount } from "../parts/text.tsx";
import { SegLinks } from "../parts/seg.tsx";

/** The spans that the page offers, in days. */
const RANGES = [7, 30, 90];

/** Four numbers of the last days, each with its course. */
export function NumbersCard({ numbers, days }: { numbers: Numbers; days: number }) {
  const { submissions, spam, answers, reads } = numbers;
  const ranges = RANGES.includes(days) ? RANGES : [...RANGES, days].toSorted((a, b) => a - b);
  return (
    <section class="stack" aria-labelledby="numbers">
      <div class="title">
        <h2 id="numbers">Numbers</h2>
        <SegLinks
          label="Range"
          class="end"
          choices={ranges.map((each) => ({
            to: "/",
            query: { days: each },
            label: each === 1 ? "1 day" : `${each} days`,
            isCurrent: each === days,
          }))}
        />
      </div>
      <div class="tiles">
        {submissions && (
          <Tile
            to="/inbox"
            name="Submissions"
            value={formatCount(submissions.total)}
            trend={trendOf(submissions)}
            values={submissions.byDay}
          />
        )}
        {submissions && spam && (
          <Tile
            to="/inbox"
            query={{ folder: "spam", since: numbers.days[0]! }}
            name="Spam kept away"
            value={formatCount(spam.total)}
            trend={spam.total > 0 && `${percentOf(spam.total, spam.total + submissions.total)} % of all`}
            values={spam.byDay}
          />
        )}
        {answers && <FirstAnswer {...answers} />}
        {reads && (
          <Tile
            to="/projects"
            name="Flag reads"
            value={formatCount(reads.total)}
            trend={trendOf(reads, "steady")}
            values={reads.byDay}
          />
        )}
      </div>
    </section>
  );
}

/** Seconds from which on a median that rose is a worse one, and the share of it. */
const WORSE = 300;
const SHARE = 0.1;

function FirstAnswer({ median, before, byDay }: NonNullable<Numbers["answers"]>) {
  const change = median === null || before === null ? 0 : median - before;
  const isWorse = change >= WORSE && change > before! * SHARE;
  const trend =
    Math.abs(change) < 60 ? null : (
      <span class={isWorse ? "trend warn" : "trend"}>
        {change < 0 ? "−" : "+"}
        {roughDuration(Math.abs(change))}
      </span>
    );
  const known = byDay.filter((each) => each !== null);
  return (
    <Tile
      to="/inbox"
      name="First answer, median"
      value={median === null ? "–" : roughDuration(median)}
      trend={median === null ? "nothing was answered" : trend}
      values={known}
      kind={isWorse ? "warn" : ""}
    />
  );
}

function percentOf(part: number, whole: number): number {
  return Math.round((100 * part) / whole);
}
