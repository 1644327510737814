import * as z from "zod/mini";
import { depthOf } from "./json.ts";

/** A check that a value has at most `limit` nested containers. It aborts, so that no later check recurses deeper. */
export function notDeeper(limit: number, error: string) {
  return z.refine((value: unknown) => depthOf(value, limit) <= limit, { error, abort: true });
}
