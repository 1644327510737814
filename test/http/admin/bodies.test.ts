import { describe, expect, test } from "bun:test";
import { MAX_ADMIN_BODY } from "../../../src/operations/limits.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { errorOf, expectError, fresh, path, openAdmin } from "../../support/admin.ts";
import { OPERATOR } from "../../support/records/caller.ts";

const { app, ask, operations } = await openAdmin();

const names = (count: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]));

describe("a body", () => {
  const openPlace = async () => {
    const { slug } = await createProject(app, OPERATOR, { slug: fresh(), environments: ["develop"] });
    return path("projects", slug, "environments", "develop", "flags", "flag");
  };

  test.each(["{", "", "nonsense", '{"slug":"a",}', "\u0000"])(
    "that is no JSON (%j) is a 400",
    async (body) => {
      const answer = await ask("/projects", { method: "POST", body });
      await expectError(answer, 400, "invalid", "JSON");
    },
  );

  test.each(["[]", "null", "1", '"text"'])("that is JSON but no object (%s) is a 400", async (body) => {
    await expectError(await ask("/projects", { method: "POST", body }), 400, "invalid");
  });

  test("with half of a surrogate pair in a name or a description is a 400", async () => {
    const flag = await openPlace();
    const half = "half \ud800";
    for (const [address, method, body] of [
      ["/projects", "POST", { slug: fresh(), name: half }],
      ["/forms", "POST", { slug: fresh(), name: half }],
      ["/forms", "POST", { slug: fresh(), successMessage: half }],
      ["/forms", "POST", { slug: fresh(), schema: { properties: { a: { description: half } } } }],
      [flag, "PATCH", { description: half }],
      [flag, "PATCH", { owner: half }],
      [flag, "PATCH", { tags: [half] }],
      [flag, "PATCH", { previewName: half }],
      [flag, "PATCH", { previewContent: half }],
    ] as const) {
      const answer = await ask(address, { method, body: JSON.stringify(body) });
      await expectError(answer, 400, "invalid", "not valid Unicode");
    }
    const whole = await ask("/forms", {
      method: "POST",
      body: JSON.stringify({ slug: fresh(), project: flag.split("/")[2], name: "a \u{1f600}" }),
    });
    expect(whole.status).toBe(201);
  });

  test("with the name __proto__ where fields or names of flags stand is a 400, and is kept in a payload", async () => {
    const flag = await openPlace();
    const flags = `${flag.split("/").slice(0, 3).join("/")}/flags`;
    for (const [address, method, body] of [
      ["/projects", "POST", '{"slug":"a","__proto__":{}}'],
      [flags, "PATCH", '{"flags":{"__proto__":{"archived":true}}}'],
      [flags, "PATCH", String.raw`{"flags":{"\u005f_proto__":{"archived":true}}}`],
      [flag, "PATCH", '{"__proto__":{"enabled":true}}'],
    ] as const)
      await expectError(await ask(address, { method, body }), 400, "invalid", "__proto__");
    const payload = '{"payload":{"__proto__":1,"a":2},"enabled":true}';
    expect((await ask(flag, { method: "PATCH", body: payload })).status).toBe(200);
    expect(await (await ask(flag)).text()).toContain('"__proto__":1');
  });

  test("of more than 1 MiB is a 413, whether it says its length or not", async () => {
    const body = JSON.stringify({ slug: fresh(), name: "x".repeat(MAX_ADMIN_BODY) });
    await expectError(await ask("/projects", { body }), 413, "too_large", "1 MB");
    const length = { "content-length": String(body.length) };
    await expectError(await ask("/projects", { body, headers: length }), 413, "too_large", "1 MB");
    const address = await openPlace();
    await expectError(await ask(address, { method: "PATCH", body }), 413, "too_large");
  });

  test("of exactly 1 MiB is read", async () => {
    const body = `{"slug":"${fresh()}"}`.padEnd(MAX_ADMIN_BODY, " ");
    expect(Buffer.byteLength(body)).toBe(1_048_576);
    expect((await ask("/projects", { body })).status).toBe(201);
  });

  test("that is compressed is a 415 in words, whatever takes it", async () => {
    const taking = operations.filter(({ operation }) => operation.requestBody);
    expect(taking.length).toBeGreaterThan(40);
    for (const { method, path: template, operation } of taking) {
      const [type] = Object.keys(operation.requestBody!.content);
      const address = template.replace("/api/admin/v1", "").replaceAll(/\{\w+\}/g, "x");
      const body = "\u001f\u008b\u0008";
      const headers = { "content-type": type!, "content-encoding": "gzip" };
      const answer = await ask(address, { method, body, headers });
      expect([method, template, answer.status, (await errorOf(answer)).message]).toEqual([
        method,
        template,
        415,
        "compressed bodies are not accepted: send the body as it is",
      ]);
    }
  });

  test("of a stranger is refused before it is read", async () => {
    const answer = await ask("/projects", { token: null, body: "x".repeat(MAX_ADMIN_BODY + 1) });
    expect(answer.status).toBe(401);
  });

  test.each([
    ["metadata", { metadata: names(60_000, null) }],
    ["variants", { variants: names(80_000, 1) }],
    ["names that mean nothing", names(80_000, 1)],
    ["empty lists in a payload", { payload: Array.from({ length: 340_000 }, () => []) }],
  ])("of 1 MB of %s is refused in milliseconds", async (_, body) => {
    const address = await openPlace();
    const before = process.cpuUsage();
    await expectError(await ask(address, { method: "PATCH", body }), 400, "invalid", "20000 names");
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(1500);
  });

  test("nested as deeply as it gets is a 400, never a 500", async () => {
    const address = await openPlace();
    for (const depth of [65, 1000, 100_000, 500_000]) {
      for (const deep of [
        "[".repeat(depth) + "]".repeat(depth),
        `${'{"a":'.repeat(Math.min(depth, 150_000))}1${"}".repeat(Math.min(depth, 150_000))}`,
      ]) {
        const answer = await ask(address, { method: "PATCH", body: `{"payload":${deep}}` });
        await expectError(answer, 400, "invalid");
        await expectError(await ask("/projects", { body: `{"slug":${deep}}` }), 400, "invalid");
        await expectError(await ask("/projects", { body: `{"slug":"a","more":${deep}}` }), 400, "invalid");
      }
    }
  });

  test("that is not said to be JSON is refused, not taken as an empty one", async () => {
    const address = await openPlace();
    for (const type of ["application/x-www-form-urlencoded", "text/plain"]) {
      const headers = { "content-type": type };
      const answer = await ask(address, { method: "PATCH", body: '{"enabled":true}', headers });
      expect([type, [400, 415].includes(answer.status)]).toEqual([type, true]);
      await errorOf(answer);
    }
    expect((await ask(address)).status).toBe(404);
  });

  const cases: [method: string, path: string, body: unknown, field: string, ...words: string[]][] = [
    ["POST", "/projects", {}, "slug", "needs a name"],
    ["POST", "/projects", { slug: 1 }, "slug", "needs a name"],
    ["POST", "/projects", { slug: "-a" }, "slug", "starting with a letter or digit"],
    ["POST", "/projects", { slug: "a", name: "" }, "name", "empty"],
    ["POST", "/projects", { slug: "a", environments: ["x", "x"] }, "environments", "twice"],
    ["POST", "/projects", { slug: "a", environments: ["ok", "n o"] }, "environments.1", "1 to 150"],
    ["POST", "/projects", { slug: "a", key: "mine" }, "key"],
    ["POST", "/projects/p/environments", { slug: "" }, "slug", "1 to 150"],
    ["POST", "/projects/p/environments", { slug: "a", from: "!" }, "from", "1 to 150"],
    ["POST", "/projects/p/environments", { slug: "a", form: "typo" }, "form"],
    ["PATCH", "/projects/p/environments/e/flags/f", { enabled: "yes" }, "enabled", "true or false"],
    [
      "PATCH",
      "/projects/p/environments/e/flags/f",
      { expiredAt: "soon" },
      "expiredAt",
      "2027-01-31T12:00:00Z",
    ],
    ["PATCH", "/projects/p/environments/e/flags/f", { description: "x".repeat(2001) }, "description", "2000"],
    ["PATCH", "/projects/p/environments/e/flags/f", { payload: "x".repeat(300_000) }, "payload", "256 KB"],
    ["PATCH", "/projects/p/environments/e/flags/f", { slug: "other" }, "slug"],
    ["PATCH", "/projects/p/flags/f", { archived: true, ifFinished: "yes" }, "ifFinished", "true or false"],
    ["PATCH", "/projects/p/environments/e/flags/-f", {}, "flag", "1 to 150"],
    ["PATCH", "/projects/p/environments/e/flags/preview", {}, "flag", "reserved"],
    ["POST", "/forms", { slug: "a/b" }, "slug", "1 to 150"],
    ["POST", "/forms", { slug: "a", uploads: "on" }, "uploads", "true or false"],
    ["POST", "/forms", { slug: "a", successUrl: "/thanks" }, "successUrl", "https://"],
    ["POST", "/forms", { slug: "a", errorUrl: "javascript:alert(1)" }, "errorUrl", "https://"],
    [
      "POST",
      "/forms",
      { slug: "a", allowedOrigins: ["https://a.example/path"] },
      "allowedOrigins.0",
      "https://",
    ],
    ["POST", "/forms", { slug: "a", blockedSenders: ["nobody"] }, "blockedSenders.0", "203.0.113.0/24"],
    ["POST", "/forms", { slug: "a", rateLimit: { count: 0, seconds: 1 } }, "rateLimit.count", "1"],
    ["PATCH", "/forms/f", { maxFileSize: 0 }, "maxFileSize", "at least 1 byte"],
    ["PATCH", "/forms/f", { maxFileSize: 1e15 }, "maxFileSize", "10 GB"],
    ["PATCH", "/forms/f", { maxFileSize: 1.5 }, "maxFileSize"],
    ["PATCH", "/forms/f", { maxFiles: 101 }, "maxFiles", "100"],
    ["PATCH", "/forms/f", { key: "mine" }, "key"],
    ["PATCH", "/forms/f", { allowedOrigins: ["https://*.com"] }, "allowedOrigins.0", "https://*.example.com"],
    ["PATCH", "/forms/f", { allowedTypes: ["pdf"] }, "allowedTypes.0", ".pdf, image/*"],
    ["PATCH", "/forms/f", { allowedTypes: Array(101).fill(".a") }, "allowedTypes", "100 allowed types"],
    ["PATCH", "/forms/f", { opensAt: "2027-01-01" }, "opensAt", "2027-01-31T12:00:00Z"],
    ["PATCH", "/forms/f", { closesAt: "tomorrow" }, "closesAt", "2027-01-31T12:00:00Z"],
    ["PATCH", "/forms/f", { maxSubmissions: 0 }, "maxSubmissions", "from 1 to 10000"],
    ["PATCH", "/forms/f", { maxSubmissions: 10_001 }, "maxSubmissions", "from 1 to 10000"],
    ["PATCH", "/forms/f", { maxSubmissions: 1.5 }, "maxSubmissions", "whole number"],
    ["PATCH", "/forms/f", { spam: "drop" }, "spam", "keep or reject"],
    ["PATCH", "/forms/f", { honeypots: ["altcha"] }, "honeypots.0", "altcha"],
    ["PATCH", "/forms/f", { honeypots: Array(21).fill("url") }, "honeypots", "20 honeypots"],
    ["PATCH", "/forms/f", { spamWords: ["*"] }, "spamWords.0", "more than *"],
    ["PATCH", "/forms/f", { spamWords: Array(1001).fill("a") }, "spamWords", "1000 spam words"],
    ["PATCH", "/forms/f", { spamEmails: ["nobody"] }, "spamEmails.0", "*@spam.example"],
    ["PATCH", "/forms/f", { spamEmails: Array(1001).fill("a@b") }, "spamEmails", "1000 spam addresses"],
    ["PATCH", "/forms/f", { spamLinks: -1 }, "spamLinks", "from 0 to 1000"],
    ["PATCH", "/forms/f", { spamLinks: "2" }, "spamLinks", "whole number"],
    ["PATCH", "/forms/f", { spamDisposable: "on" }, "spamDisposable", "true or false"],
    ["PATCH", "/forms/f", { duplicates: 0 }, "duplicates", "seconds from 1 to 86400"],
    ["PATCH", "/forms/f", { challenge: 1 }, "challenge", "true or false"],
    ["PATCH", "/forms/f", { schema: [] }, "schema", "a schema is a JSON object"],
    ["PATCH", "/forms/f", { schema: true }, "schema", "a schema is a JSON object"],
    ["POST", "/forms", { slug: "a", schema: { type: "list" } }, "schema: ", "#/type", '"list"'],
    ["POST", "/forms", { slug: "a", schema: { $ref: "https://example.com/a" } }, "schema: ", "not fetched"],
    ["POST", "/forms", { slug: "a", schema: { title: "x".repeat(65_536) } }, "schema: ", "64 KB"],
    [
      "POST",
      "/forms",
      { slug: "a", opensAt: "2027-01-02T00:00:00Z", closesAt: "2027-01-02T01:00:00+01:00" },
      "closesAt: ",
      "before it opens",
    ],
    ["POST", "/tokens", { name: "a b" }, "name", "1 to 150"],
    ["POST", "/tokens", { name: "a", scopes: [] }, "scopes", "at least one"],
    ["POST", "/tokens", { name: "a", scopes: ["write"] }, "scopes.0", "flags:write"],
    ["POST", "/tokens", { name: "a", expiresAt: "90d" }, "expiresAt", "2027-01-31T12:00:00Z"],
    ["POST", "/tokens", { name: "a", expiresAt: "2020-01-01T00:00:00Z" }, "expire", "future"],
    ["POST", "/tokens", { name: "a", token: "mine" }, "token"],
  ];
  test.each(cases)(
    "%s %s with %j is a 400 that says what is wrong with %s",
    async (method, path, body, ...words) => {
      await expectError(await ask(path, { method, body }), 400, "invalid", ...words);
    },
  );
});

describe("a query", () => {
  test.each(["0", "1001", "-1", "1.5", "many", ""])(
    "with the limit %j is a 400 that names it",
    async (limit) => {
      await expectError(await ask(`/forms/f/submissions?limit=${limit}`), 400, "invalid", "limit");
    },
  );

  test("with a setting that it does not have is a 400 that names it", async () => {
    await expectError(await ask("/forms/f/submissions?page=2"), 400, "invalid", "page");
    await expectError(await ask("/forms/f/submissions/export?form=a"), 400, "invalid", "form");
  });

  test("with a format that there is not is a 400 that says which there are", async () => {
    await expectError(
      await ask("/forms/f/submissions/export?format=xml"),
      400,
      "invalid",
      "format",
      "jsonl",
      "csv",
    );
  });
});
