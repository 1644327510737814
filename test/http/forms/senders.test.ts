import { BlockList } from "node:net";
import { describe, expect, spyOn, test } from "bun:test";
import { setForm } from "../../../src/forms/forms.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { CLIENT, json, type Sent, openInbox } from "../../support/inbox.ts";

const { app, newForm, send, open, storingNothing, refused, stored } = openInbox();

describe("origins:", () => {
  const ALLOWED = "https://example.com";
  const limited = () => newForm({ allowedOrigins: [ALLOWED, "http://localhost:3000"] });
  const from = (origin: string): Sent => ({ ...json({ a: 1 }), headers: { Origin: origin } });
  const preflight = (origin: string): Sent => ({
    method: "OPTIONS",
    query: "",
    headers: {
      Origin: origin,
      "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Headers": "content-type,x-requested-with",
    },
  });

  /** The page that may read an answer, whether it may send cookies, and what the answer depends on. */
  const readers = ({ headers }: Response) => [
    headers.get("access-control-allow-origin"),
    headers.get("access-control-allow-credentials"),
    headers.get("vary"),
  ];

  test("a preflight is answered with 204 and what the request asks for", async () => {
    const form = await newForm();
    const answer = await storingNothing(() => send(form.key, preflight("https://any.example")));
    expect(answer.status).toBe(204);
    expect(await answer.text()).toBe("");
    expect(readers(answer)).toEqual(["https://any.example", "true", "Origin"]);
    expect(answer.headers.get("access-control-allow-methods")).toContain("POST");
    const allowed = answer.headers.get("access-control-allow-headers")!.split(", ");
    expect(allowed).toEqual(expect.arrayContaining(["content-type", "x-requested-with"]));
  });

  test("a preflight of an unknown form is answered alike, so that the page can read the 404", async () => {
    const answer = await send("nope", preflight("https://any.example"));
    expect([answer.status, ...readers(answer)]).toEqual([204, "https://any.example", "true", "Origin"]);
  });

  test("a preflight from an origin that is allowed names it, and from another one names none", async () => {
    const form = await limited();
    const allowed = await send(form.key, preflight(ALLOWED));
    expect([allowed.status, ...readers(allowed)]).toEqual([204, ALLOWED, "true", "Origin"]);
    const other = await send(form.key, preflight("https://evil.example"));
    expect([other.status, ...readers(other)]).toEqual([204, null, null, "Origin"]);
  });

  test("any origin may post and read the answer, stored or refused", async () => {
    const form = await newForm();
    for (const origin of ["https://any.example", "null", "http://localhost:3000"]) {
      for (const query of ["?mode=rest", ""]) {
        for (const key of [form.key, "nope"]) {
          const answer = await send(key, { ...from(origin), query });
          expect(readers(answer)).toEqual([origin, "true", "Origin"]);
          const page = answer.headers.get("location");
          if (page) expect(readers(await open(page, { Origin: origin }))).toEqual([origin, "true", "Origin"]);
        }
        const refused = await send(form.key, { ...json({}), headers: { Origin: origin }, query });
        expect(readers(refused)).toEqual([origin, "true", "Origin"]);
      }
    }
  });

  test("a client that names no origin, or none that a header can have, gets an answer for any page", async () => {
    const form = await newForm();
    for (const sent of [
      json({ a: 1 }),
      json({}),
      from("https://é.example"),
      from(`https://${"x".repeat(2000)}`),
    ])
      expect(readers(await send(form.key, sent))).toEqual(["*", null, null]);
    expect(readers(await open("/v1/thanks"))).toEqual(["*", null, null]);
  });

  test("a page that hides its origin is refused with what hides it, another one is not", async () => {
    const form = await limited();
    const answers = await Promise.all(
      ["null", "https://other.example"].map((origin) => send(form.key, from(origin))),
    );
    const messages = await Promise.all(
      answers.map(async (each) => ((await each.json()) as { message: string }).message),
    );
    expect(answers.map(({ status }) => status)).toEqual([403, 403]);
    expect(messages.map((message) => message.includes("Referrer-Policy"))).toEqual([true, false]);
  });

  test("an allowed origin may post and read the answer, stored or refused", async () => {
    const form = await limited();
    for (const origin of [ALLOWED, "http://localhost:3000"]) {
      const answer = await send(form.key, from(origin));
      expect([answer.status, ...readers(answer)]).toEqual([200, origin, "true", "Origin"]);
      const empty = await send(form.key, { ...json({}), headers: { Origin: origin } });
      expect([empty.status, empty.headers.get("access-control-allow-origin")]).toEqual([400, origin]);
    }
  });

  test.each([
    "https://evil.example",
    "null",
    "http://example.com",
    "https://example.com:444",
    "https://sub.example.com",
  ])("%s is none of the allowed ones", async (origin) => {
    const form = await limited();
    const answer = await storingNothing(() => send(form.key, from(origin)));
    expect([answer.status, ...readers(answer)]).toEqual([403, null, null, "Origin"]);
  });

  test("what names no origin is no browser and may post", async () => {
    const form = await limited();
    await stored(form, json({ a: 1 }));
  });
});

