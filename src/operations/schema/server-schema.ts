import { mailTestSchema, newMailTestSchema } from "../../delivery/mail-test-schema.ts";
import { statusSchema } from "../../maintenance/status-schema.ts";

export const mail = {
  test: { body: newMailTestSchema, output: mailTestSchema },
};

export const server = {
  status: { output: statusSchema },
  backup: {},
};
