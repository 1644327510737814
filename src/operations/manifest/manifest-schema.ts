import * as z from "zod/mini";
import { MANIFEST_TYPES } from "../../flags/manifest/manifest.ts";

export const get = {
  output: z.object({
    flags: z.array(
      z.object({
        key: z.string(),
        name: z.string(),
        type: z.enum(MANIFEST_TYPES),
        description: z.string(),
        defaultValue: z.any(),
      }),
    ),
  }),
};
