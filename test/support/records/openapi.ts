import type { createAdminApp } from "../../../src/http/admin/admin.ts";

type AdminApp = Awaited<ReturnType<typeof createAdminApp>>;

type Schema = { $ref?: string; type?: unknown; properties?: Record<string, Schema> };
type Content = Record<string, { schema?: Schema }>;
type Operation = {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security?: Record<string, string[]>[];
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: { content: Content };
  responses: Record<string, { description: string; content?: Content }>;
};
/** The document that describes the admin API. */
type OpenApi = {
  openapi: string;
  info: { title: string; version: string };
  security: Record<string, string[]>[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    securitySchemes: Record<string, { type: string; scheme: string }>;
    schemas: Record<string, Schema>;
  };
};

let document: Promise<OpenApi> | undefined;

/** The document of the admin API, which is the same of every app. */
export function openApiOf(admin: AdminApp): Promise<OpenApi> {
  return (document ??= read(admin));
}

async function read(admin: AdminApp): Promise<OpenApi> {
  return (await (await admin.request("/openapi.json")).json()) as OpenApi;
}

/** A part of the document in place of a reference to it. Throws for one that is missing. */
export function resolvedIn<T extends object>(document: OpenApi, part: T & { $ref?: string }): T {
  if (part.$ref === undefined) return part;
  let found: unknown = document;
  for (const step of part.$ref.split("/").slice(1)) found = (found as Record<string, unknown>)[step];
  if (typeof found !== "object") throw new Error(`the document has no ${part.$ref}`);
  return found as T;
}
