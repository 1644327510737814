import { differenceInWords, intervalInWords, percentOf, signed } from "../../../experiments/result-words.ts";
import type { Results } from "../../../experiments/results.ts";
import { Card } from "../parts/card.tsx";
import { percent } from "../parts/spark.tsx";
import { Badge, type Tone } from "../parts/status.tsx";
import { Table } from "../parts/table.tsx";
import { Foreign, counted } from "../parts/text.tsx";

type Metric = Results["metrics"][number];
type Variant = Metric["variants"][number];

/** Visitors and conversions of each variant by one metric. */
export function MetricCard({
  metric: { metric, primary, variants },
  index,
}: {
  metric: Metric;
  index: number;
}) {
  const most = Math.max(0, ...variants.flatMap(({ interval }) => interval?.map(Math.abs) ?? []));
  return (
    <Card
      id={`metric-${index}`}
      title={
        <>
          <Foreign text={metric} />
          {primary && <Badge tone="info">decides</Badge>}
        </>
      }
    >
      <Table
        caption={metric}
        rows={variants}
        keyOf={({ variant }) => `metric-${index}-${variant}`}
        columns={[
          { label: "Variant", heading: true, cell: ({ variant }) => <Foreign text={variant} /> },
          { label: "Visitors", numeric: true, cell: ({ visitors }) => visitors.toLocaleString("en") },
          {
            label: "Conversions",
            numeric: true,
            cell: ({ conversions }) => conversions.toLocaleString("en"),
          },
          { label: "Rate", numeric: true, cell: ({ rate }) => <span class="whole">{percentOf(rate)}</span> },
          { label: "Difference", numeric: true, cell: (each) => <Difference variant={each} /> },
          { label: "Interval", cell: (each) => <Interval variant={each} most={most} /> },
          { label: "Verdict", cell: (each) => <Verdict variant={each} /> },
        ]}
      />
    </Card>
  );
}

function Difference({ variant: { difference } }: { variant: Variant }) {
  return <span class="whole">{difference === null ? "–" : `${signed(difference)} %`}</span>;
}

const TONES: Record<Exclude<Variant["verdict"], "too-few" | null>, Tone> = {
  better: "good",
  worse: "bad",
  undecided: "neutral",
};

function Verdict({ variant }: { variant: Variant }) {
  const { verdict } = variant;
  if (verdict === null || verdict === "too-few")
    return <span class="soft">{differenceInWords(variant)}</span>;
  return <Badge tone={TONES[verdict]}>{verdict}</Badge>;
}

/** The interval of a difference as a bar around zero, which is in the middle; `most` is the end of the scale. */
function Interval({ variant, most }: { variant: Variant; most: number }) {
  const { difference, interval, verdict } = variant;
  if (interval === null || difference === null || verdict === null || verdict === "too-few") return "–";
  const x = (value: number) => (most === 0 ? 50 : 50 + (value / most) * 48);
  const [low, high] = interval;
  return (
    <div class="interval">
      <svg role="img" aria-label={differenceInWords(variant)} class={TONES[verdict]}>
        <line class="rule" x1="50%" x2="50%" y2="100%" />
        <rect x={percent(x(low))} width={percent(x(high) - x(low))} y="25%" height="50%" rx="3" />
        <line x1={percent(x(difference))} x2={percent(x(difference))} y1="10%" y2="90%" />
      </svg>
      <span class="soft small">{intervalInWords(interval)}</span>
    </div>
  );
}

/** How results are calculated, and whether visitors are split as planned. */
export function Method({ results: { method, ratio, mixed, minDays, days } }: { results: Results }) {
  return (
    <details class="card" id="method">
      <summary>How this is calculated</summary>
      <div class="stack">
        <p>
          The intervals hold at every moment: look as often as you like, and stop when you have seen enough.
          The verdict is better or worse once an interval leaves zero. A winner is named after{" "}
          {counted(minDays, "day")} at the earliest; {counted(days, "day")} {days === 1 ? "has" : "have"}{" "}
          passed.
        </p>
        <Table
          caption="Split of the visitors"
          rows={Object.keys(ratio.seen)}
          columns={[
            { label: "Variant", heading: true, cell: (variant) => <Foreign text={variant} /> },
            {
              label: "Planned visitors",
              numeric: true,
              cell: (variant) => Math.round(ratio.expected[variant]!).toLocaleString("en"),
            },
            {
              label: "Seen",
              numeric: true,
              cell: (variant) => ratio.seen[variant]!.toLocaleString("en"),
            },
          ]}
        />
        <p class="soft">
          Evidence against the planned split: {ratio.evidence.toFixed(1)}, as a power of ten; an alarm from 3
          on. Visitors who have seen two variants: {mixed.toLocaleString("en")}.
        </p>
        <p class="soft">{method[0]!.toUpperCase() + method.slice(1)}.</p>
      </div>
    </details>
  );
}
