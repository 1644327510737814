import { afterEach, expect } from "bun:test";
import type { Scope } from "../../src/access/scope.ts";
import { createToken } from "../../src/access/tokens.ts";
import { openServices, openTestApp } from "./app.ts";
import { OPERATOR } from "./records/caller.ts";
import { openApiOf } from "./records/openapi.ts";
import { bearer, ROOT } from "./postgres/world.ts";

type Asked = { method?: string; token?: string | null; body?: unknown; headers?: Record<string, string> };

/** The admin API on an app of its own, asked by an administrator. Nothing that it is asked may be a bug. */
export async function openAdmin(writing?: "thread") {
  const app = openTestApp(writing);
  const { reported, ...services } = openServices(app);
  afterEach(() => expect(reported.splice(0)).toEqual([]));
  const admin = await services.admin();
  const { token: ADMIN } = await createToken(app, OPERATOR, { name: "admin" });

  /** Asks the admin API; a body that is no text is sent as JSON. */
  async function ask(
    path: string,
    { method, token = ADMIN, body, headers = {} }: Asked = {},
  ): Promise<Response> {
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    return admin.request(`${ROOT}${path}`, {
      method: method ?? (text === undefined ? "GET" : "POST"),
      headers: {
        ...(token === null ? {} : bearer(token)),
        ...(text === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(text === undefined ? {} : { body: text }),
    });
  }

  const document = await openApiOf(admin);
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation,
    })),
  );
  // Of the others, some need no token.
  const scoped = operations.filter(({ operation }) => operation.description.startsWith("Needs the scope"));
  return { app, admin, ADMIN, outgoing: services.outgoing, ask, document, operations: scoped };
}

/** The error of an answer, after checking that it has the one shape there is. */
export async function errorOf(
  answer: Response,
): Promise<{ code: string; message: string; hint: string | null }> {
  expect(answer.headers.get("content-type")).toStartWith("application/json");
  const body = (await answer.json()) as { error: { code: string; message: string; hint: string | null } };
  expect(Object.keys(body)).toEqual(["error"]);
  expect(Object.keys(body.error)).toEqual(["code", "reason", "message", "hint"]);
  return body.error;
}

export async function expectError(
  answer: Response,
  status: number,
  code: string,
  ...words: string[]
): Promise<void> {
  const error = await errorOf(answer);
  expect([answer.status, error.code]).toEqual([status, code]);
  for (const word of words) expect(error.message).toContain(word);
}

let names = 0;
export const fresh = () => `name-${(names += 1)}`;
export const path = (...parts: string[]) => parts.map((part) => `/${encodeURIComponent(part)}`).join("");

/** An operation's address with every parameter filled in by a name that nothing has. */
export const addressOf = (template: string) => template.replace(ROOT, "").replaceAll(/\{\w+\}/g, "nothing");

