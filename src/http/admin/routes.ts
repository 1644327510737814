import type { MiddlewareHandler } from "hono";
import { Hono } from "hono/quick";
import type { App } from "../../app.ts";
import type { Noun, Schemas } from "../../operations/operation.ts";
import type { AdminEnv } from "../auth.ts";
import { jsonBody, query, route } from "./contract.ts";

/** The routes of a noun, made from its operations. */
export async function routesOf(app: App, { tag, schemas, operations }: Noun): Promise<Hono<AdminEnv>> {
  const loaded = (await schemas()) as Record<string, Schemas>;
  const routes = new Hono<AdminEnv>();
  for (const [name, { method, path, summary, scope, status, run }] of Object.entries(operations)) {
    const { query: parameters, body, output } = loaded[name]!;
    const checks: MiddlewareHandler<AdminEnv>[] = [];
    if (parameters) checks.push(query(parameters) as MiddlewareHandler);
    if (body) checks.push(jsonBody(body) as MiddlewareHandler);
    const success: 200 | 201 | 204 = status ?? (output ? 200 : 204);
    const described = { tag, summary, scope, status: success, ...(output && { schema: output }) };
    routes.on(method, [path], route(described) as MiddlewareHandler<AdminEnv>, ...checks, async (c) => {
      const valid = (target: "query" | "json") => c.req.valid<never>(target as never);
      const value = await run({
        app,
        caller: c.get("caller"),
        names: c.req.param(),
        query: valid("query"),
        body: valid("json"),
      });
      return success === 204 ? c.body(null, 204) : c.json(value, success);
    });
  }
  return routes;
}
