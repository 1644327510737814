import * as z from "zod/mini";
import { anyObject } from "../../base/shapes/json-schema.ts";
import { setResult } from "./shared-schema.ts";

const testContextSchema = z.object({ name: z.string(), context: z.record(z.string(), z.unknown()) });

export const list = { output: z.object({ people: z.array(testContextSchema) }) };

export const get = { output: testContextSchema };

export const set = {
  body: z.strictObject({ context: anyObject("the context is a JSON object") }),
  output: z.extend(testContextSchema, setResult),
};
