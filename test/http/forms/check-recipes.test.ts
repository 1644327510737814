import { describe, expect, test } from "bun:test";
import { json } from "../../support/inbox.ts";
import { openRecipes } from "../../support/peers/check-recipe.ts";

const { checkedBy, refused, stored } = openRecipes();

/** A service that answers a recipe, and the last request it got. */
function openService(answer: (body: string, request: Request) => Response) {
  const last = { body: "" };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      last.body = await request.text();
      return answer(last.body, request);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/`,
    last,
    [Symbol.dispose]: () => void server.stop(true),
  };
}

/** The answers of siteverify, as Turnstile and hCaptcha document them. */
function siteverify(body: string): Response {
  const { secret, response } = Object.fromEntries(new URLSearchParams(body));
  if (secret !== "right") return Response.json({ success: false, "error-codes": ["invalid-input-secret"] });
  if (response === "solved") return Response.json({ success: true, challenge_ts: "2027-01-31T12:00:00Z" });
  return Response.json({ success: false, "error-codes": ["timeout-or-duplicate"] });
}

describe("the recipe of a check", () => {
  test.each(["cf-turnstile-response", "h-captcha-response"])(
    "for challenges refuses a submission whose %s is missing or wrong",
    async (field) => {
      using service = openService(siteverify);
      const env = { SITEVERIFY: service.url, CAPTCHA_SECRET: "right" };
      await using check = await checkedBy("turnstile", env);
      expect(await stored(check.form, json({ a: 1, [field]: "solved" }))).toMatchObject({ state: "inbox" });
      expect(await refused(check.form, json({ a: 1, [field]: "spent" }), 403)).toContain(
        "solve the challenge again",
      );
      expect(await refused(check.form, json({ a: 1 }), 403)).toContain("solve the challenge");
    },
  );

  test("for challenges fails with a wrong secret, and blames no sender", async () => {
    using service = openService(siteverify);
    await using check = await checkedBy("turnstile", { SITEVERIFY: service.url, CAPTCHA_SECRET: "wrong" });
    const sent = json({ "cf-turnstile-response": "solved" });
    expect(await refused(check.form, sent, 403)).toContain("could not be checked");
  });

  test("for Akismet files what it calls spam, and tells it who sent what", async () => {
    using service = openService((body) => {
      const { api_key: key, comment_author: author } = Object.fromEntries(new URLSearchParams(body));
      if (key !== "right")
        return new Response("invalid", { headers: { "X-akismet-debug-help": "no such key" } });
      // The author by which Akismet's own tests are spam.
      return new Response(String(author === "viagra-test-123"));
    });
    const env = { AKISMET: service.url, AKISMET_KEY: "right", SITE: "https://larch.example" };
    await using check = await checkedBy("akismet", env, { metadata: "full" });
    const message = { name: "Ann", email: "ann@example.com", message: "Hello" };
    expect(await stored(check.form, json(message))).toMatchObject({ state: "inbox" });
    expect(Object.fromEntries(new URLSearchParams(service.last.body))).toMatchObject({
      blog: "https://larch.example",
      user_ip: "203.0.113.7",
      comment_author_email: "ann@example.com",
      comment_content: "Hello",
    });
    const spam = await stored(check.form, json({ ...message, name: "viagra-test-123" }));
    expect(spam.spam).toBe("check:Akismet");
    await using wrong = await checkedBy("akismet", { ...env, AKISMET_KEY: "wrong" });
    await refused(wrong.form, json(message), 403);
  });

  test("for a model of its own files what that calls spam, and fails where it answers in prose", async () => {
    const said = (content: string) =>
      Response.json({ choices: [{ message: { role: "assistant", content } }] });
    using service = openService((body) => {
      const { messages } = JSON.parse(body) as { messages: { content: string }[] };
      const { text } = JSON.parse(messages[1]!.content) as { text: string };
      return said(text === "odd" ? "I think so." : JSON.stringify({ spam: text === "buy", why: "it sells" }));
    });
    await using check = await checkedBy("model", { CHAT: service.url });
    expect(await stored(check.form, json({ text: "hi" }))).toMatchObject({ state: "inbox" });
    expect((await stored(check.form, json({ text: "buy" }))).spam).toBe("check:a model: it sells");
    await refused(check.form, json({ text: "odd" }), 403);
  });

  test("answers 401 to a request that this server did not sign", async () => {
    await using check = await checkedBy("model", {});
    const headers = {
      "webhook-id": "x",
      "webhook-timestamp": String(Math.floor(Date.now() / 1000)),
      "webhook-signature": "v1,AAAA",
    };
    const answer = await fetch(check.url, { method: "POST", headers, body: "{}" });
    expect(answer.status).toBe(401);
  });
});
