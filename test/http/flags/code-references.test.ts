import { afterEach, describe, expect, test } from "bun:test";
import { FlagsSDK, type SubmitCodeReferencesPayload } from "@basestack/flags-js";
import type { Scope } from "../../../src/access/scope.ts";
import { createToken, revokeToken } from "../../../src/access/tokens.ts";
import { setFlag } from "../../../src/flags/flags.ts";
import { MAX_CODE_BODY } from "../../../src/operations/limits.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { fresh } from "../../support/admin.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { BASE, PEER, openSites } from "../../support/site.ts";

const { app, services, openSite } = openSites();
const { ask, askHot, site } = openSite(services);
// None of what is asked here may be a bug.
afterEach(() => expect(services.reported.splice(0)).toEqual([]));
const PATH = "/api/v1/flags/code-refs";

/** A project with the flag new-checkout; its keys. */
const openProject = async (slug: string) => {
  const { key, environments } = await createProject(app, OPERATOR, { slug, environments: ["develop"] });
  await setFlag(app, OPERATOR, { project: slug, environment: "develop", flag: "new-checkout" }, {});
  return { projectKey: key, environmentKey: environments[0]!.key };
};
const keys = await openProject("shop");
const otherKeys = await openProject("other");

let tokens = 0;
const tokenFor = async (scope: Scope, place: { project?: string; environment?: string } = {}) => {
  const name = `token-${(tokens += 1)}`;
  return createToken(app, OPERATOR, { name, scopes: [scope], ...place });
};
const { token } = await tokenFor("flags:refs", { project: "shop" });

const line = (lineNumber: number) => ({
  filePath: "src/a.ts",
  lineNumber,
  lineContent: `line ${lineNumber}`,
});
const payload = (more: Partial<SubmitCodeReferencesPayload> = {}): SubmitCodeReferencesPayload => ({
  branch: "main",
  projectName: "web",
  references: { "new-checkout": [line(1)] },
  ...more,
});

/** The published client, which talks to the site without a socket. */
const clientWith = (apiKey: string, of: typeof keys) =>
  new FlagsSDK({
    ...of,
    apiKey,
    baseURL: `${BASE}/api/v1`,
    fetchImpl: (async (url: string, init: RequestInit) =>
      site.fetch(new Request(url, init), () => PEER)) as typeof fetch,
  });
const submit = (sent: unknown, apiKey: string, of: typeof keys) =>
  clientWith(apiKey, of).submitCodeReferences(sent as SubmitCodeReferencesPayload);

/** A project of its own that code is uploaded to. */
async function openShop() {
  const slug = fresh();
  const own = await openProject(slug);
  const { token } = await tokenFor("flags:refs", { project: slug });
  return {
    submit: (sent: unknown) => submit(sent, token, own),
    stored: async () => (await app.store.code.page(slug, { limit: 1000 })).items,
  };
}

type Body = { error: true; errorMessage: string; message: string };
const headers = (more: Record<string, string> = {}) => ({
  "x-project-key": keys.projectKey,
  "x-environment-key": keys.environmentKey,
  "x-api-key": token,
  "content-type": "application/json",
  ...more,
});
/** The status and message of a refusal, after checking that it has the one shape there is. */
async function refusal(init: RequestInit, peer?: string): Promise<[status: number, message: string]> {
  const answer = await ask(PATH, { method: "POST", headers: headers(), ...init }, peer);
  expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  expect(answer.headers.get("cache-control")).toBe("no-store");
  const body = (await answer.json()) as Body;
  expect(body).toEqual({ error: true, errorMessage: body.message, message: body.message });
  return [answer.status, body.message];
}

