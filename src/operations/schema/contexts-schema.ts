import * as z from "zod/mini";
import { givenSchemas, shownSchemas } from "../../base/kinds/kinds-schema.ts";
import { TEST_CONTEXT } from "../../flags/contexts/test-context.ts";
import { setResult } from "./shared-schema.ts";

const testContextSchema = z.object(shownSchemas(TEST_CONTEXT));

export const list = { output: z.object({ people: z.array(testContextSchema) }) };

export const get = { output: testContextSchema };

export const set = {
  body: z.required(z.strictObject({ context: givenSchemas(TEST_CONTEXT).context })),
  output: z.extend(testContextSchema, setResult),
};
