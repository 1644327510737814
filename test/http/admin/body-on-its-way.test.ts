import { describe, expect, test } from "bun:test";
import type { NewToken } from "../../../src/access/token.ts";
import { createToken, revokeToken } from "../../../src/access/tokens.ts";
import { setFlag } from "../../../src/flags/flags.ts";
import { createForm } from "../../../src/forms/forms.ts";
import { storeSubmission } from "../../../src/forms/submissions.ts";
import { createSite } from "../../../src/http/site.ts";
import { deleteEnvironment, setEnvironment } from "../../../src/projects/environments.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { openServices, openTestApp, siteOptions } from "../../support/app.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { eventually } from "../../support/eventually.ts";

const app = openTestApp();
const services = openServices(app);
const site = createSite(services, { ...siteOptions(app), report: services.report });

let count = 0;
/** A project with a flag, and a token that may change it. */
async function openShop(more: Partial<NewToken> = {}) {
  const slug = `shop-${(count += 1)}`;
  const names = ["develop", "staging"];
  const { key, environments } = await createProject(app, OPERATOR, { slug, environments: names });
  const place = { project: slug, environment: "develop", flag: "sale" };
  await setFlag(app, OPERATOR, place, {});
  const { token } = await createToken(app, OPERATOR, { name: slug, ...more });
  return {
    slug,
    place,
    keys: { "x-project-key": key, "x-environment-key": environments[0]!.key },
    path: `/api/admin/v1/projects/${slug}/environments/develop`,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    revoke: () => revokeToken(app, OPERATOR, slug),
    lock: () => setEnvironment(app, OPERATOR, slug, "develop", { locked: true }),
  };
}

/** A token that evaluates the flags of such a project. */
async function openShopToEvaluate() {
  const { slug: project } = await openShop();
  const name = `${project}-reader`;
  const place = { project, environment: "develop" };
  const { token } = await createToken(app, OPERATOR, { name, scopes: ["flags:evaluate"], ...place });
  return { headers: { "x-api-key": token }, revoke: () => revokeToken(app, OPERATOR, name) };
}

type Sent = { headers: Record<string, string>; body: unknown; isChunked?: boolean };

/** The answer to a request whose body is half sent, and is sent to its end after `meanwhile`. */
async function sendSlowly(
  method: string,
  path: string,
  { headers, body, isChunked = false }: Sent,
  meanwhile: () => unknown,
): Promise<Response> {
  const text = JSON.stringify(body);
  let isRead = false;
  let sender!: ReadableStreamDefaultController<Uint8Array>;
  const stream = new ReadableStream<Uint8Array>(
    {
      start: (controller) => void (sender = controller),
      pull: () => void (isRead = true),
    },
    { highWaterMark: 0 },
  );
  const request = new Request(`http://site.test${path}`, { method, headers, body: stream });
  if (!isChunked) request.headers.set("content-length", String(text.length));
  const answer = site.fetch(request, () => "198.51.100.7");
  await eventually("the server to read the body", () => isRead);
  sender.enqueue(Buffer.from(text.slice(0, 1)));
  await meanwhile();
  sender.enqueue(Buffer.from(text.slice(1)));
  sender.close();
  return answer;
}

describe("a token that is revoked while a body is on its way", () => {
  test("makes no other token", async () => {
    for (const isChunked of [false, true]) {
      const { headers, revoke } = await openShop();
      const request = { headers, body: { name: "escaped", scopes: ["admin"] }, isChunked };
      const answer = await sendSlowly("POST", "/api/admin/v1/tokens", request, revoke);
      expect([isChunked, answer.status]).toEqual([isChunked, 401]);
      expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="formflag"');
    }
    expect((await app.store.tokens.list()).map(({ name }) => name)).not.toContain("escaped");
  });

  test("changes nothing, whatever the operation", async () => {
    for (const [method, path, body] of [
      ["PATCH", "/flags/sale", { enabled: true }],
      ["PUT", "/segments/staff", { rule: true }],
      ["POST", "/flagd", { flags: {} }],
      ["DELETE", "/segments/staff", {}],
    ] as const) {
      const { headers, revoke, path: base } = await openShop();
      const answer = await sendSlowly(method, base + path, { headers, body }, revoke);
      expect([method, path, answer.status]).toEqual([method, path, 401]);
    }
  });

  test("marks, imports, purges and retries nothing", async () => {
    const { slug: project } = await createProject(app, OPERATOR, { slug: "of-inbox" });
    const form = await createForm(app, OPERATOR, { slug: "inbox", project });
    const { id } = await storeSubmission(app, form, { data: '{"email":"ada@example.com"}', files: [] });
    for (const [path, body, type] of [
      ["/submissions/mark", { ids: [id], mark: "archived" }, "application/json"],
      ["/forms/inbox/submissions/import", { data: {} }, "application/jsonl"],
      ["/submissions/purge", { email: "ada@example.com" }, "application/json"],
      ["/deliveries/retry", { failed: true }, "application/json"],
    ] as const) {
      const { headers, revoke } = await openShop();
      const sent = { headers: { ...headers, "content-type": type }, body };
      const answer = await sendSlowly("POST", `/api/admin/v1${path}`, sent, revoke);
      expect([path, answer.status]).toEqual([path, 401]);
    }
    const { submissions } = await app.store.submissions.list(form.key, 10, null);
    expect(submissions.map(({ state }) => state)).toEqual(["inbox"]);
  });

  test("evaluates no flag", async () => {
    for (const path of ["", "/sale"]) {
      const { headers, revoke } = await openShopToEvaluate();
      const address = `/ofrep/v1/evaluate/flags${path}`;
      const answer = await sendSlowly("POST", address, { headers, body: { context: {} } }, revoke);
      expect([path, answer.status]).toEqual([path, 401]);
    }
  });
});

test("a token that expires while a body is on its way changes nothing", async () => {
  const expiresAt = new Date(app.clock.now + 1000).toISOString();
  const { headers, path, place } = await openShop({ expiresAt });
  const request = { headers, body: { enabled: true } };
  const answer = await sendSlowly("PATCH", `${path}/flags/sale`, request, () => (app.clock.now += 1000));
  expect(answer.status).toBe(401);
  expect((await app.store.flags.find(place))!.enabled).toBe(false);
});

test("an environment that is locked while a body is on its way is not changed", async () => {
  for (const [method, suffix, body] of [
    ["PATCH", "/flags/sale", { enabled: true }],
    ["POST", "/promote", { from: "staging" }],
    ["POST", "/flagd", { flags: {} }],
  ] as const) {
    const { headers, path, lock } = await openShop();
    const answer = await sendSlowly(method, path + suffix, { headers, body }, lock);
    expect([suffix, answer.status]).toEqual([suffix, 428]);
  }
});

test("an environment that is deleted while a body is on its way is not evaluated", async () => {
  const { keys, slug } = await openShop();
  const remove = () => deleteEnvironment(app, OPERATOR, slug, "develop");
  const request = { headers: keys, body: { context: {} } };
  expect((await sendSlowly("POST", "/ofrep/v1/evaluate/flags", request, remove)).status).toBe(401);
});

test("a sender without a token is refused before its body is read", async () => {
  const body = new ReadableStream<Uint8Array>({ pull: () => expect.unreachable() }, { highWaterMark: 0 });
  const request = new Request("http://site.test/api/admin/v1/apply", { method: "POST", body });
  expect((await site.fetch(request, () => "198.51.100.7")).status).toBe(401);
});

test("none of this was a bug to report", () => expect(services.reported).toEqual([]));
