import { describe, expect, test } from "bun:test";
import { isTargetRequest, requestAfter } from "../../../src/delivery/requests/request.ts";
import { AppError } from "../../../src/base/errors.ts";

const HOOK = { kind: "webhook" } as const;

const refusalOf = async (headers: string[]) => {
  try {
    await requestAfter(HOOK, { headers }, null);
  } catch (error) {
    if (error instanceof AppError) return `${error.reason}: ${error.message}`;
    throw error;
  }
  return null;
};

describe("the headers of a request", () => {
  test("are a name and a value each, without the spaces around it", async () => {
    const request = await requestAfter(
      HOOK,
      { headers: ["Authorization:  Bearer a:b ", "X-Name: é, b"] },
      null,
    );
    expect(request).toEqual({
      method: "POST",
      headers: [
        { name: "Authorization", value: "Bearer a:b" },
        { name: "X-Name", value: "é, b" },
      ],
      body: null,
    });
    expect(isTargetRequest(JSON.parse(JSON.stringify(request)))).toBe(true);
  });

  test("are refused where they belong to the connection, the body or the signature, without their values", async () => {
    const names = ["Host", "content-type", "Content-Length", "Webhook-Signature", "webhook-id", "Connection"];
    const hops = [
      "Keep-Alive",
      "Proxy-Authorization",
      "TE",
      "Trailer",
      "Transfer-Encoding",
      "Upgrade",
      "Expect",
      "traceparent",
    ];
    for (const name of [...names, ...hops]) {
      const refusal = await refusalOf([`${name}: SECRET`]);
      expect(refusal).toStartWith(`target-header: the header ${name} is set by`);
      expect(refusal).not.toContain("SECRET");
    }
  });

  test("are refused if they are empty, repeated, too long, too many or no header, without their values", async () => {
    const cases: string[][] = [
      ["X-A:"],
      ["X-A:   "],
      ["X-A: SECRET", "x-a: SECRET"],
      [`X-A: SECRET${"x".repeat(4096)}`],
      ["X-A: SECRET\r\nX-B: c"],
      ["X-A: SECRET\0"],
      ["X-A: SECRET\x7f"],
      ["X-A: SECRET\x85"],
      ["X-A: SECRET 😀"],
      ["X-A: SECRET\tx"],
      ["X A: SECRET"],
      ["X-Ä: SECRET"],
      [": SECRET"],
      ["SECRET SECRET"],
      ["X-A"],
      Array.from({ length: 11 }, (_, index) => `X-${index}: SECRET`),
    ];
    for (const headers of cases) {
      const refusal = await refusalOf(headers);
      expect([headers, refusal]).toEqual([headers, expect.stringMatching(/^target-header: /)]);
      expect(refusal).not.toContain("SECRET");
    }
    expect(await refusalOf(Array.from({ length: 10 }, (_, index) => `X-${index}: a`))).toBeNull();
  });

  test("replace those before, of which a name alone keeps its value", async () => {
    const before = await requestAfter(HOOK, { headers: ["X-A: 1", "X-B: 2"], method: "PUT" }, null);
    const after = await requestAfter(HOOK, { headers: ["x-b", "X-C: 3"] }, before);
    expect(after).toMatchObject({
      method: "PUT",
      headers: [
        { name: "X-B", value: "2" },
        { name: "X-C", value: "3" },
      ],
    });
    expect(await requestAfter(HOOK, { body: "{}" }, after)).toEqual({ ...after!, body: "{}" });
    expect(await requestAfter(HOOK, { headers: [], method: "POST" }, after)).toBeNull();
  });
});

test("A chat service and a mail address get no request of their own", async () => {
  for (const kind of ["slack", "mail"] as const) {
    for (const given of [{ headers: ["X-A: b"] }, { body: "{}" }, { method: "PUT" as const }])
      expect(await requestAfter({ kind }, given, null).catch((error) => error.reason)).toBe("target-request");
    expect(await requestAfter({ kind }, { headers: [], body: null, method: "POST" }, null)).toBeNull();
  }
});

test("A stored request is recognised by its members, and another is not", () => {
  const good = { method: "PUT", headers: [{ name: "X-A", value: "b" }], body: null };
  expect(isTargetRequest(good)).toBe(true);
  for (const bad of [
    null,
    [],
    { ...good, method: "GET" },
    { ...good, headers: [{ name: "Host", value: "b" }] },
    { ...good, headers: [{ name: "X-A", value: "b\n" }] },
    { ...good, body: 1 },
  ])
    expect(isTargetRequest(bad)).toBe(false);
});
