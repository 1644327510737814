import { type Figure, formatValue, reaches } from "./figure.ts";

const ROW = 26;
const HEAD = 34;
const LABELS = 630;
const BARS = 240;
const WIDTH = LABELS + BARS + 200;
/** A bar ends at this multiple of its goal. */
const MOST = 2;

/** The figures with goals as an SVG bar chart for light and dark pages. */
export function chartOf(figures: Figure[]): string {
  const parts = Map.groupBy(
    figures.filter(({ goal }) => goal !== null),
    ({ part }) => part,
  );
  const lines: string[] = [];
  let y = 10;
  for (const [part, group] of parts) {
    y += HEAD;
    lines.push(`<text class="part" x="16" y="${y - 10}">${part}</text>`);
    for (const figure of group) {
      lines.push(rowOf(figure, y));
      y += ROW;
    }
  }
  const goalX = LABELS + BARS / MOST;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y + 40}" role="img" aria-label="formflag against its goals">
<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328; }
.part { font-weight: 600; font-size: 15px; }
.quiet { fill: #59636e; }
.page { fill: #ffffff; }
.track { fill: #eaeef2; }
.reached { fill: #1a7f37; }
.missed { fill: #bc4c00; }
.goal { stroke: #1f2328; stroke-dasharray: 3 3; }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc; }
  .quiet { fill: #9198a1; }
  .page { fill: #0d1117; }
  .track { fill: #21262d; }
  .reached { fill: #3fb950; }
  .missed { fill: #f0883e; }
  .goal { stroke: #f0f6fc; }
}
</style>
<rect class="page" width="100%" height="100%"/>
${lines.join("\n")}
<line class="goal" x1="${goalX}" x2="${goalX}" y1="30" y2="${y + 4}"/>
<text class="quiet" x="${goalX}" y="${y + 22}" text-anchor="middle">goal; longer is better</text>
</svg>
`;
}

function rowOf(figure: Figure, y: number): string {
  const { name, value, goal, unit = "" } = figure;
  const aim = Number(goal!.slice(1));
  const share = goal!.startsWith("≥") ? value / aim : aim / value;
  const length = (Math.min(share, MOST) / MOST) * BARS;
  return `<text x="16" y="${y + 15}">${Bun.escapeHTML(name)}</text>
<rect class="track" x="${LABELS}" y="${y + 4}" width="${BARS}" height="14" rx="3"/>
<rect class="${reaches(figure) ? "reached" : "missed"}" x="${LABELS}" y="${y + 4}" width="${length.toFixed(1)}" height="14" rx="3"/>
<text x="${LABELS + BARS + 12}" y="${y + 15}">${formatValue(value)}${unit}<tspan class="quiet">  goal ${Bun.escapeHTML(goal!)}</tspan></text>`;
}
