import { scaleLinear } from "d3-scale";
import type { Child } from "../markup.ts";
import { Foreign } from "./text.tsx";

/** Places on the chart, in percent of its height from above. */
export function heights(most: number) {
  return scaleLinear().domain([0, most]).nice(4).range([100, 0]);
}

type Heights = ReturnType<typeof heights>;

/** The frame of a chart: its legend, its drawing and its numbers. */
export function Chart({
  id,
  series,
  numbers,
  children,
}: {
  id: string;
  series: readonly string[];
  numbers: Child;
  children?: Child;
}) {
  return (
    <figure class="chart" id={id}>
      {series.length > 1 && (
        <figcaption class="legend">
          {series.map((name, index) => (
            <span>
              <svg class="swatch" aria-hidden="true">
                <line class={`line s${index + 1}`} x2="100%" y1="50%" y2="50%" />
              </svg>
              <Foreign text={name} />
            </span>
          ))}
        </figcaption>
      )}
      <div class="plot">{children}</div>
      {numbers}
    </figure>
  );
}

/** The drawing between its axes. Lengths in percent let it grow and shrink while its letters keep their size. */
export function Plot({
  label,
  scale,
  ticks,
  format = compact,
  children,
}: {
  label: string;
  scale: Heights;
  ticks: readonly (readonly [x: number, text: string | null | undefined])[];
  format?: (value: number) => string;
  children?: Child;
}) {
  const steps = scale.ticks(4);
  return (
    <>
      <svg class="axis up" aria-hidden="true">
        {steps.map((value) => (
          <text x="100%" y={percent(scale(value))} dy="0.32em">
            {format(value)}
          </text>
        ))}
      </svg>
      <svg class="drawing" role="img" aria-label={label}>
        {steps.map((value) => (
          <line class="rule" x2="100%" y1={percent(scale(value))} y2={percent(scale(value))} />
        ))}
        {children}
      </svg>
      <svg class="axis along" aria-hidden="true">
        {ticks.map(
          ([x, text]) =>
            text && (
              <text x={percent(x)} y="100%">
                {text}
              </text>
            ),
        )}
      </svg>
    </>
  );
}

/** The numbers of a chart, a row for each `tr` in it. */
export function Numbers({
  label,
  series,
  unit,
  children,
}: {
  label: string;
  series: readonly string[];
  unit?: string | undefined;
  children?: Child;
}) {
  return (
    <details>
      <summary>Numbers</summary>
      <div class="scrolled" tabindex={0} role="group" aria-label={label}>
        <table>
          <thead>
            <tr>
              <td></td>
              {series.map((name) => (
                <th scope="col" class="numeric">
                  <Foreign text={name} />
                </th>
              ))}
              {unit && series.length > 1 && (
                <th scope="col" class="numeric">
                  {unit}
                </th>
              )}
            </tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      </div>
    </details>
  );
}

/** A number with two decimals, as drawings have it. */
export function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

export function percent(value: number): string {
  return `${rounded(value)}%`;
}

const whole = new Intl.NumberFormat("en");

/** A number with its thousands apart. Much faster than `toLocaleString`, which makes a format for each number. */
export function formatCount(value: number): string {
  return whole.format(value);
}

const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

function compact(value: number): string {
  return Number.isInteger(value) ? short.format(value) : "";
}
