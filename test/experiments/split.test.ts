import { expect, test } from "bun:test";
import { createToken } from "../../src/access/tokens.ts";
import { setFlag } from "../../src/flags/flags.ts";
import { createProject } from "../../src/projects/projects.ts";
import { openServices, openTestApp } from "../support/app.ts";
import { bearer } from "../support/postgres/world.ts";
import { OPERATOR } from "../support/records/caller.ts";

const EXPERIMENTS = "/api/admin/v1/projects/shop/environments/live/experiments";

async function openShop() {
  const app = openTestApp();
  const admin = await openServices(app).admin();
  await createProject(app, OPERATOR, { slug: "shop", environments: ["live"] });
  await setFlag(app, OPERATOR, { project: "shop", environment: "live", flag: "hero" }, {});
  const { token } = await createToken(app, OPERATOR, { name: "ci" });
  return async (method: string, path: string, body: object) => {
    const headers = { ...bearer(token), "content-type": "application/json" };
    const answer = await admin.request(path, { method, headers, body: JSON.stringify(body) });
    return { status: answer.status, body: (await answer.json()) as { error?: { message: string } } };
  };
}

test("an experiment takes a split, in its creation and later, and refuses one that is none", async () => {
  const ask = await openShop();
  const design = { name: "headline", flag: "hero", metrics: ["event:signup"] };
  for (const [split, message] of [
    [{}, "compares 2 to 20 variants"],
    [{ on: 1 }, "compares 2 to 20 variants"],
    [{ on: 1, off: 0.5 }, "a weight is a whole number"],
    [{ on: 1, off: "1" }, "a weight is a whole number"],
    [{ on: 1, blue: 1 }, '"blue" is not a variant'],
  ] as const) {
    const { status, body } = await ask("POST", EXPERIMENTS, { ...design, split });
    expect([status, body.error?.message]).toEqual([400, expect.stringContaining(message)]);
  }
  const created = await ask("POST", EXPERIMENTS, { ...design, split: { off: 90, on: 10 } });
  expect(created).toMatchObject({ status: 201, body: { split: { off: 90, on: 10 } } });
  const changed = await ask("PATCH", `${EXPERIMENTS}/headline`, { split: { off: 1, on: 3 } });
  expect(changed).toMatchObject({ status: 200, body: { split: { off: 1, on: 3 } } });
});
