import type { Context } from "hono";
import type { Hono } from "hono/quick";
import { type Browser, NO_BROWSER } from "../../access/sign-in.ts";
import type { Caller } from "../../access/caller.ts";
import type { App } from "../../app.ts";
import { AppError } from "../../base/errors.ts";
import { stringifyMembers } from "../../base/json-turns.ts";
import type { Deployment, Download } from "../../operations/deployment.ts";
import { ADMIN_PATH, type Operation, type Schemas } from "../../operations/operation.ts";
import { checkBody, checkQuery } from "../../operations/schema/check.ts";
import { limitKey } from "../address.ts";
import { attachment } from "../attachment.ts";
import { type AdminEnv, open, requires } from "../auth.ts";
import type { Report } from "../errors.ts";
import { streamOf } from "../exports.ts";
import { JSON_LINES, describeOperation, successOf } from "./contract.ts";

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
  const checks = [(operation.isOpen ? open : requires)(operation), ...describeOperation(operation, schemas)];
  admin.on(method, [ADMIN_PATH + path], ...checks, async (c) => {
    let headers = {};
    const value = await operation.run({
      app,
      deployment,
      sender: senderOf(c),
      caller: c.get("caller"),
      names: c.req.param(),
      query: schemas.query && checkQuery(schemas.query, queryOf(c)),
      body: await bodyOf(c, operation, schemas),
      ifMatch: c.req.header("if-match"),
      tag: (tag) => void (headers = { ETag: `"${tag}"` }),
    });
    if (media) return answerOf(value as Download, c.get("caller"), (error) => report.error(error, c.req.raw));
    if (status === 204) return c.body(null, 204);
    if (levels === undefined) return c.json(value, status, headers);
    const json = await stringifyMembers(value as object, levels);
    return c.body(json, status, { ...headers, "Content-Type": "application/json" });
  });
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
    return c.req.text();
  }
  if (!body && !upload) return undefined;
  requireType("application/json", /^application\/json\b/i.test(type));
  const json = new Uint8Array(await c.req.arrayBuffer());
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
