import { expect, test } from "bun:test";
import { createToken } from "../../../src/access/tokens.ts";
import { errorOf } from "../../support/admin.ts";
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
