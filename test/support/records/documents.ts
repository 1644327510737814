import type { Difference, Document } from "../../../src/documents/document.ts";
import { openServices, openTestApp } from "../app.ts";

/** An empty server and ways to use documents on it. */
export async function openDocuments() {
  const app = openTestApp();
  const admin = await openServices(app).admin();
  const ask = (path: string, body?: object, token?: string, headers?: Record<string, string>) =>
    admin.request(
      `/api/admin/v1${path}`,
      {
        method: body ? "POST" : "GET",
        headers: {
          "content-type": "application/json",
          ...headers,
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      },
      token === undefined ? { operator: () => "ann" } : {},
    );
  const apply = async (document: object, options: object = {}, headers: Record<string, string> = {}) => {
    const answer = await ask("/apply", { document, ...options }, undefined, headers);
    const body = (await answer.json()) as {
      changes: Difference[];
      error?: { code: string; message: string };
    };
    if (body.error) throw new Error(`${body.error.code}: ${body.error.message}`);
    return body.changes;
  };
  const shown = async () => (await (await ask("/export")).json()) as Document;
  return { app, ask, apply, shown };
}

/** `+ path`, `~ path` or `- path`. */
export const told = (changes: Difference[]) =>
  changes.map(({ action, path }) => `${{ create: "+", update: "~", delete: "-" }[action]} ${path}`);

export const shop = (flags: object, environments: object = { develop: {}, production: {} }) => ({
  projects: { shop: { environments, flags } },
});
