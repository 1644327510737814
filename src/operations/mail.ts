import { testMail } from "../delivery/mail-test.ts";
import { noun } from "./operation.ts";

export const mail = noun("mail", async () => (await import("./schema/server-schema.ts")).mail, {
  test: {
    method: "POST",
    path: "/mail/test",
    summary: "Send a test message through the mail server",
    scope: "admin",
    place: "instance",
    confirms: false,
    explains: false,
    run: async ({ app, deployment, caller, body }) =>
      testMail(app, caller, (await deployment.outgoing()).mail, body.address),
  },
});
