import { expect, test } from "bun:test";
import { createToken, revokeToken } from "../../../src/access/tokens.ts";
import { hourOf } from "../../../src/base/days.ts";
import type { Line } from "../../../src/following/lines.ts";
import { createFollowingService } from "../../../src/http/flags/following.ts";
import { MAX_FOLLOWERS } from "../../../src/http/limits.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { clientAt, openServices, openTestApp } from "../../support/app.ts";
import { OPERATOR } from "../../support/records/caller.ts";

const app = openTestApp();
const { report } = openServices(app);
const service = createFollowingService(app, report, null);
const shop = await createProject(app, OPERATOR, { slug: "shop" });
const bank = await createProject(app, OPERATOR, { slug: "bank" });
const keyOf = (project: typeof shop, slug: string) =>
  project.environments.find((each) => each.slug === slug)!.key;
const tokenFor = async (name: string, ...[scope, project, environment]: Parameters<typeof placed>) =>
  (await createToken(app, OPERATOR, { name, ...placed(scope, project, environment) })).token;
const placed = (
  scope: "flags:read" | "flags:sync" | "flags:evaluate" | "admin",
  project?: string,
  environment?: string,
) => ({
  scopes: [scope],
  project,
  environment,
});
const ask = (method: string, token: string | null, body?: string) =>
  service.routes.fetch(
    new Request("http://localhost/api/v1/follow", {
      method,
      headers: token === null ? {} : { Authorization: `Bearer ${token}` },
      ...(body !== undefined && { body }),
    }),
    { client: clientAt("192.0.2.1") },
  );

/** The lines of a stream up to its first moment. */
async function firstLines(token: string): Promise<Line[]> {
  const answer = await ask("GET", token);
  const lines: Line[] = [];
  for await (const chunk of answer.body!) {
    const line = JSON.parse(Buffer.from(chunk).toString()) as Line;
    lines.push(line);
    if ("at" in line || "ended" in line) break;
  }
  return lines;
}

const sync = await tokenFor("sync", "flags:sync", "shop", "develop");
const everything = await tokenFor("all", "flags:read");
const evaluate = await tokenFor("app", "flags:evaluate", "shop", "production");
const admin = await tokenFor("admin", "admin");

test("a stream brings what the token may read, and no token that may do more than read flags", async () => {
  const text = async (token: string) => JSON.stringify(await firstLines(token));
  const [one, all] = [await text(sync), await text(everything)];
  for (const project of [shop, bank]) {
    for (const { slug, key } of project.environments) {
      expect(all).toContain(key);
      expect(one.includes(key)).toBe(project === shop && slug === "develop");
    }
  }
  expect(all).toContain('"name":"app"');
  expect(one).not.toContain('"name":"app"');
  expect(all).not.toContain('"name":"admin"');
  for (const token of [sync, everything, evaluate, admin]) expect(all).not.toContain(token);
});

test("whoever may not follow is refused, and other methods are", async () => {
  const reads = (hour: number, count: number) =>
    JSON.stringify({ id: "x", tallies: [{ kind: "reads", hour, what: "a", variant: "", count }] });
  const statuses = [
    await ask("GET", null),
    await ask("GET", "ff_unknown"),
    await ask("GET", evaluate),
    await ask("POST", evaluate, ""),
    await ask("PUT", everything, ""),
    await ask("POST", everything, "{}"),
    await ask("POST", everything, reads(-1, 1)),
    await ask("POST", everything, reads(1, Number.MAX_SAFE_INTEGER)),
    await ask("POST", everything, "x".repeat(8 * 2 ** 20 + 1)),
  ].map(({ status }) => status);
  expect(statuses).toEqual([401, 401, 403, 403, 405, 400, 400, 400, 413]);
});

test("a stream ends with the reason once its token is revoked", async () => {
  const token = await tokenFor("fleeting", "flags:sync", "shop", "develop");
  const answer = await ask("GET", token);
  let last = "";
  let isRevoked = false;
  for await (const chunk of answer.body!) {
    last = Buffer.from(chunk).toString();
    if (isRevoked || !last.startsWith('{"at"')) continue;
    isRevoked = true;
    await revokeToken(app, OPERATOR, "fleeting", "shop");
  }
  expect(JSON.parse(last)).toEqual({ ended: "this token is not known here, or was revoked" });
});

test("streams that are never read take no place of others", async () => {
  for (let each = 0; each <= MAX_FOLLOWERS; each += 1) await (await ask("GET", sync)).body!.cancel();
  expect((await firstLines(sync)).length).toBeGreaterThan(0);
});

test("counts are taken once for their id, for the environments of the token, and none is of the future", async () => {
  const hour = hourOf(app.now());
  const tally = (what: string, of = hour) => ({
    kind: "reads" as const,
    hour: of,
    what,
    variant: "all",
    count: 3,
  });
  const [own, other] = [keyOf(shop, "develop"), keyOf(shop, "production")];
  const batch = `${JSON.stringify({ id: "one", tallies: [tally(own), tally(other), tally(own, hour + 5)] })}\n`;
  for (let each = 0; each < 3; each += 1) expect((await ask("POST", sync, batch)).status).toBe(204);
  const stored = await app.store.tallies.read({ kind: "reads", from: hour - 1, to: hour + 10 });
  expect(stored).toEqual([{ hour, what: own, variant: "all", count: 6 }]);
});
