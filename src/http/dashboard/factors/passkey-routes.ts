import { Hono } from "hono/quick";
import * as z from "zod/mini";
import type { Caller } from "../../../access/caller.ts";
import { newCredentialSchema, usedCredentialSchema } from "../../../access/factors/credential-schema.ts";
import { beginPresenting } from "../../../access/factors/presented.ts";
import { addPasskey, beginPasskey, beginSignIn, signInByPasskey } from "../../../access/factors/passkeys.ts";
import { siteOf } from "../../../access/factors/site.ts";
import { AppError } from "../../../base/errors.ts";
import { formatBytes } from "../../../base/bytes.ts";
import { isoTime } from "../../../base/clock.ts";
import { actOf } from "../../../documents/changes/reviews.ts";
import { changes } from "../../../operations/changes/changes.ts";
import { approvedText } from "../changes/proposals.tsx";
import { PROPOSAL, changePath } from "../notice-pages.ts";
import { parseJson, readAll } from "../../body.ts";
import { MAX_PASSKEY_BODY } from "../../limits.ts";
import { nextPath } from "../access/sign-in.tsx";
import type { DashboardContext, DashboardEnv } from "../dashboard-env.ts";
import { type Dashboard, browserOf } from "../routes.ts";
import { requireOwnJson } from "../security.ts";

const [SIGN_IN, MINE] = ["/sign-in/passkey", "/me/passkeys"];

/** The paths that take JSON of a page's script instead of a form, and answer with JSON. */
const JSON_PATHS: ReadonlySet<string> = new Set([SIGN_IN, MINE].flatMap((path) => [path, `${path}/options`]));

const APPROVE = `${PROPOSAL}/approve/passkey` as const;

/** The same path of any change. */
const APPROVE_PATH = new RegExp(`^${APPROVE.replaceAll(/:\w+/g, "[^/]+")}(/options)?$`);

/** Whether a path behind that of the dashboard takes JSON. */
export function isJsonPath(path: string): boolean {
  return JSON_PATHS.has(path) || APPROVE_PATH.test(path);
}

const newPasskeySchema = z.object({ name: z.string(), credential: newCredentialSchema });

const etagSchema = z.string().check(z.maxLength(200));

const approvalSchema = z.object({ credential: usedCredentialSchema, etag: etagSchema });

const signInSchema = z.object({ credential: usedCredentialSchema, next: z.optional(z.string()) });

/** The routes of the script of passkeys: it fetches challenges, and sends the answers of devices. */
export function passkeyRoutes(
  { app, options, root, cookies, enter, perform }: Dashboard,
  callerOf: (c: DashboardContext) => Caller,
) {
  const originOf = (c: DashboardContext) => requireOwnJson(c.req.raw, options.dashboardUrl);
  const selfOf = (c: DashboardContext) => {
    const caller = callerOf(c);
    const { user, session } = c.get("session")!.signedIn;
    return { caller, self: { user: user.name, session: session.id } };
  };
  /** The ticket of the browser, which goes with this answer. */
  const takeTicket = (c: DashboardContext) => {
    const ticket = cookies.challenge.read(c) ?? "";
    cookies.challenge.set(c, null);
    return ticket;
  };

  return new Hono<DashboardEnv>()
    .post(`${MINE}/options`, async (c) => {
      const [origin, { caller, self }] = [originOf(c), selfOf(c)];
      await readBody(c, z.unknown());
      const { options, ticket } = await beginPasskey(app, caller, self, siteOf(origin));
      cookies.challenge.set(c, ticket);
      return c.json(options);
    })
    .post(MINE, async (c) => {
      const [origin, { caller, self }] = [originOf(c), selfOf(c)];
      const { name, credential } = await readBody(c, newPasskeySchema);
      const given = { name, credential, ticket: takeTicket(c), site: siteOf(origin) };
      const made = await addPasskey(app, caller, self, given);
      const text = `Added the passkey ${made.name}. Every other session has ended.`;
      cookies.setFlash(c, c.get("session")!.secret, { text });
      return c.json({ id: made.id, name: made.name, createdAt: isoTime(made.createdAt) }, 201);
    })
    .post(`${APPROVE}/options`, async (c) => {
      const [origin, caller, names] = [originOf(c), callerOf(c), c.req.param()];
      c.set("caller", caller);
      const { etag } = await readBody(c, z.object({ etag: etagSchema }));
      const { change } = await perform(c, changes.get, { names });
      const act = actOf({ ...change, etag });
      const { options, ticket } = await beginPresenting(app, caller, act, siteOf(origin));
      cookies.challenge.set(c, ticket);
      return c.json(options);
    })
    .post(APPROVE, async (c) => {
      const [origin, caller, names] = [originOf(c), callerOf(c), c.req.param()];
      const { credential, etag } = await readBody(c, approvalSchema);
      const passkey = { credential, ticket: takeTicket(c), site: siteOf(origin) };
      c.set("caller", { ...caller, passkey });
      const { change } = await perform(c, changes.approve, { names, etag });
      cookies.setFlash(c, c.get("session")!.secret, { text: approvedText(change) });
      return c.json({ to: root + changePath(change.project, change.id) });
    })
    .post(`${SIGN_IN}/options`, async (c) => {
      const origin = originOf(c);
      await readBody(c, z.unknown());
      const { options, ticket } = await beginSignIn(app, siteOf(origin));
      cookies.challenge.set(c, ticket);
      return c.json(options);
    })
    .post(SIGN_IN, async (c) => {
      const origin = originOf(c);
      const { credential, next = "" } = await readBody(c, signInSchema);
      const given = { credential, ticket: takeTicket(c), site: siteOf(origin) };
      const session = await signInByPasskey(app, given, browserOf(c));
      cookies.begun.set(c, null);
      await enter(c, session);
      return c.json({ to: `${root}${nextPath(next)}` });
    });
}

/** The JSON of a body as a schema has it. Throws `invalid`, `too_large`. */
async function readBody<T>(c: DashboardContext, schema: z.ZodMiniType<T>): Promise<T> {
  const tooLarge = () =>
    new AppError("too_large", `a passkey and its name have at most ${formatBytes(MAX_PASSKEY_BODY)}`);
  const bytes = await readAll(c.req.raw, MAX_PASSKEY_BODY, tooLarge);
  const { data, error } = z.safeParse(schema, parsed(bytes));
  if (!error) return data;
  const [{ path }] = error.issues as [z.core.$ZodIssue];
  throw new AppError("invalid", `the body is not what a passkey makes: ${path.join(".") || "no object"}`);
}

function parsed(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) return undefined;
  return parseJson(bytes);
}
