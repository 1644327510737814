import * as z from "zod/mini";
import { RULE_LIMITS } from "../flags/limits.ts";
import { depthOf } from "./json.ts";

/** Refuses what has more containers inside containers, before anything goes through all of it. */
export function notDeeper(limit: number, error: string) {
  return z.refine((value: unknown) => depthOf(value, limit) <= limit, { error, abort: true });
}

export const ruleDepth = notDeeper(RULE_LIMITS.depth, `a rule has at most ${RULE_LIMITS.depth} levels`);
