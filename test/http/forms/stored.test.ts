import { describe, expect, test } from "bun:test";
import { listSubmissions } from "../../../src/forms/inbox/submission-list.ts";
import { json, urlencoded, multipart, text, type Sent, openInbox } from "../../support/inbox.ts";

const { app, newForm, send, stored } = openInbox();

describe("a submission that is stored", () => {
  const ways: [string, Sent][] = [
    ["JSON", json({ name: "Ada" })],
    ["a urlencoded form", urlencoded("name=Ada")],
    ["a multipart form", multipart(text("name", "Ada"))],
  ];

  test.each(ways)("as %s is answered with its id under mode=rest", async (_, sent) => {
    const form = await newForm();
    const answer = await send(form.key, sent);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toStartWith("application/json");
    const { id, ...body } = (await answer.json()) as { id: string };
    expect<object>(body).toEqual({
      code: 200,
      success: true,
      message: expect.stringMatching(/\S/),
      url: "/v1/thanks",
    });
    expect((await listSubmissions(app, form, { limit: 10, before: null })).submissions).toEqual([
      {
        id,
        project: "default",
        form: form.slug,
        data: { name: "Ada" },
        files: [],
        createdAt: "2026-01-02T03:04:05.678Z",
        state: "inbox",
        spam: null,
        read: false,
        meta: null,
        flags: null,
        unchecked: null,
        assignee: null,
        labels: [],
        confirmedAt: null,
        unsubscribedAt: null,
        consent: null,
      },
    ]);
  });

  test.each(ways)("as %s is answered with a 303 to the thank-you page otherwise", async (_, sent) => {
    for (const query of ["", "?mode=", "?mode=REST", "?mode=rest2", "?mode=%20rest", "?rest"]) {
      const form = await newForm();
      const answer = await send(form.key, { ...sent, query });
      expect([answer.status, answer.headers.get("location")]).toEqual([303, "/v1/thanks"]);
      const isOther = /mode=./.test(query);
      expect(await answer.text()).toBe(
        isOther ? "mode=rest is answered with JSON, any other mode with this redirect\n" : "",
      );
      expect(await app.store.submissions.count(form.key)).toBe(1);
    }
  });

  test.each([
    ["Accept", "application/json"],
    ["Accept", "APPLICATION/JSON;q=0.9, text/plain, */*"],
    ["X-Requested-With", "XMLHttpRequest"],
    ["Sec-Fetch-Mode", "cors"],
    ["Prefer", "return=representation"],
  ])("with %s: %s is answered with JSON only under mode=rest", async (name, value) => {
    const headers = { [name]: value };
    const form = await newForm();
    for (const query of ["", "?x=1", "?mode=", "?mode=json"]) {
      for (const [, sent] of ways) {
        const answer = await send(form.key, { ...sent, headers, query });
        expect([answer.status, answer.headers.get("location")]).toEqual([303, "/v1/thanks"]);
      }
      const opened = await send(form.key, { method: "GET", headers, query });
      expect(opened.headers.get("content-type")).toBe("text/html; charset=utf-8");
    }
    expect((await send(form.key, { ...ways[0]![1], headers })).status).toBe(200);
  });

  test.each([
    ["text/html", "?mode=rest"],
    ["text/html,application/json", "?mode=rest"],
    ["*/*", "?mode=rest&x=1"],
  ])("with Accept: %s and the query %p is answered with JSON", async (accept, query) => {
    const form = await newForm();
    const answer = await send(form.key, { ...ways[0]![1], headers: { Accept: accept }, query });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([
      200,
      "application/json;charset=utf-8",
    ]);
  });

  test.each([
    ["application/json", "", true],
    ["application/json, text/plain, */*", "?mode=", true],
    ["*/*", "?mode=json", true],
    ["*/*", "", false],
    ["text/html,application/xhtml+xml,application/json;q=0.9", "", false],
    ["application/jsonx", "", false],
    ["application/json", "?mode=rest", false],
  ])(
    "with Accept: %s and the query %p is answered with a hint at mode=rest: %p",
    async (accept, query, hinted) => {
      const form = await newForm();
      for (const sent of [json({ name: "Ada" }), json({})]) {
        const answer = await send(form.key, { ...sent, headers: { Accept: accept }, query });
        const hint = hinted ? expect.stringContaining("mode=rest") : null;
        expect(answer.headers.get("x-formflag-hint")).toEqual(hint);
      }
    },
  );

  test("goes to the form's success URL, whose own query and fragment stay", async () => {
    const successUrl = "https://example.com/thanks?lang=de&x=1%202#top";
    const form = await newForm({ successUrl });
    const redirect = await send(form.key, { ...json({ a: 1 }), query: "" });
    expect([redirect.status, redirect.headers.get("location")]).toEqual([303, successUrl]);
    const rest = await send(form.key, json({ a: 1 }));
    expect(await rest.json()).toMatchObject({ url: successUrl });
  });

  test.each([
    ["https://example.com/спасибо", "https://example.com/%D1%81%D0%BF%D0%B0%D1%81%D0%B8%D0%B1%D0%BE"],
    ["https://example.com/é?q=ü", "https://example.com/%C3%A9?q=%C3%BC"],
  ])("goes to the success URL %s, encoded", async (successUrl, location) => {
    const form = await newForm({ successUrl });
    const answer = await send(form.key, { ...json({ a: 1 }), query: "" });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, location]);
    expect(await app.store.submissions.count(form.key)).toBe(1);
  });

  test("has the time of its arrival, and is listed newest first", async () => {
    const form = await newForm();
    const before = app.clock.now;
    for (const n of [1, 2]) {
      await stored(form, json({ n }));
      app.clock.now += 1000;
    }
    app.clock.now = before;
    const { submissions } = await listSubmissions(app, form, { limit: 10, before: null });
    expect(submissions.map(({ data, createdAt }) => [data["n"], createdAt])).toEqual([
      [2, "2026-01-02T03:04:06.678Z"],
      [1, "2026-01-02T03:04:05.678Z"],
    ]);
  });
});