describe("the published client", () => {
  test("uploads references, and is told which names are not flags", async () => {
    const { submit, stored } = await openShop();
    const answer = await submit(
      payload({ references: { "new-checkout": [line(1), line(2)], gone: [line(3)] } }),
    );
    const message =
      "stored 3 references to 2 names on the branch main of web; not flags of this project: gone";
    expect(answer).toEqual({ success: true, message });
    expect((await stored()).map(({ slug, places }) => [slug, places])).toEqual([
      ["gone", '[["src/a.ts",3,"line 3"]]'],
      ["new-checkout", '[["src/a.ts",1,"line 1"],["src/a.ts",2,"line 2"]]'],
    ]);
  });

  test("replaces what its branch had, by what an upload names and leaves out", async () => {
    const { submit, stored } = await openShop();
    await submit(payload({ references: { "new-checkout": [line(1), line(2)], gone: [line(3)] } }));
    expect((await stored()).map(({ slug }) => slug)).toEqual(["gone", "new-checkout"]);
    await submit(payload({ repositoryUrl: "https://github.com/ann/shop" }));
    expect(await stored()).toMatchObject([
      {
        slug: "new-checkout",
        repositoryUrl: "https://github.com/ann/shop",
        places: '[["src/a.ts",1,"line 1"]]',
      },
    ]);
    await submit(payload({ references: {} }));
    expect(await stored()).toEqual([]);
  });

  test("shows why an upload was refused that it let through, and nothing is stored", async () => {
    const { submit, stored } = await openShop();
    const wrong: [sent: object, message: string][] = [
      [payload({ branch: 5 as never }), "branch has to be"],
      [payload({ projectName: ["web"] as never }), "projectName has to be"],
      [payload({ repositoryUrl: "javascript:alert(1)" }), "repositoryUrl has to be"],
      [payload({ repositoryUrl: "https://ann:secret@github.com/a/b" }), "without credentials"],
      [payload({ branch: "a\u0000b" }), "branch has to be"],
      [payload({ references: { "a\n": [] } }), "references has to be"],
      [
        payload({ references: { a: [{ ...line(1), filePath: "x".repeat(2000) }] } }),
        "references.a.0.filePath",
      ],
      [payload({ references: { a: [{ ...line(1), lineNumber: 1e300 }] } }), "references.a.0.lineNumber"],
      [payload({ references: { a: [{ ...line(1), lineContent: "€".repeat(4000) }] } }), "at most 4 KB"],
      [
        payload({ references: { a: [{ ...line(1), lineContent: ["a"] as never }] } }),
        "references.a.0.lineContent",
      ],
      [payload({ references: { a: Array(20_001).fill(line(1)) } }), "at most 20,000 references"],
    ];
    for (const [sent, message] of wrong) {
      const refusal = await submit(sent).catch((error: Error) => error.message);
      expect(refusal).toContain(message);
    }
    expect(await stored()).toEqual([]);
  });

  test("shows why it may not", async () => {
    const why = (apiKey: string, of = keys) =>
      submit(payload(), apiKey, of).catch((error: Error) => error.message);
    expect(await why("ff_wrong")).toContain("not known here");
    expect(await why(token, { ...keys, environmentKey: "aaaa-bbbb-cccc" })).toContain("select nothing");
    expect(await why(token, otherKeys)).toContain("limited to the project shop");
    expect(await why((await tokenFor("flags:read")).token)).toContain("lacks the scope flags:refs");
  });
});

