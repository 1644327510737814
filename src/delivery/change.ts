import type { TargetRecord } from "./target.ts";

/** A change of targets, as the store applies it. */
export type TargetChange =
  | { change: "insertTarget"; target: TargetRecord }
  | { change: "updateTarget"; target: TargetRecord }
  | { change: "deleteTarget"; id: string };
