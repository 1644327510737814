import { describe, expect, test } from "bun:test";
import { openServices } from "../../support/app.ts";
import { json, openInbox } from "../../support/inbox.ts";

const { app, newForm, send, storingNothing } = openInbox();

describe("links", () => {
  const EVIL = "https://evil.example/";

  test("stand under --public-url where it is set, with or without a slash at its end", async () => {
    for (const publicUrl of ["https://forms.example.com/base", "https://forms.example.com/base/"]) {
      const service = openServices(app, publicUrl).forms;
      const form = await newForm();
      const thanks = await send(form.key, { ...json({ a: 1 }), query: "" }, service);
      expect(thanks.headers.get("location")).toBe("https://forms.example.com/base/v1/thanks");
      const error = await send(form.key, { ...json({}), query: "" }, service);
      expect(error.headers.get("location")).toStartWith("https://forms.example.com/base/v1/error?code=400&");
      expect(await (await send(form.key, json({}), service)).json()).toMatchObject({
        url: error.headers.get("location"),
      });
    }
  });

  test("never come from Host, X-Forwarded-Host, a Referer, an Origin or a query", async () => {
    const form = await newForm();
    const headers = {
      Host: "evil.example",
      "X-Forwarded-Host": "evil.example",
      Forwarded: "host=evil.example",
      Referer: EVIL,
      Origin: "https://evil.example",
    };
    const names = ["url", "redirect", "next", "success_url", "successUrl", "error_url", "errorUrl", "return"];
    const query = `?${names.map((name) => `${name}=${encodeURIComponent(EVIL)}`).join("&")}`;
    for (const [sent, path] of [
      [json({ url: EVIL, _next: EVIL, redirect: EVIL }), "/v1/thanks"],
      [json({}), "/v1/error"],
    ] as const) {
      const redirect = await send(form.key, { ...sent, headers, query });
      const location = redirect.headers.get("location")!;
      expect([redirect.status, location.split("?")[0]]).toEqual([303, path]);
      expect(decodeURIComponent(location)).not.toContain("evil");
      const rest = await send(form.key, { ...sent, headers, query: `${query}&mode=rest` });
      expect(await rest.text()).not.toContain("evil");
    }
  });

  test("to a form's error URL encode the message, whatever a sender names", async () => {
    const form = await newForm({ errorUrl: "https://example.com/oops" });
    const name = `a&b=c#d?%0d\r\n${"é".repeat(200)}`;
    const answer = await send(form.key, { ...json({ [name]: 1 }), query: "" });
    const url = new URL(answer.headers.get("location")!);
    expect([url.origin, url.pathname, url.hash]).toEqual(["https://example.com", "/oops", ""]);
    expect([...url.searchParams.keys()]).toEqual(["code", "message"]);
    expect(url.searchParams.get("message")).toContain(String.raw`a&b=c#d?%0d\r\n`);
  });

  test("to an error URL in any language are encoded", async () => {
    const form = await newForm({ errorUrl: "https://example.com/ошибка" });
    const answer = await send(form.key, { ...json({}), query: "" });
    expect(answer.headers.get("location")).toStartWith(
      "https://example.com/%D0%BE%D1%88%D0%B8%D0%B1%D0%BA%D0%B0?code=400&message=",
    );
  });
});

describe("other methods", () => {
  test.each(["GET", "PUT", "PATCH", "DELETE"])(
    "%s is answered with 405, as JSON under mode=rest",
    async (method) => {
      const form = await newForm();
      const rest = await storingNothing(() => send(form.key, { method }));
      expect([rest.status, rest.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
      expect(await rest.json()).toEqual({
        error: true,
        code: 405,
        message: expect.stringContaining("POST"),
        url: expect.stringMatching(/^\/v1\/error\?code=405&/),
      });
      const page = await storingNothing(() => send(form.key, { method, query: "" }));
      expect([page.status, page.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
      expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    },
  );
});

test("the signed address of an error page stands for no page of another kind", async () => {
  const { forms } = openServices(app);
  const own = await newForm({ language: "de" });
  const signed = async (key: string, sent: Parameters<typeof send>[1]) =>
    new URL((await send(key, { ...sent, query: "" })).headers.get("location")!, "http://a.example")
      .searchParams;
  const read = async (query: URLSearchParams) => {
    const answer = await forms.routes.request(`/v1/error?${query.toString()}`);
    return { status: answer.status, text: await answer.text() };
  };
  // "no such form" has a code, a message and no detail: as many values as a form, a code and a problem begin with.
  const plain = await signed("nosuchformkeynosuchform12", json({ a: 1 }));
  const ofForm = await signed(own.key, json({}));
  expect([(await read(plain)).status, (await read(ofForm)).status]).toEqual([404, 400]);
  const [code, message] = [plain.get("code")!, plain.get("message")!];
  const signature = plain.get("signature")!;
  const unsigned = await read(new URLSearchParams({ form: own.key, code: "400", problem: "general" }));
  for (const swapped of [
    { form: code, code: message, signature },
    { form: code, code: message, problem: "", signature },
    {
      code: ofForm.get("form")!,
      message: ofForm.get("code")!,
      detail: ofForm.get("problem")!,
      signature: ofForm.get("signature")!,
    },
    { message: code, detail: message, signature },
  ]) {
    const { status, text } = await read(new URLSearchParams(swapped));
    expect([swapped, status]).toEqual([swapped, unsigned.status]);
    expect(text).not.toContain(message);
  }
});
