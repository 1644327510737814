import { chartOf } from "./chart.ts";
import { type Figure, formatValue, reaches } from "./figure.ts";

const PAGE = "docs/reference/figures.md";
const RAW = "docs/explanation/benchmark.json";
const CHART = "docs/explanation/benchmark.svg";

/** Puts figures in the place of those of the same parts, in the raw file, the chart and the table of the page, below its text. */
export async function saveFigures(measured: Figure[]): Promise<void> {
  const parts = new Set(measured.map(({ part }) => part));
  const before = (await Bun.file(RAW).json()) as Figure[];
  const kept = Map.groupBy(before, ({ part }) => part);
  for (const part of parts)
    kept.set(
      part,
      measured.filter((figure) => figure.part === part),
    );
  const figures = [...kept.values()].flat();
  await Bun.write(RAW, `${JSON.stringify(figures, null, 2)}\n`);
  await Bun.write(CHART, chartOf(figures));
  const page = await Bun.file(PAGE).text();
  await Bun.write(PAGE, page.slice(0, page.indexOf("\n| ") + 1) + tableOf(figures));
}

/** A row for each figure that has a goal. */
function tableOf(figures: Figure[]): string {
  const rows = figures
    .filter(({ goal }) => goal !== null)
    .map((figure) => {
      const { part, name, goal, value, unit = "" } = figure;
      return `| ${part} | ${name} | ${formatValue(value)}${unit} | ${reaches(figure) ? "✓" : "✗"} ${goal} |`;
    });
  return ["| part | figure | median | goal |", "| --- | --- | --- | --- |", ...rows, ""].join("\n");
}
