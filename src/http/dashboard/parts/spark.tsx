/** Values as a line, from the oldest to the newest. `label` says it in words; without one, the text beside it does. */
export function Spark({
  values,
  label,
  kind = "",
}: {
  values: readonly number[];
  label?: string;
  kind?: "" | "row" | "warn";
}) {
  const most = Math.max(1, ...values);
  const place = (each: number, at: number) =>
    `${round((100 * at) / Math.max(1, values.length - 1))},${round(29 - (27 * each) / most)}`;
  const points = (values.length === 1 ? [values[0]!, values[0]!] : values).map(place).join(" ");
  return (
    <svg
      class={kind === "" ? "spark" : `spark ${kind}`}
      viewBox="0 0 100 30"
      preserveAspectRatio="none"
      role={label === undefined ? undefined : "img"}
      aria-label={label}
      aria-hidden={label === undefined ? "true" : undefined}
    >
      <polygon points={`0,30 ${points} 100,30`} />
      <polyline points={points} />
    </svg>
  );
}

/** Percentages as parts of one bar, in the colours `a` and `b`; the rest is grey. The text beside it says the same. */
export function Share({ percents }: { percents: readonly number[] }) {
  let from = 0;
  return (
    <svg class="share" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
      <rect width="100" height="1" />
      {percents.map((percent, at) => {
        const x = from;
        from += percent;
        return <rect class={at % 2 === 0 ? "a" : "b"} x={round(x)} width={round(percent)} height="1" />;
      })}
    </svg>
  );
}

/** A number with two decimals, as drawings have it. */
export function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

export function percent(value: number): string {
  return `${rounded(value)}%`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
