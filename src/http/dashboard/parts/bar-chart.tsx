import { stack } from "d3-shape";
import { addressOf, useView } from "../view.ts";
import { type ChartProps, Chart, Numbers, Plot, formatCount, heights, percent } from "./chart.tsx";
import { A } from "./link.tsx";

type Place = { to: string; query?: Parameters<typeof addressOf>[2] };

/** A bar, with a value for each series of its chart. */
export type Bar = {
  /** Names it in its table, such as `22 Nov`. */
  label: string;
  values: readonly number[];
  /** Label below the bar; null for none. */
  tick?: string | null;
  /** The page that it leads to. */
  link?: Place;
  /** Marks it with a line, and says why. */
  mark?: string | null;
  /** Changes of flags that the line stands for. */
  flags?: readonly { flag: string; text: string }[];
};

/** A chart of stacked bars, with its numbers in a table. */
export function BarChart({
  id,
  label,
  series,
  unit,
  bars,
}: ChartProps & { unit?: string; bars: readonly Bar[] }) {
  const layers = stack<unknown, Bar, number>()
    .keys(series.map((_, index) => index))
    .value(({ values }, index) => values[index] ?? 0)([...bars]);
  const y = heights(Math.max(1, ...bars.map(({ values }) => sum(values))));
  const step = 100 / Math.max(1, bars.length);
  const numbers = (
    <Numbers label={label} series={series} unit={unit}>
      {bars.map((bar) => (
        <tr>
          <th scope="row">
            {bar.link ? <A {...bar.link}>{bar.label}</A> : bar.label}
            {bar.mark && <span class="soft"> {bar.mark}</span>}
          </th>
          {bar.values.map((value) => (
            <td class="numeric">{formatCount(value)}</td>
          ))}
          {unit && series.length > 1 && <td class="numeric">{formatCount(sum(bar.values))}</td>}
        </tr>
      ))}
    </Numbers>
  );
  return (
    <Chart id={id} series={series} hasPatterns numbers={numbers}>
      <Plot label={label} scale={y} ticks={bars.map(({ tick }, index) => [(index + 0.5) * step, tick])}>
        <Patterns id={id} count={series.length} />
        {bars.map(({ label, values, mark, flags, link }, index) => (
          <g>
            {!link && <title>{titleOf(label, values, series, mark)}</title>}
            {layers.map((layer, of) => {
              const [from, to] = layer[index]!;
              if (to <= from) return null;
              return (
                <rect
                  x={percent((index + 0.15) * step)}
                  width={percent(0.7 * step)}
                  y={percent(y(to))}
                  height={percent(y(from) - y(to))}
                  fill={`url(#${id}-${of + 1})`}
                />
              );
            })}
            {mark && <MarkAt x={(index + 0.5) * step} flags={flags ?? []} />}
          </g>
        ))}
      </Plot>
      {bars.some(({ link }) => link) && <BarLinks bars={bars} series={series} />}
    </Chart>
  );
}

/** Links over the bars, each as high as the chart. If they would be narrower than a fingertip, the table has them. */
function BarLinks({ bars, series }: { bars: readonly Bar[]; series: readonly string[] }) {
  const view = useView();
  return (
    <div class="over">
      {bars.map(({ label, values, mark, link }) => {
        if (!link) return <span />;
        const title = titleOf(label, values, series, mark);
        return <a href={addressOf(view, link.to, link.query)} title={title} aria-label={title}></a>;
      })}
    </div>
  );
}

function titleOf(
  label: string,
  values: readonly number[],
  series: readonly string[],
  mark: string | null | undefined,
): string {
  const total = formatCount(sum(values));
  const parts = series
    .map((name, index) => ({ name, value: values[index] ?? 0 }))
    .filter(({ value }) => value > 0)
    .map(({ name, value }) => `${name} ${formatCount(value)}`);
  const each = series.length > 1 && parts.length > 0 ? ` (${parts.join(", ")})` : "";
  return `${label}: ${total}${each}${mark ? `, ${mark}` : ""}`;
}

/** A dashed line with a flag on its top, which names the flags that changed. */
function MarkAt({ x, flags }: { x: number; flags: NonNullable<Bar["flags"]> }) {
  return (
    <svg class="mark-at" x={percent(x)} data-tick="flag">
      <line y2="100%" />
      {flags.length === 0 && <path d="M0 0h6l-2 3 2 3h-6z" />}
      {flags.map(({ flag, text }) => (
        <g data-tick={flag}>
          <title>{text}</title>
          <path d="M0 0h6l-2 3 2 3h-6z" />
        </g>
      ))}
    </svg>
  );
}

/** Lines over the colour of each series, so that colours need not be told apart. */
const HATCHES: (string | null)[] = [null, "M0 6 6 0", "M3 0V6", "M0 3H6", "M0 0 6 6M0 6 6 0"];

function Patterns({ id, count }: { id: string; count: number }) {
  return (
    <defs>
      {HATCHES.slice(0, count).map((hatch, index) => (
        <pattern id={`${id}-${index + 1}`} width="6" height="6" patternUnits="userSpaceOnUse">
          <rect class={`fill s${index + 1}`} width="6" height="6" />
          {hatch && <path class="hatch" d={hatch} />}
        </pattern>
      ))}
    </defs>
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
