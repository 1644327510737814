import { formatCount } from "../../parts/chart.tsx";

/** Reads by the hour as a line; nothing if there were none. */
export function Spark({ reads }: { reads: readonly number[] | undefined }) {
  if (!reads) return null;
  const most = Math.max(...reads);
  const sum = reads.reduce((all, each) => all + each, 0);
  const points = reads.map((each, at) => `${at},${Math.round(10 - (10 * each) / most)}`).join(" ");
  return (
    <svg
      class="spark"
      viewBox={`0 -1 ${reads.length - 1} 12`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${formatCount(sum)} reads in ${reads.length} hours`}
    >
      <polyline points={points} />
    </svg>
  );
}
