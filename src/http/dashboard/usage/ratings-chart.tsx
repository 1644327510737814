import type { Ratings } from "../../../flags/previews/feedback.ts";

const [WIDTH, ROW, BAR, LABEL, VALUE] = [320, 24, 14, 20, 56];

/** How often each rating was given, as bars and as a table. */
export function RatingsChart({ ratings: { count, mean, ratings } }: { ratings: Ratings }) {
  const rows = [5, 4, 3, 2, 1].map((rating) => ({ rating, count: ratings[rating] ?? 0 }));
  const most = Math.max(1, ...rows.map((row) => row.count));
  const lengthOf = (value: number) => Math.round((value / most) * (WIDTH - LABEL - VALUE));
  return (
    <section class="card" aria-labelledby="ratings">
      <h2 id="ratings">
        {mean === null ? "No ratings" : `${mean.toLocaleString("en")} of 5`}
        <span class="soft small">
          {count.toLocaleString("en")} {count === 1 ? "rating" : "ratings"}
        </span>
      </h2>
      <svg
        class="ratings"
        viewBox={`0 0 ${WIDTH} ${rows.length * ROW}`}
        role="img"
        aria-label={`Ratings: ${rows.map((row) => `${row.rating} given ${row.count} times`).join(", ")}`}
      >
        {rows.map((row, at) => (
          <g>
            <text x="0" y={at * ROW + 16}>
              {row.rating}
            </text>
            <rect x={LABEL} y={at * ROW + (ROW - BAR) / 2} width={lengthOf(row.count)} height={BAR} rx="3" />
            <text x={LABEL + lengthOf(row.count) + 6} y={at * ROW + 16}>
              {row.count.toLocaleString("en")}
            </text>
          </g>
        ))}
      </svg>
      <details>
        <summary>As a table</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">Rating</th>
              <th scope="col" class="numeric">
                Times
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr>
                <th scope="row">{row.rating}</th>
                <td class="numeric">{row.count.toLocaleString("en")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  );
}
