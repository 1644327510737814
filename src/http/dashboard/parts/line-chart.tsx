import { line } from "d3-shape";
import { type ChartProps, Chart, Numbers, Plot, formatCount, heights, rounded } from "./chart.tsx";

/** A point in time of a line chart, with a value for each series; null where there is none. */
export type Point = { label: string; tick?: string | null; values: readonly (number | null)[] };

/** A chart of lines, with its numbers in a table. The first line is whole, the others are dashed. */
export function LineChart({
  id,
  label,
  series,
  points,
  format = formatCount,
}: ChartProps & { points: readonly Point[]; format?: (value: number) => string }) {
  const all = points.flatMap(({ values }) => values.filter((value) => value !== null));
  const y = heights(Math.max(...all, Number.EPSILON));
  const step = 100 / Math.max(1, points.length);
  const x = (index: number) => (index + 0.5) * step;
  const known = points.filter(({ values }) => values.some((value) => value !== null));
  const numbers = (
    <Numbers label={label} series={series}>
      {known.map(({ label, values }) => (
        <tr>
          <th scope="row">{label}</th>
          {values.map((value) => (
            <td class="numeric">{value === null ? "" : format(value)}</td>
          ))}
        </tr>
      ))}
    </Numbers>
  );
  return (
    <Chart id={id} series={series} numbers={numbers}>
      <Plot label={label} scale={y} format={format} ticks={points.map(({ tick }, index) => [x(index), tick])}>
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" width="100%" height="100%">
          {series.map((_, of) => (
            <path
              class={`line s${of + 1}`}
              d={
                line<Point>()
                  .defined(({ values }) => values[of] !== null)
                  .x((_, index) => rounded(x(index)))
                  .y(({ values }) => rounded(y(values[of]!)))([...points]) ?? ""
              }
            />
          ))}
        </svg>
      </Plot>
    </Chart>
  );
}
