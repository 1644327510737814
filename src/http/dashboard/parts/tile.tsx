import type { Child } from "../markup.ts";
import { A } from "./link.tsx";
import { Spark } from "./spark.tsx";

type TileProps = {
  to: string;
  query?: Parameters<typeof A>[0]["query"];
  name: string;
  value: string;
  trend: Child;
  values: readonly number[];
  kind?: "" | "warn";
};

/** A number that leads to what it counts, with its course; `trend` compares it. */
export function Tile({ to, query, name, value, trend, values, kind = "" }: TileProps) {
  return (
    <A to={to} query={query} class="tile">
      <span class="soft small">{name}</span>
      <span class="line">
        <b>{value}</b> {typeof trend === "string" ? <span class="trend">{trend}</span> : trend}
      </span>
      {values.length > 0 && <Spark values={values} kind={kind} />}
    </A>
  );
}

/** `↑ 12 %`, compared with as many days before; nothing without any. */
export function trendOf({ total, before }: { total: number; before: number }, steady = "as before"): Child {
  if (before === 0) return null;
  const percent = Math.round(Math.abs(total / before - 1) * 100);
  if (percent < 3) return steady;
  const isMore = total > before;
  return (
    <span class={isMore ? "trend good" : "trend"}>
      {isMore ? "↑" : "↓"} {percent.toLocaleString("en")} %
    </span>
  );
}
