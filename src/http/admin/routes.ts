import type { Context } from "hono";
import type { Hono } from "hono/quick";
import { type Browser, NO_BROWSER } from "../../access/session.ts";
import type { Caller } from "../../access/caller.ts";
import type { App } from "../../app.ts";
import { createTurns } from "../../base/event-loop.ts";
import { AppError } from "../../base/errors.ts";
import { stringifyMembers } from "../../base/json/json-turns.ts";
import { utf8Text } from "../../base/bytes.ts";
import type { Deployment, Download } from "../../operations/deployment.ts";
import type { ProposalView } from "../../documents/changes/proposal.ts";
import {
  ADMIN_PATH,
  type Call,
  OMITTED,
  type Operation,
  type Schemas,
  addressOf,
} from "../../operations/operation.ts";
import { changes } from "../../operations/changes/changes.ts";
import { type Detour, performBy, withPage } from "../../operations/changes/perform.ts";
import { checkBody, checkQuery } from "../../operations/schema/check.ts";
import { limitKey } from "../address.ts";
import { attachment } from "../attachment.ts";
import { type AdminEnv, BYPASS, PROPOSE, open, requires } from "../auth.ts";
import type { Report } from "../errors.ts";
import { streamOf } from "../exports.ts";

export const JSON_LINES = "application/jsonl";

/** Status of the answer to a call that succeeds. */
export function successOf({ status, media }: Operation, { output }: Schemas): 200 | 201 | 204 {
  return status ?? (output || media ? 200 : 204);
}

type Server = { app: App; deployment: Deployment; report: Report };

/** Adds the route of an operation. */
export async function addRoute(
  admin: Hono<AdminEnv>,
  { app, deployment, report }: Server,
  operation: Operation,
): Promise<void> {
  const schemas = await operation.schemas();
  const { method, path, media, levels } = operation;
  const status = successOf(operation, schemas);
  const check = operation.isOpen ? open(operation) : requires(operation, app);
  admin.on(method, [ADMIN_PATH + path], check, async (c) => {
    let headers: Record<string, string> = {};
    const call: Call = {
      app,
      deployment,
      sender: senderOf(c),
      caller: c.get("caller"),
      names: c.req.param(),
      query: schemas.query && checkQuery(schemas.query, queryOf(c)),
      body: await bodyOf(c, operation, schemas),
      ifMatch: c.req.header("if-match"),
      tag: (tag) => void (headers = { ...headers, ETag: `"${tag}"` }),
      omit: (flags) => void (headers = { ...headers, [OMITTED]: String(flags) }),
    };
    const detour = detourOf(c);
    const performed = detour === null ? null : await performBy(detour, operation, call);
    if (performed && "change" in performed)
      return proposedAnswer(c, await withPage(deployment, performed.change));
    const takeTurns = createTurns();
    const value = performed ? performed.value : await operation.run(call);
    if (media) return answerOf(value as Download, c.get("caller"), (error) => report.error(error, c.req.raw));
    if (status === 204) return c.body(null, 204);
    // A value that took long to read takes as long to write.
    const turn = takeTurns();
    if (turn !== undefined) await turn;
    if (levels === undefined) return c.json(value, status, headers);
    const json = await stringifyMembers(value as object, levels);
    return c.body(json, status, { ...headers, "Content-Type": "application/json" });
  });
}

/** The detour that the headers of a request ask for; null for none. Throws `invalid`. */
function detourOf(c: Context<AdminEnv>): Detour | null {
  const [propose, bypass] = [c.req.header(PROPOSE), c.req.header(BYPASS)];
  if (bypass !== undefined && bypass !== "true" && bypass !== "false")
    throw new AppError("invalid", `the header ${BYPASS} is true or false`);
  if (propose === undefined) return bypass === "true" ? { bypass: true } : null;
  if (bypass === "true")
    throw new AppError("invalid", `${PROPOSE} and ${BYPASS} exclude each other`, {
      reason: "propose-or-bypass",
    });
  return { propose };
}

/** A change that was proposed in place of the operation. */
function proposedAnswer(c: Context<AdminEnv>, change: ProposalView): Response {
  const { pathname } = new URL(c.req.url, "http://no-host.invalid");
  const root = pathname.slice(0, pathname.indexOf(ADMIN_PATH));
  const path = addressOf(changes.get, { project: change.project, change: change.id });
  const headers = { Location: `${root}${ADMIN_PATH}${path}`, ETag: `"${change.etag}"` };
  return c.json({ change }, 202, headers);
}

/** The client that sent a request. */
function senderOf(c: Context<AdminEnv>): Browser {
  const agent = c.req.header("user-agent") ?? "";
  const client = c.env?.client;
  return client === undefined ? NO_BROWSER : { agent, address: client.address, network: limitKey(client) };
}

/** The parameters of the URL; of one that is repeated, a list. */
function queryOf(c: Context): Record<string, string | string[]> {
  const entries = Object.entries(c.req.queries());
  return Object.fromEntries(entries.map(([name, [...all]]) => [name, all.length === 1 ? all[0]! : all]));
}

async function bodyOf(c: Context, operation: Operation, { body, upload, lines }: Schemas): Promise<unknown> {
  const type = c.req.header("content-type") ?? "";
  if (lines) {
    requireType(JSON_LINES, /^application\/(jsonl|x-ndjson)\b/i.test(type));
    return utf8Text(new Uint8Array(await c.req.arrayBuffer()), "the body");
  }
  if (!body && !upload) return undefined;
  const mayLack = operation.mayLackBody === true;
  if (!mayLack || type !== "") requireType("application/json", /^application\/json\b/i.test(type));
  const sent = new Uint8Array(await c.req.arrayBuffer());
  const json = mayLack && sent.byteLength === 0 ? Buffer.from("{}") : sent;
  return body ? checkBody(body, json, operation) : json;
}

function requireType(type: string, isSent: boolean): void {
  if (!isSent) throw new AppError("unsupported", `the body has to be sent as Content-Type: ${type}`);
}

function answerOf(
  { name, type, size, rows, content }: Download,
  caller: Caller,
  report: (error: unknown) => void,
): Response {
  const headers = {
    ...attachment(name, type),
    ...(size !== null && { "Content-Length": String(size) }),
    ...(rows !== null && { "X-Total-Count": String(rows) }),
  };
  return new Response(content instanceof ReadableStream ? content : streamOf(content, report, caller), {
    headers,
  });
}
