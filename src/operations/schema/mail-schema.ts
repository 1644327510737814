import { mailTestSchema, newMailTestSchema } from "../../delivery/mail-test-schema.ts";

export const test = { body: newMailTestSchema, output: mailTestSchema };
