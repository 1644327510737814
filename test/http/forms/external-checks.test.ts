import { describe, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import type { Outgoing } from "../../../src/delivery/outgoing.ts";
import { createCheckSecrets } from "../../../src/forms/spam/external-checks.ts";
import { EXTERNAL_CHECKS } from "../../../src/forms/limits.ts";
import { createOutgoing } from "../../../src/send/outgoing.ts";
import { eventually } from "../../support/eventually.ts";
import { file, json, multipart, openInbox, plain, text, urlencoded } from "../../support/inbox.ts";

const { app, forms, outgoing, newForm, send, open, stored, refused } = openInbox();
const sender = createOutgoing({ targetNetworks: ["127.0.0.0/8"], mail: null }, Date.now, "1.0.0");
const reallyAsk: Outgoing["ask"] = (...asked) => sender.ask(...asked);
outgoing.ask = reallyAsk;

type Check = { type: string; data: { id: string; data: object; files: { url: string }[] } };

/** A service that judges, and what it was asked. */
function openCheck(answer: (check: Check) => unknown) {
  const asked: { check: Check; body: string; headers: Record<string, string> }[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const body = await request.text();
      const check = JSON.parse(body) as Check;
      asked.push({ check, body, headers: Object.fromEntries(request.headers) });
      const said = await answer(check);
      return said instanceof Response ? said : Response.json(said);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/check`,
    asked,
    [Symbol.dispose]: () => void server.stop(true),
  };
}

const says = (verdict: string, reason?: string) => openCheck(() => ({ verdict, reason }));

describe("an external check", () => {
  test("gets the submission as a webhook that it can verify, with the digits of its numbers", async () => {
    using check = says("ok");
    const form = await newForm({ checks: [check.url], metadata: "truncated" });
    const { id, meta, unchecked } = await stored(
      form,
      json({ name: "Ada", n: 12345678901234567890n.toString() }),
    );
    const [{ body, headers }] = check.asked as [(typeof check.asked)[number]];
    const secret = await createCheckSecrets(app)(form.key, check.url);
    expect(new Webhook(secret).verify(body, headers)).toMatchObject({
      type: "submission.check",
      data: { id, form: form.slug, data: { name: "Ada" }, files: [], state: "inbox", spam: null, meta },
    });
    expect(headers["webhook-id"]).toBe(id);
    expect([check.asked.length, unchecked]).toEqual([1, null]);
    expect(() => new Webhook(secret).verify(body.replace("Ada", "Eve"), headers)).toThrow();
  });

  test("gets a submission whose sender has to confirm it as one that waits for that", async () => {
    using check = says("ok");
    const form = await newForm({ checks: [check.url], optIn: "email" });
    const { state } = await stored(form, json({ email: "ada@example.com" }));
    const [{ body }] = check.asked as [(typeof check.asked)[number]];
    expect(JSON.parse(body)).toMatchObject({ data: { state, confirmedAt: null } });
    expect(state).toBe("unconfirmed");
  });

  test("files what it calls spam in the spam folder, with the reason in one line", async () => {
    using check = says("spam", " it  sells\nwatches ");
    const form = await newForm({ checks: [check.url] });
    expect(await stored(form, plain)).toMatchObject({
      state: "spam",
      spam: "check:it sells watches",
      unchecked: null,
    });
    using silent = says("spam");
    expect(await stored(await newForm({ checks: [silent.url] }), plain)).toMatchObject({ spam: "check" });
    await refused(await newForm({ checks: [silent.url], spam: "reject" }), plain, 403);
  });

  test("refuses a submission with 403 and its reason, or with a page", async () => {
    using check = says("refuse", "solve the challenge");
    const form = await newForm({ checks: [check.url], uploads: true });
    expect(await refused(form, plain, 403)).toBe("this submission was refused: solve the challenge");
    expect(await refused(form, multipart(file("a.txt", "x")), 403)).toContain("solve the challenge");
    const answer = await send(form.key, { ...plain, query: "" });
    expect([answer.status, answer.headers.get("location")]).toEqual([
      303,
      expect.stringMatching(/^\/v1\/error\?code=403/),
    ]);
    const page = await open(answer.headers.get("location")!);
    expect([page.status, await page.text()]).toEqual([403, expect.stringContaining("solve the challenge")]);
  });

  test("is asked about nothing that another check of the form finds", async () => {
    using check = says("ok");
    const form = await newForm({
      checks: [check.url],
      spamWords: ["casino"],
      duplicates: 60,
      schema: { required: ["a"] },
      maxSubmissions: 1,
    });
    await stored(form, urlencoded("a=casino"));
    await stored(form, urlencoded("a=1&_gotcha=x"));
    await refused(form, urlencoded("b=1"), 422);
    expect(check.asked).toHaveLength(0);
    await stored(form, urlencoded("a=1"));
    await stored(form, urlencoded("a=1"));
    await refused(form, urlencoded("a=2"), 409);
    expect(check.asked).toHaveLength(1);
    await stored(await newForm({ checks: [check.url], challenge: true }), plain);
    expect(check.asked).toHaveLength(1);
  });

  test("is not asked again about a repeat, and decides once about a double click", async () => {
    using check = says("ok");
    const form = await newForm({ checks: [check.url] });
    const keyed = { ...plain, headers: { "Idempotency-Key": "k1" } };
    const [one, other] = await Promise.all([stored(form, keyed), stored(form, keyed)]);
    expect(one.id).toBe(other.id);
    const { length } = check.asked;
    expect((await stored(form, keyed)).id).toBe(one.id);
    expect(check.asked).toHaveLength(length);
    expect(await app.store.submissions.count(form.key)).toBe(1);
  });

  test("is asked beside the others of its form, of which the strictest verdict counts", async () => {
    const all = Promise.withResolvers<void>();
    let count = 0;
    const together = (verdict: string) =>
      openCheck(async () => {
        if ((count += 1) === 3) all.resolve();
        await all.promise;
        return { verdict };
      });
    using ok = together("ok");
    using spam = together("spam");
    using other = together("ok");
    const form = await newForm({ checks: [ok.url, spam.url, other.url] });
    expect(await stored(form, plain)).toMatchObject({ spam: "check" });
    using refusal = says("refuse");
    await refused(await newForm({ checks: [refusal.url, spam.url] }), plain, 403);
  });

  test("that fails lets a submission pass, which says so", async () => {
    const answers: [unknown, string][] = [
      [new Response("no", { status: 500 }), "the answer was 500"],
      [new Response("", { status: 302, headers: { Location: "/" } }), "redirects are not followed"],
      [{ verdict: "maybe" }, "the answer of 127.0.0.1 is no verdict"],
      [["ok"], "no verdict"],
      [new Response("ok"), "no verdict"],
      [{ verdict: "ok", reason: "x".repeat(20_000) }, "no verdict"],
    ];
    for (const [answer, why] of answers) {
      using check = openCheck(() => answer);
      const { state, unchecked } = await stored(await newForm({ checks: [check.url] }), plain);
      expect([state, unchecked]).toEqual(["inbox", expect.stringContaining(why)]);
    }
    const gone = await newForm({ checks: ["http://127.0.0.1:1/check"] });
    expect((await stored(gone, plain)).unchecked).toContain("the connection to 127.0.0.1 failed");
  });

  test("that fails makes a submission spam, or refuses it, where the form says so", async () => {
    using broken = openCheck(() => new Response("no", { status: 500 }));
    using fine = says("ok");
    const checks = [broken.url, fine.url];
    const spam = await stored(await newForm({ checks, checkFailing: "spam" }), plain);
    expect(spam).toMatchObject({ spam: "unchecked", unchecked: expect.stringContaining("500") });
    const form = await newForm({ checks, checkFailing: "refuse" });
    expect(await refused(form, plain, 403)).toContain("could not be checked");
  });

  test("at an address that is not public is not asked, whatever its name says later", async () => {
    using check = says("refuse");
    const form = await newForm({ checks: [check.url] });
    const strict = createOutgoing({ targetNetworks: [], mail: null }, Date.now, "1.0.0");
    outgoing.ask = (...asked) => strict.ask(...asked);
    expect((await stored(form, plain)).unchecked).toContain("neither public nor permitted");
    outgoing.ask = reallyAsk;
    expect(check.asked).toHaveLength(0);
  });

  test("opens the files of a submission while it judges, and until it refuses it", async () => {
    let verdict = "ok";
    const read: [number, string][] = [];
    using check = openCheck(async ({ data: { files } }) => {
      for (const { url } of files) {
        const answer = await open(url);
        read.push([answer.status, await answer.text()]);
      }
      return { verdict };
    });
    const form = await newForm({ checks: [check.url], uploads: true });
    const upload = multipart(text("a", "1"), file("first.txt", "one"), file("ü.txt", "two"));
    await stored(form, upload);
    verdict = "refuse";
    await refused(form, upload, 403);
    expect(read).toEqual([
      [200, "one"],
      [200, "two"],
      [200, "one"],
      [200, "two"],
    ]);
    const [kept, gone] = check.asked.map(({ check: { data } }) => data.files[0]!.url);
    const [first, second] = [await open(kept!), await open(gone!)];
    expect([first.status, first.headers.get("content-disposition")]).toEqual([
      200,
      expect.stringContaining("first.txt"),
    ]);
    expect(second.status).toBe(404);
  });

  test("that hangs holds up nothing else, and so many submissions of a form wait for it", async () => {
    const held = Promise.withResolvers<{ answer: string }>();
    let waiting = 0;
    outgoing.ask = () => {
      waiting += 1;
      return held.promise;
    };
    const form = await newForm({ checks: ["https://check.example.com/"] });
    const most = EXTERNAL_CHECKS.waitingOfForm;
    const answers = Array.from({ length: most }, () => stored(form, plain));
    await eventually(`${most} that wait`, () => waiting === most);
    expect((await stored(form, plain)).unchecked).toBe("too many submissions wait for checks");
    await stored(await newForm(), plain);
    held.resolve({ answer: '{"verdict":"spam"}' });
    for (const { spam } of await Promise.all(answers)) expect(spam).toBe("check");
    expect(await stored(form, plain)).toMatchObject({ spam: "check", unchecked: null });
    expect(waiting).toBe(most + 1);
    outgoing.ask = reallyAsk;
  });

  test("has no say about a submission whose sender has left, which is not stored", async () => {
    const left = new AbortController();
    using check = openCheck(() => {
      left.abort();
      return { verdict: "ok" };
    });
    const form = await newForm({ checks: [check.url], uploads: true });
    const { body, type } = multipart(file("a.txt", "x"));
    const request = new Request(`http://forms.test/v1/s/${form.key}?mode=rest`, {
      method: "POST",
      signal: left.signal,
      body,
      headers: { "Content-Type": type },
    });
    const client = { address: "203.0.113.7", isLocal: false };
    expect((await forms.submit(request, form.key, () => client as never)).status).toBe(400);
    expect(await app.store.submissions.count(form.key)).toBe(0);
    expect(await app.store.submissions.files("", 10)).not.toContainEqual(
      expect.objectContaining({ name: "a.txt" }),
    );
  });
});
