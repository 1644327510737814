import { describe, expect, test } from "bun:test";
import { createToken } from "../../../src/access/tokens.ts";
import { createSite } from "../../../src/http/site.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { openServices, openTestApp, siteOptions } from "../../support/app.ts";
import { OPERATOR } from "../../support/records/caller.ts";

const MiB = 1_048_576;
const app = openTestApp();
// Names that are those of routes too.
await createProject(app, OPERATOR, { slug: "apply", environments: ["flagd"] });
const { token } = await createToken(app, OPERATOR, { name: "admin" });
const FLAGD = "/projects/apply/environments/flagd/flagd";

describe.each(["", "/tools", "/a/b"])("under the base path %j a body of the admin API", (basePath) => {
  const site = createSite(openServices(app), { ...siteOptions(app), basePath });
  const statusOf = async (method: string, path: string, body: object, size: number) => {
    const request = new Request(`http://site.test${basePath}/api/admin/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body).padEnd(size),
    });
    return (await site.fetch(request, () => "192.0.2.1")).status;
  };

  test("that is a document or a file of flagd may have 16 MB", async () => {
    for (const [path, body] of [
      ["/apply", { document: {}, dryRun: true }],
      [FLAGD, { flags: {} }],
    ] as const) {
      expect([path, await statusOf("POST", path, body, 2 * MiB)]).toEqual([path, 200]);
      expect([path, await statusOf("POST", path, body, 16 * MiB + 1)]).toEqual([path, 413]);
    }
  });

  test("that is another may have 1 MB", async () => {
    const flag = FLAGD.replace(/flagd$/, "flags/flagd");
    expect(await statusOf("PATCH", flag, { enabled: true }, MiB)).toBe(200);
    expect(await statusOf("PATCH", flag, { enabled: true }, MiB + 1)).toBe(413);
    expect(await statusOf("POST", "/tokens", { name: "apply" }, MiB + 1)).toBe(413);
  });
});

test("a body is not read for a caller without the scope", async () => {
  const { token: reader } = await createToken(app, OPERATOR, { name: "reader", scopes: ["flags:read"] });
  const site = createSite(openServices(app), siteOptions(app));
  const body = new ReadableStream({ pull: () => Promise.reject(new Error("read")) }, { highWaterMark: 0 });
  const headers = { authorization: `Bearer ${reader}`, "content-type": "application/json" };
  const request = new Request(`http://site.test/api/admin/v1${FLAGD}`, { method: "POST", headers, body });
  expect((await site.fetch(request, () => "192.0.2.1")).status).toBe(403);
});
