import { expect, test } from "bun:test";
import { createToken } from "../../src/access/tokens.ts";
import { DAY_MS } from "../../src/base/days.ts";
import { setDetails, setFlag } from "../../src/flags/flags.ts";
import { createProject } from "../../src/projects/projects.ts";
import { expectError, openAdmin } from "../support/admin.ts";
import { OPERATOR } from "../support/records/caller.ts";

const { app, ask } = await openAdmin();
await createProject(app, OPERATOR, { slug: "shop", environments: ["develop", "live"] });
const set = (flag: string, patch: object, environment = "live") =>
  setFlag(app, OPERATOR, { project: "shop", environment, flag }, patch);
await set("alpha", { enabled: true, description: "the NEW till" });
await set("beta", { enabled: true, expiredAt: new Date(app.now() + DAY_MS).toISOString() });
await set("gamma", {});
await set("old-till", {});
await setDetails(app, OPERATOR, { project: "shop", flag: "alpha" }, { tags: ["ui", "till"], owner: "admin" });
await setDetails(
  app,
  OPERATOR,
  { project: "shop", flag: "gamma" },
  { tags: ["ui"], owner: "team", permanent: true },
);
await setDetails(app, OPERATOR, { project: "shop", flag: "old-till" }, { archived: true });
app.clock.now += 40 * DAY_MS;
const recent = new Date(app.now() - DAY_MS).toISOString();
await set("gamma", { payload: 1 });

const list = (query: string, token?: string) =>
  ask(`/projects/shop/environments/live/flags?${query}`, token === undefined ? {} : { token });
const pageOf = async (query: string) => {
  const { flags, next } = (await (await list(query)).json()) as { flags: { slug: string }[]; next: string };
  return { slugs: flags.map(({ slug }) => slug), next };
};

test.each([
  ["", ["alpha", "beta", "gamma", "old-till"]],
  ["archived=false", ["alpha", "beta", "gamma"]],
  ["archived=true", ["old-till"]],
  ["state=archived", ["old-till"]],
  ["state=on", ["alpha"]],
  ["state=off", ["beta", "gamma"]],
  ["tag=ui", ["alpha", "gamma"]],
  ["tag=UI", []],
  ["tag=ui&owner=team", ["gamma"]],
  ["mine=true", ["alpha"]],
  ["mine=false&state=on", ["alpha"]],
  [`changed=${recent}`, ["gamma"]],
  ["search=TILL", ["alpha", "old-till"]],
  ["stale=true", ["alpha", "beta"]],
])("the flags of an environment that %j selects are listed", async (query, slugs) => {
  expect(await pageOf(query)).toEqual({ slugs, next: null as never });
});

test("the pages of a filtered list have as many flags as they may, and go on behind the last one", async () => {
  expect(await pageOf("archived=false&limit=2")).toEqual({ slugs: ["alpha", "beta"], next: "beta" });
  expect(await pageOf("archived=false&limit=2&after=beta")).toEqual({
    slugs: ["gamma"],
    next: null as never,
  });
  expect(await pageOf("archived=false&limit=3")).toMatchObject({ next: null });
});

test.each(["state=paused", "archived=no", "stale=1", "changed=7d", `owner=${"x".repeat(201)}`])(
  "a list of flags is not filtered by %s",
  async (query) => {
    await expectError(await list(query), 400, "invalid");
  },
);

test("a caller of one environment lists its flags, and not by what depends on every environment", async () => {
  const input = { name: "live", project: "shop", environment: "live", scopes: ["flags:read" as const] };
  const { token } = await createToken(app, OPERATOR, input);
  expect((await list("state=on", token)).status).toBe(200);
  await expectError(await list("stale=true", token), 403, "forbidden");
});
