import * as z from "zod/mini";
import { depthOf } from "./json.ts";

/** Refuses what has more containers inside containers, before anything goes through all of it. */
export function notDeeper(limit: number, error: string) {
  return z.refine((value: unknown) => depthOf(value, limit) <= limit, { error, abort: true });
}
