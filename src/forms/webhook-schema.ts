import * as z from "zod/mini";
import { timestamp } from "../base/slug-schema.ts";
import { fileSchema, submissionSchema } from "./submission-schema.ts";

const webhookSchema = z.object({
  type: z
    .enum(["submission.created", "submission.check", "submission.test"])
    .check(
      z.describe(
        "`submission.check` asks an external check before the submission is stored. `submission.test` has a sample, which is not stored.",
      ),
    ),
  timestamp: timestamp.check(z.describe("When the submission arrived, in ISO 8601.")),
  data: z.extend(submissionSchema, {
    data: z
      .record(z.string(), z.any())
      .check(z.describe("The fields, with their numbers as they were sent.")),
    files: z.array(
      z.extend(fileSchema, {
        url: z.string().check(z.describe("A signed link to the bytes, which works for 14 days.")),
      }),
    ),
  }),
});

/** The schema of the body of a webhook as JSON Schema, draft 2020-12. */
export function webhookJsonSchema(): object {
  return { title: "A webhook of formflag", ...z.toJSONSchema(webhookSchema) };
}
