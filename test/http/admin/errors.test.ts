import { expect, test } from "bun:test";
import { createToken } from "../../../src/access/tokens.ts";
import { errorOf, openAdmin } from "../../support/admin.ts";
import { openServices, openTestApp } from "../../support/app.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { bearer, ROOT } from "../../support/postgres/world.ts";

test("a bug, or a database that does not answer, is no more than an internal error", async () => {
  const broken = openTestApp();
  const { reported, ...services } = openServices(broken);
  const admin = await services.admin();
  const { token } = await createToken(broken, OPERATOR, { name: "t" });
  await broken.store.close();
  const answer = await admin.request(`${ROOT}/projects`, { headers: bearer(token) });
  expect(answer.status).toBeGreaterThanOrEqual(500);
  const { message } = await errorOf(answer);
  expect(message).not.toMatch(/closed|stack|at .*\.ts|SELECT/);
  expect(reported).toHaveLength(1);
});

const { ask } = await openAdmin();
const FLAG = "/projects/shop/environments/production/flags/sale";

test.each<[string, string, string, unknown?]>([
  ["limit: it has to be at least 1", "GET", "/audit?limit=0"],
  ["limit: it has to be a number", "GET", "/audit?limit=x"],
  ["who: it has to be a text, not a list", "GET", "/audit?who=ann&who=bob"],
  [
    'unknown key "foo"; the keys are project, action, who, since, until, limit, before',
    "GET",
    "/audit?foo=1",
  ],
  ["whole: it has to be true or false", "GET", "/audit/export?whole=x"],
  ["it has to be an object, not a list", "POST", "/projects", []],
  ["it has to be an object, not null", "POST", "/projects", null],
  ["description: it has to be a text, not a number", "PATCH", FLAG, { description: 1 }],
  ["description: it has to be a text, not an object", "PATCH", FLAG, { description: {} }],
])("a fault that no schema words is worded plainly: %s", async (message, method, path, body) => {
  const answer = await ask(path, { method, body });
  expect([answer.status, (await errorOf(answer)).message]).toEqual([400, message]);
});
