import { Hono } from "hono/quick";
import type { App } from "../../app.ts";
import { mailTestSchema, newMailTestSchema } from "../../delivery/mail-test-schema.ts";
import { testMail } from "../../delivery/mail-test.ts";
import type { Outgoing } from "../../delivery/outgoing.ts";
import type { AdminEnv } from "../auth.ts";
import { jsonBody, route } from "./contract.ts";

export function mailRoutes(app: App, { outgoing }: { outgoing: () => Promise<Outgoing> }) {
  return new Hono<AdminEnv>().post(
    "/mail/test",
    route({
      tag: "mail",
      summary: "Send a test message through the mail server",
      scope: "admin",
      confirms: false,
      explains: false,
      schema: mailTestSchema,
    }),
    jsonBody(newMailTestSchema),
    async (c) => {
      const mail = (await outgoing()).mail;
      return c.json(await testMail(app, c.get("caller"), mail, c.req.valid("json").address));
    },
  );
}