/** What each operation needs, written down a second time on purpose. */
export const NEEDED: Record<string, Scope> = {
  "GET /projects/{project}/targets": "flags:read",
  "POST /projects/{project}/targets": "flags:write",
  "GET /projects/{project}/targets/{target}": "admin",
  "DELETE /projects/{project}/targets/{target}": "admin",
  "GET /projects/{project}/changes": "flags:read",
  "GET /projects/{project}/changes/{change}": "flags:read",
  "POST /projects/{project}/changes/{change}/approve": "flags:read",
  "POST /projects/{project}/changes/{change}/reject": "flags:read",
  "POST /projects/{project}/changes/{change}/withdraw": "flags:read",
  "POST /projects/{project}/changes/{change}/apply": "flags:read",
  "POST /projects/{project}/changes/{change}/refresh": "flags:read",
  "GET /audit": "admin",
  "GET /audit/export": "admin",
  "GET /projects": "flags:read",
  "POST /projects": "admin",
  "GET /projects/{project}": "flags:read",
  "DELETE /projects/{project}": "admin",
  "GET /projects/{project}/environments": "flags:read",
  "POST /projects/{project}/environments": "admin",
  "GET /projects/{project}/environments/{environment}": "flags:read",
  "DELETE /projects/{project}/environments/{environment}": "admin",
  "PATCH /projects/{project}": "admin",
  "PATCH /projects/{project}/environments/{environment}": "admin",
  "POST /projects/{project}/environments/{environment}/promote": "flags:write",
  "POST /projects/{project}/environments/{environment}/flags/{flag}/rollback": "flags:write",
  "POST /projects/{project}/history/undo": "flags:write",
  "POST /projects/{project}/environments/{environment}/flags/{flag}/scheduled": "flags:write",
  "POST /projects/{project}/environments/{environment}/flags/{flag}/for": "flags:write",
  "GET /projects/{project}/ramps": "flags:read",
  "PUT /projects/{project}/environments/{environment}/flags/{flag}/ramp": "flags:write",
  "GET /projects/{project}/environments/{environment}/flags/{flag}/ramp": "flags:read",
  "POST /projects/{project}/environments/{environment}/flags/{flag}/ramp/pause": "flags:write",
  "POST /projects/{project}/environments/{environment}/flags/{flag}/ramp/resume": "flags:write",
  "POST /projects/{project}/environments/{environment}/flags/{flag}/ramp/next": "flags:write",
  "POST /projects/{project}/environments/{environment}/flags/{flag}/ramp/finish": "flags:write",
  "POST /projects/{project}/environments/{environment}/flags/{flag}/ramp/abort": "flags:write",
  "POST /plans": "flags:write",
  "GET /projects/{project}/environments/{environment}/experiments": "flags:read",
  "POST /projects/{project}/environments/{environment}/experiments": "flags:write",
  "GET /projects/{project}/environments/{environment}/experiments/{experiment}": "flags:read",
  "PATCH /projects/{project}/environments/{environment}/experiments/{experiment}": "flags:write",
  "DELETE /projects/{project}/environments/{environment}/experiments/{experiment}": "flags:write",
  "POST /projects/{project}/environments/{environment}/experiments/{experiment}/start": "flags:write",
  "POST /projects/{project}/environments/{environment}/experiments/{experiment}/pause": "flags:write",
  "POST /projects/{project}/environments/{environment}/experiments/{experiment}/resume": "flags:write",
  "POST /projects/{project}/environments/{environment}/experiments/{experiment}/stop": "flags:write",
  "POST /projects/{project}/environments/{environment}/experiments/{experiment}/ship": "flags:write",
  "GET /projects/{project}/environments/{environment}/experiments/{experiment}/results": "flags:read",
  "GET /projects/{project}/scheduled": "flags:read",
  "DELETE /projects/{project}/environments/{environment}/scheduled/{scheduled}": "flags:write",
  "GET /projects/{project}/history": "flags:read",
  "GET /projects/{project}/flags/{flag}/history": "flags:read",
  "GET /projects/{project}/environments/{environment}/flags": "flags:read",
  "GET /projects/{project}/environments/{environment}/flags/{flag}": "flags:read",
  "PATCH /projects/{project}/environments/{environment}/flags/{flag}": "flags:write",
  "POST /projects/{project}/environments/{environment}/flags/{flag}/evaluate": "flags:read",
  "GET /projects/{project}/environments/{environment}/flags/{flag}/usage": "flags:read",
  "GET /projects/{project}/reads": "flags:read",
  "PATCH /projects/{project}/flags": "flags:write",
  "PATCH /projects/{project}/flags/{flag}": "flags:write",
  "DELETE /projects/{project}/flags/{flag}": "flags:write",
  "GET /projects/{project}/flags/{flag}/feedback": "flags:read",
  "GET /projects/{project}/flags/{flag}/ratings": "flags:read",
  "DELETE /projects/{project}/flags/{flag}/feedback": "flags:write",
  "DELETE /projects/{project}/feedback/{feedback}": "flags:write",
  "GET /projects/{project}/stale": "flags:read",
  "GET /projects/{project}/flags/{flag}/cleanup": "flags:read",
  "GET /needs": "read",
  "GET /upcoming": "read",
  "GET /stats": "read",
  "GET /stats/numbers": "read",
  "GET /projects/{project}/code-refs": "flags:read",
  "PUT /projects/{project}/code-refs": "flags:refs",
  "DELETE /projects/{project}/code-refs": "flags:refs",
  "GET /projects/{project}/environments/{environment}/flagd": "flags:read",
  "POST /projects/{project}/environments/{environment}/flagd": "flags:write",
  "GET /projects/{project}/people": "flags:read",
  "GET /projects/{project}/people/{person}": "flags:read",
  "PUT /projects/{project}/people/{person}": "flags:write",
  "DELETE /projects/{project}/people/{person}": "flags:write",
  "GET /projects/{project}/environments/{environment}/segments": "flags:read",
  "GET /projects/{project}/environments/{environment}/segments/{segment}": "flags:read",
  "PUT /projects/{project}/environments/{environment}/segments/{segment}": "flags:write",
  "DELETE /projects/{project}/environments/{environment}/segments/{segment}": "flags:write",
  "GET /projects/{project}/environments/{environment}/segments/{segment}/members": "flags:read",
  "POST /projects/{project}/environments/{environment}/segments/{segment}/approve": "flags:write",
  "GET /projects/{project}/manifest": "flags:read",
  "GET /forms": "forms:read",
  "POST /forms": "forms:write",
  "GET /forms/{form}": "forms:read",
  "POST /forms/{form}/copy": "forms:write",
  "GET /forms/{form}/history": "forms:read",
  "GET /forms/{form}/stats": "forms:read",
  "GET /history": "read",
  "PATCH /forms/{form}": "forms:write",
  "DELETE /forms/{form}": "forms:write",
  "GET /feeds": "forms:read",
  "POST /forms/{form}/feeds": "forms:write",
  "DELETE /feeds/{feed}": "forms:write",
  "GET /forms/{form}/targets": "forms:read",
  "POST /forms/{form}/targets": "forms:write",
  "GET /targets/{target}": "forms:read",
  "PATCH /targets/{target}": "forms:write",
  "DELETE /targets/{target}": "forms:write",
  "POST /targets/{target}/test": "forms:write",
  "POST /targets/{target}/rotate": "forms:write",
  "GET /forms/{form}/submissions": "forms:read",
  "GET /forms/{form}/submissions/export": "forms:read",
  "GET /submissions": "forms:read",
  "GET /submissions/{id}/timeline": "forms:read",
  "POST /submissions/mark": "forms:write",
  "POST /submissions/assign": "forms:write",
  "POST /submissions/label": "forms:write",
  "POST /submissions/{id}/notes": "forms:write",
  "POST /submissions/{id}/replies": "forms:write",
  "POST /submissions/mark-matching": "forms:write",
  "POST /submissions/delete": "forms:write",
  "POST /submissions/delete-matching": "forms:write",
  "POST /forms/{form}/test": "forms:write",
  "POST /forms/{form}/submissions/import": "forms:write",
  "GET /submissions/{id}": "forms:read",
  "DELETE /submissions/{id}": "forms:write",
  "GET /submissions/{id}/files/{file}": "forms:read",
  "GET /deliveries": "forms:read",
  "GET /deliveries/{delivery}": "forms:read",
  "POST /deliveries/retry": "forms:write",
  "POST /submissions/purge": "forms:write",
  "POST /submissions/undo": "forms:write",
  "POST /submissions/{id}/block": "forms:write",
  "GET /export": "read",
  "POST /apply": "read",
  "POST /mail/test": "admin",
  "GET /status": "read",
  "POST /backups": "admin",
  "GET /projects/{project}/members": "admin",
  "PUT /projects/{project}/members/{user}": "admin",
  "DELETE /projects/{project}/members/{user}": "admin",
  "GET /projects/{project}/invitations": "admin",
  "POST /projects/{project}/invitations": "admin",
  "DELETE /projects/{project}/invitations/{invitation}": "admin",
  "GET /tokens": "admin",
  "POST /tokens": "admin",
  "DELETE /tokens/{name}": "admin",
  "GET /users": "admin",
  "POST /users": "admin",
  "POST /users/links": "admin",
  "GET /users/{user}": "admin",
  "PATCH /users/{user}": "admin",
  "DELETE /users/{user}": "admin",
  "POST /users/{user}/reset": "admin",
  "GET /sessions": "admin",
  "DELETE /sessions/{session}": "admin",
  "GET /grants": "admin",
  "DELETE /grants/{grant}": "admin",
};

/** The methods that send something. */
export const SENDS = new Set(["POST", "PATCH", "PUT"]);
