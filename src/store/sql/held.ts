import type { RampedState } from "../../flags/ramps/ramp.ts";
import { IS_GUARDED } from "./rows.ts";

/** The place and the flag of a ramp or an experiment. */
export type HeldRow = {
  project: string;
  environment: string;
  isGuarded: number;
  flagCreatedAt: number | null;
  enabled: number;
  rules: string | null;
};

export const HELD_COLUMNS = `p.slug AS project, e.slug AS environment, ${IS_GUARDED} AS "isGuarded",
  f.created_at AS "flagCreatedAt", coalesce(v.enabled, 0) AS enabled, v.rules`;

/** Ramps or experiments `h` with their place, and with their flag if it exists. */
export const heldFrom = (table: "ramps" | "experiments") => `
  FROM ${table} h
  JOIN environments e ON e.id = h.environment_id
  JOIN projects p ON p.id = e.project_id
  LEFT JOIN flags f ON f.project_id = e.project_id AND f.slug = h.flag
  LEFT JOIN flag_values v ON v.environment_id = h.environment_id AND v.flag_id = f.id`;

/** The flag as it is now; null if it does not exist. */
export function flagOf({ flagCreatedAt, enabled, rules }: HeldRow) {
  return flagCreatedAt === null ? null : { enabled: enabled === 1, rules, createdAt: flagCreatedAt };
}

/** A state of a flag, with its share for a ramp, as it is stored. */
export function stateText({ rules, ...state }: RampedState & { share?: number }): string {
  return JSON.stringify({ ...state, rules: rules === null ? null : JSON.parse(rules) });
}

/** A stored state; only that of a ramp has a share. */
export function stateOf(text: string): RampedState & { share: number } {
  const { rules, ...state } = JSON.parse(text) as { enabled: boolean; share: number; rules: object | null };
  return { ...state, rules: rules === null ? null : JSON.stringify(rules) };
}