describe("an upload", () => {
  test("needs both keys, and a token", async () => {
    expect(await refusal({ headers: headers({ "x-project-key": "" }) })).toEqual([
      400,
      expect.stringContaining("x-project-key"),
    ]);
    expect(await refusal({ headers: headers({ "x-environment-key": "" }) })).toEqual([
      400,
      expect.stringContaining("x-environment-key"),
    ]);
    expect(await refusal({ headers: headers({ "x-api-key": "" }) })).toEqual([
      401,
      expect.stringContaining("x-api-key"),
    ]);
    const mixed = headers({ "x-project-key": otherKeys.projectKey });
    expect((await refusal({ headers: mixed }))[0]).toBe(401);
  });

  test("is for tokens of the project whose scope suffices", async () => {
    const statusOf = async (scope: Scope, place = {}) => {
      const given = headers({ "x-api-key": (await tokenFor(scope, place)).token });
      return (await ask(PATH, { method: "POST", headers: given, body: JSON.stringify(payload()) })).status;
    };
    for (const scope of ["admin", "flags:write", "flags:locked"] as const)
      expect(await statusOf(scope)).toBe(200);
    for (const scope of ["read", "flags:read", "forms:write"] as const)
      expect(await statusOf(scope)).toBe(403);
    const place = { project: "shop", environment: "develop" };
    expect(await statusOf("flags:evaluate", place)).toBe(403);
    expect(await statusOf("flags:write", place)).toBe(403);
    expect(await statusOf("flags:write", { project: "shop" })).toBe(200);
    expect(await statusOf("flags:refs", { project: "other" })).toBe(403);
  });

  test("is JSON as it is, of a type that says so", async () => {
    const body = JSON.stringify(payload());
    expect((await refusal({ body, headers: headers({ "content-type": "text/plain" }) }))[0]).toBe(415);
    expect((await refusal({ body, headers: headers({ "content-encoding": "gzip" }) }))[0]).toBe(415);
    for (const broken of ["", "{", "nonsense"])
      expect(await refusal({ body: broken })).toEqual([400, "the body is not valid JSON"]);
    const type = headers({ "content-type": "Application/JSON; charset=utf-8" });
    expect((await ask(PATH, { method: "POST", headers: type, body })).status).toBe(200);
  });

  test("has at most 16 MB, whether it says its length or not", async () => {
    const body = JSON.stringify(payload()).padEnd(MAX_CODE_BODY + 1);
    expect(await refusal({ body })).toEqual([413, "an upload of code references has at most 16 MB"]);
    const length = headers({ "content-length": String(body.length) });
    expect((await refusal({ body, headers: length }))[0]).toBe(413);
    const whole = body.slice(0, MAX_CODE_BODY);
    expect((await ask(PATH, { method: "POST", headers: headers(), body: whole })).status).toBe(200);
  });

  test("is not stored for a token that was revoked while its body was on its way", async () => {
    const before = await app.store.code.uploads("shop");
    const { name, token } = await tokenFor("flags:refs", { project: "shop" });
    const text = JSON.stringify(payload({ branch: "late" }));
    const body = new ReadableStream({
      async pull(controller) {
        await revokeToken(app, OPERATOR, name);
        controller.enqueue(new TextEncoder().encode(text));
        controller.close();
      },
    });
    expect((await refusal({ body, headers: headers({ "x-api-key": token }) }))[0]).toBe(401);
    expect(await app.store.code.uploads("shop")).toEqual(before);
  });

  test("makes an address with wrong tokens wait, but never one with a right token", async () => {
    const wrong = { headers: headers({ "x-api-key": "ff_wrong" }) };
    for (let count = 0; count < 20; count += 1) expect((await refusal(wrong, "203.0.113.9"))[0]).toBe(401);
    expect(await refusal(wrong, "203.0.113.9")).toEqual([
      429,
      expect.stringContaining("too many wrong tokens"),
    ]);
    const right = { method: "POST", headers: headers(), body: JSON.stringify(payload()) };
    expect((await ask(PATH, right, "203.0.113.9")).status).toBe(200);
  });

  test("may come from a page of any origin", async () => {
    const answer = await ask(PATH, { method: "OPTIONS" });
    expect(answer.status).toBe(204);
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("access-control-allow-methods")).toContain("POST");
    expect(answer.headers.get("access-control-allow-headers")).toContain("x-api-key");
  });

  test("is logged, and answered alike by the router of the server", async () => {
    const body = JSON.stringify(payload());
    const { ask, askHot, records } = openSite(services, [], { logsReads: false });
    const init = { method: "POST", headers: headers(), body };
    const answers = [await ask(PATH, init), await askHot(PATH, "", PATH, init)];
    expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual([
      expect.stringContaining('"success":true'),
      expect.stringContaining('"success":true'),
    ]);
    expect(records.map(({ route, status }) => [route, status])).toEqual([
      [PATH, 200],
      [PATH, 200],
    ]);
  });
});

test("a read of the flag code-refs, which there cannot be, is answered as before", async () => {
  const init = { headers: headers() };
  const hot = await askHot("/api/v1/flags/:slug", "code-refs", PATH, init);
  for (const answer of [await ask(PATH, init), hot]) {
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ enabled: false, error: true });
  }
});
