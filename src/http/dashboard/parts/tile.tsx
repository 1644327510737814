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
