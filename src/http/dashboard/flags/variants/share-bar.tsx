/** Shares of variants as one bar in their colours; the fields beside it hold their numbers. */
export function ShareBar({
  row,
  shares,
  colours,
}: {
  row: string;
  shares: readonly { variant: string; percent: string }[];
  colours: ReadonlyMap<string, string>;
}) {
  const widths = shares.map(({ percent }) => Math.min(100, Math.max(0, Number(percent) || 0)));
  return (
    <svg
      class="share-bar"
      data-part={`shares-${row}`}
      viewBox="0 0 100 1"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {shares.map(({ variant }, at) => (
        <rect
          x={widths.slice(0, at).reduce((sum, width) => sum + width, 0)}
          width={widths[at]}
          height="1"
          fill={colours.get(variant)}
        />
      ))}
    </svg>
  );
}