describe("senders:", () => {
  test("an address or a range that is blocked may not post, and its neighbour may", async () => {
    const form = await newForm({ blockedSenders: ["203.0.113.8", "198.51.100.0/25", "2001:db8::/32"] });
    for (const client of ["203.0.113.8", "198.51.100.127", "2001:db8:1::1"]) {
      await refused(form, { ...json({ a: 1 }), client }, 403);
    }
    for (const client of ["203.0.113.7", "198.51.100.128", "2001:db9::1"]) {
      await stored(form, { ...json({ a: 1 }), client });
    }
  });

  test("are looked up in a list that is built once, until the form changes", async () => {
    const blockedSenders = Array.from({ length: 1000 }, (_, index) => `10.0.${index >> 8}.${index & 255}`);
    const form = await newForm({ blockedSenders });
    using built = spyOn(BlockList.prototype, "addAddress");
    for (let count = 0; count < 5; count += 1) await stored(form, json({ a: 1 }));
    expect(built).toHaveBeenCalledTimes(1000);
    await setForm(app, OPERATOR, form.key, { blockedSenders: [CLIENT] });
    for (let count = 0; count < 2; count += 1) await refused(form, json({ a: 1 }), 403);
    expect(built).toHaveBeenCalledTimes(1001);
  });

  test("what a sender claims in X-Forwarded-For does not unblock it", async () => {
    const form = await newForm({ blockedSenders: [CLIENT] });
    await refused(form, { ...json({ a: 1 }), headers: { "X-Forwarded-For": "192.0.2.1" } }, 403);
  });
});

describe("a rate limit", () => {
  const limited = () => newForm({ rateLimit: { count: 2, seconds: 60 } });
  const one = json({ a: 1 });

  test("lets its count pass, then answers 429 with Retry-After until its time is over", async () => {
    const form = await limited();
    await stored(form, one);
    app.clock.now += 10_000;
    await stored(form, one);
    for (const [wait, passed] of [
      ["50", 0],
      ["50", 1],
      ["1", 49_998],
    ] as const) {
      app.clock.now += passed;
      const answer = await storingNothing(() => send(form.key, one));
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, wait]);
      expect(await answer.json()).toMatchObject({ error: true, code: 429 });
    }
    app.clock.now += 1;
    await stored(form, one);
    await stored(form, one);
    expect(await refused(form, one, 429)).toContain("60 seconds");
  });

  test("answers 303 with Retry-After where mode=rest is not asked for", async () => {
    const form = await limited();
    await stored(form, one);
    await stored(form, one);
    const headers = { Accept: "application/json" };
    const answer = await storingNothing(() => send(form.key, { ...one, headers, query: "" }));
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([303, "60"]);
    expect(answer.headers.get("location")).toStartWith("/v1/error?code=429&");
  });

  test("counts each sender and each form on its own", async () => {
    for (const form of [await limited(), await limited()]) {
      for (const client of ["203.0.113.1", "203.0.113.2", "2001:db8::1"]) {
        await stored(form, { ...one, client });
        await stored(form, { ...one, client });
        await refused(form, { ...one, client }, 429);
      }
    }
  });

  test("counts the addresses of one IPv6 network together", async () => {
    const form = await limited();
    await stored(form, { ...one, client: "2001:db8:1:2::1" });
    await stored(form, { ...one, client: "2001:db8:1:2:ffff::2" });
    await refused(form, { ...one, client: "2001:db8:1:2::3" }, 429);
    await stored(form, { ...one, client: "2001:db8:1:3::1" });
  });

  test("never holds for loopback", async () => {
    const form = await newForm({ rateLimit: { count: 1, seconds: 60 } });
    for (const client of ["127.0.0.1", "127.0.0.1", "127.1.2.3", "127.1.2.3", "::1", "::1"]) {
      await stored(form, { ...one, client });
    }
  });

  test("is none unless it is set", async () => {
    const form = await newForm();
    for (let count = 0; count < 300; count += 1) await stored(form, one);
  });
});
