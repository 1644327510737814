import { Hono } from "hono/quick";
import * as z from "zod/mini";
import type { App } from "../../app.ts";
import type { Outgoing } from "../../delivery/outgoing.ts";
import {
  newTargetSchema,
  rotatedSecretSchema,
  rotationSchema,
  targetPatchSchema,
  targetSecretSchema,
  targetTestSchema,
  targetViewSchema,
} from "../../delivery/target-schema.ts";
import {
  addTarget,
  deleteTarget,
  getTarget,
  listTargets,
  rotateSecret,
  setTargetEnabled,
  testTarget,
} from "../../forms/targets.ts";
import type { AdminEnv } from "../auth.ts";
import { jsonBody, route } from "./contract.ts";

const tag = "targets";
const OF_FORM = "/forms/:form/targets";
const ONE = "/targets/:target";

const setTargetSchema = z.extend(targetViewSchema, { result: z.enum(["updated", "unchanged"]) });

export function targetRoutes(app: App, { outgoing }: { outgoing: () => Promise<Outgoing> }) {
  return new Hono<AdminEnv>()
    .get(
      OF_FORM,
      route({
        tag,
        summary: "List the targets of a form, oldest first, with masked URLs",
        scope: "forms:read",
        schema: z.object({ targets: z.array(targetViewSchema) }),
      }),
      async (c) => c.json({ targets: await listTargets(app, c.req.param("form")) }),
    )
    .post(
      OF_FORM,
      route({
        tag,
        summary: "Add a target to a form; the secret of a webhook is shown once",
        scope: "forms:write",
        status: 201,
        schema: targetSecretSchema,
      }),
      jsonBody(newTargetSchema),
      async (c) => {
        const [form, { target }] = [c.req.param("form"), c.req.valid("json")];
        return c.json(await addTarget(app, c.get("caller"), form, target, await outgoing()), 201);
      },
    )
    .get(
      ONE,
      route({
        tag,
        summary: "Get a target, with a masked URL",
        scope: "forms:read",
        schema: targetViewSchema,
      }),
      async (c) => c.json(await getTarget(app, c.req.param("target"))),
    )
    .patch(
      ONE,
      route({ tag, summary: "Enable or disable a target", scope: "forms:write", schema: setTargetSchema }),
      jsonBody(targetPatchSchema),
      async (c) => {
        const [id, { enabled }] = [c.req.param("target"), c.req.valid("json")];
        const { target, result } = await setTargetEnabled(app, c.get("caller"), id, enabled);
        return c.json({ ...target, result });
      },
    )
    .delete(ONE, route({ tag, summary: "Delete a target", scope: "forms:write", status: 204 }), async (c) => {
      await deleteTarget(app, c.get("caller"), c.req.param("target"));
      return c.body(null, 204);
    })
    .post(
      `${ONE}/test`,
      route({
        tag,
        summary: "Send a sample to a target and show how it was answered",
        scope: "forms:write",
        schema: targetTestSchema,
      }),
      async (c) => {
        const id = c.req.param("target");
        const { code, error, outcome } = await testTarget(app, c.get("caller"), id, await outgoing());
        return c.json({ code, error, outcome });
      },
    )
    .post(
      `${ONE}/rotate`,
      route({
        tag,
        summary: "Give a webhook a new secret, which is shown once",
        scope: "forms:write",
        schema: rotatedSecretSchema,
      }),
      jsonBody(rotationSchema),
      async (c) => {
        const [id, { overlap }] = [c.req.param("target"), c.req.valid("json")];
        return c.json(await rotateSecret(app, c.get("caller"), id, overlap));
      },
    );
}
