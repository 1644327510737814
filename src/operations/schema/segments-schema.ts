import * as z from "zod/mini";
import { segmentRuleSchema, segmentSchema } from "../../flags/segment-schema.ts";
import { listQuery, nextSchema, setResult } from "./shared-schema.ts";

export const list = {
  query: listQuery,
  output: z.object({ segments: z.array(segmentSchema), next: nextSchema }),
};

export const get = { output: segmentSchema };

export const set = { body: segmentRuleSchema, output: z.extend(segmentSchema, setResult) };
