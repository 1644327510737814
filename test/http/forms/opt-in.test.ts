import { describe, expect, test } from "bun:test";
import { delivered, unanswered } from "../../../src/delivery/attempt.ts";
import { createOutbox } from "../../../src/delivery/outbox.ts";
import type { NewForm } from "../../../src/forms/form.ts";
import { createForm, setForm } from "../../../src/forms/forms.ts";
import { titleOfContent } from "../../../src/forms/inbox/titles.ts";
import { replyToSubmission } from "../../../src/forms/inbox/reply.ts";
import { markSubmissions } from "../../../src/forms/inbox/submission-marks.ts";
import { retentionJob } from "../../../src/forms/keeping/retention.ts";
import { purgeSubmissions } from "../../../src/forms/keeping/purge.ts";
import { createOptInLinks } from "../../../src/forms/opt-in/links.ts";
import { fakeOutgoing } from "../../support/peers/outgoing.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { codeOf } from "../../support/refusals.ts";
import { BASE, openSites } from "../../support/site.ts";

const DAY = 86_400_000;

const { app, services, openSite } = openSites();
const { ask } = openSite(services);
const outgoing = fakeOutgoing();
const outbox = createOutbox(
  app,
  {
    holder: "test",
    outgoing: async () => outgoing,
    titleOf: titleOfContent,
    inWords: () => null,
    files: {
      url: async () => "",
      open: async () => new Blob([]).stream(),
      optIn: createOptInLinks(app, BASE),
    },
    retryDelays: [5],
    report: { attempted: () => {}, error: (error) => expect(error).toBeUndefined(), failed: () => {} },
  },
  () => {},
);

let forms = 0;

/** A form whose senders confirm, and ways to send to it, to get its mail and to follow links. */
async function open(settings: Partial<NewForm> = {}) {
  const slug = `newsletter-${(forms += 1)}`;
  const { key } = await createForm(app, OPERATOR, { slug, optIn: "email", ...settings });
  const post = (fields: object, headers: Record<string, string> = {}, query = "?mode=rest") =>
    ask(`/v1/s/${key}${query}`, {
      method: "POST",
      body: JSON.stringify(fields),
      headers: { "Content-Type": "application/json", ...headers },
    });
  const submit = async (fields: object, headers?: Record<string, string>) => {
    const answer = await post(fields, headers);
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { id: string }).id;
  };
  return { key, slug, post, submit };
}

/** The mail that is sent until now. */
async function mail() {
  await outbox.job.run();
  return outgoing.sent.splice(0).flatMap((each) => ("mail" in each ? [each.mail] : []));
}

const linkIn = ({ text }: { text: string }) => /http:\S+/.exec(text)![0].slice(BASE.length);
const find = (id: string) => app.store.submissions.find(id);
const confirm = (link: string) => ask(link, { method: "POST", body: new URLSearchParams() });

describe("a form whose senders confirm", () => {
  test("keeps a submission apart and asks its address, until a person presses the button of the page, once", async () => {
    const { key, submit } = await open({ notify: ["ops@example.com"], autoreply: true });
    app.clock.now += DAY;
    const id = await submit({ email: "Ann@Example.com", name: "Ann" });
    expect(await find(id)).toMatchObject({ state: "unconfirmed", confirmedAt: null });
    expect(await app.store.submissions.count(key, ["inbox", "archived"])).toBe(0);
    const [request, ...others] = await mail();
    expect(others).toEqual([]);
    expect(request).toMatchObject({ to: "Ann@example.com", subject: "Please confirm your address" });
    expect(request!.unsubscribe).toBeUndefined();
    const link = linkIn(request!);
    expect(link).toMatch(/^\/v1\/c\/[\w-]{51}$/);
    expect(request!.html).toContain(`<a href="${BASE}${link}">`);
    for (const method of ["GET", "HEAD", "GET"]) {
      const page = await ask(link, { method });
      expect([page.status, page.headers.get("cache-control")]).toEqual([200, "no-store"]);
      const text = await page.text();
      if (method === "GET") expect(text).toContain('<form method="post"><button>Confirm</button></form>');
    }
    expect((await find(id))!.state).toBe("unconfirmed");
    app.clock.now += 60_000;
    const at = new Date(app.clock.now).toISOString();
    for (let times = 0; times < 3; times += 1) {
      const page = await confirm(link);
      expect([page.status, await page.text()]).toEqual([
        200,
        expect.stringContaining("address is confirmed"),
      ]);
      app.clock.now += 1000;
    }
    const stored = (await find(id))!;
    expect(stored).toMatchObject({ state: "inbox", confirmedAt: at, unsubscribedAt: null, read: false });
    expect(stored.consent).toEqual({
      at,
      address: expect.stringMatching(/^[0-9a-f]{64}$/),
      text: expect.stringContaining("newsletter"),
    });
    expect((await mail()).map(({ to }) => to)).toEqual(["ops@example.com", "Ann@example.com"]);
    expect(await mail()).toEqual([]);
    expect((await app.store.submissions.counts()).find((each) => each.formKey === key)).toMatchObject({
      inbox: 1,
      unread: 1,
      unconfirmed: 0,
    });
    expect(await app.store.submissions.wrongCounts()).toEqual([]);
  });

  test("answers that the address has to confirm, on a page and to a script", async () => {
    const { key, post } = await open({ language: "de" });
    const url = `/v1/thanks?form=${key}`;
    expect(await (await post({ email: "b@example.com" })).json()).toMatchObject({
      code: 200,
      success: true,
      message: expect.stringContaining("open the link in it to confirm"),
      url,
    });
    const redirect = await post({ email: "c@example.com" }, {}, "");
    expect([redirect.status, redirect.headers.get("location")]).toEqual([303, url]);
    expect(await (await ask(url)).text()).toContain("Bitte prüfen Sie Ihre E-Mails");
    const [request] = await mail();
    expect(request!.subject).toBe("Bitte bestätigen Sie Ihre Adresse");
    expect(await (await ask(linkIn(request!))).text()).toContain("<button>Bestätigen</button>");
  });

  test("writes in the language of the sender where it has that", async () => {
    const { submit } = await open({ language: "auto" });
    await submit({ email: "d@example.com" }, { "Accept-Language": "fr-CH, de;q=0.5" });
    expect((await mail())[0]!.subject).toBe("Veuillez confirmer votre adresse");
  });

  test("refuses a submission without one address that can be asked, and stores nothing", async () => {
    const { key, post } = await open();
    for (const [email, code] of [
      [undefined, "required"],
      ["", "required"],
      [null, "required"],
      ["ada", "format"],
      ["a@example.com, b@example.com", "format"],
      [["a@example.com"], "format"],
      ["a@localhost", "format"],
    ] as const) {
      const answer = await post({ name: "Ann", email });
      expect([email, answer.status]).toEqual([email, 422]);
      expect(await answer.json()).toMatchObject({ errors: [{ field: "email", code }] });
    }
    expect(await app.store.submissions.count(key)).toBe(0);
    expect(await mail()).toEqual([]);
  });

  test("asks a mailbox at most once a minute and three times a day, over all forms and spellings", async () => {
    const [one, other] = [await open(), await open()];
    await one.submit({ email: "eve@example.com" });
    await other.submit({ email: "EVE+news@example.com" });
    await one.submit({ email: "Eve@Example.com" });
    await other.submit({ email: "eve+x@example.com" });
    const counts: number[] = [];
    for (let minute = 0; minute < 5; minute += 1) {
      counts.push((await mail()).length);
      app.clock.now += 60_000;
    }
    expect(counts).toEqual([1, 1, 1, 0, 0]);
    app.clock.now += DAY;
    await one.submit({ email: "eve@example.com" });
    expect(await mail()).toHaveLength(1);
  });

  test("asks a mailbox no more often once its mail has waited for the mail server", async () => {
    const { submit } = await open();
    app.clock.now += 2 * DAY;
    for (let times = 0; times < 5; times += 1) {
      await submit({ email: "eva@example.com" });
      app.clock.now += times === 2 ? DAY : 90_000;
    }
    // All are due by now, three of one day and two of the next.
    const start = app.clock.now;
    const sent: number[] = [];
    for (const minute of [0, 1, 2, 3, 4, 1439, 1440, 1441, 1442]) {
      app.clock.now = start + minute * 60_000;
      sent.push(...(await mail()).map(() => minute));
    }
    expect(sent).toEqual([0, 1, 2, 1440, 1441]);
  });

  test("asks again at once after a request that did not arrive", async () => {
    const { submit } = await open();
    app.clock.now += 2 * DAY;
    await submit({ email: "eve@example.org" });
    outgoing.answer = () => unanswered("down", false);
    for (let times = 0; times < 5; times += 1) {
      expect(await mail()).toHaveLength(times === 0 ? 1 : 0);
      app.clock.now += 1000;
    }
    outgoing.answer = () => delivered(250);
    app.clock.now += 5000;
    expect(await mail()).toHaveLength(1);
    await submit({ email: "eve@example.org" });
    expect(await mail()).toEqual([]);
    app.clock.now += 60_000;
    expect(await mail()).toHaveLength(1);
  });

  test("asks no more of its senders in an hour than a hundred: the others wait", async () => {
    const { submit } = await open();
    const other = await open();
    app.clock.now += 2 * DAY;
    for (let at = 0; at < 101; at += 1) await submit({ email: `eve${at}@example.com` });
    await other.submit({ email: "eva@example.net" });
    const first = await mail();
    expect(first.map(({ to }) => to)).toContain("eva@example.net");
    expect(first).toHaveLength(101);
    app.clock.now += 3_599_000;
    expect(await mail()).toEqual([]);
    app.clock.now += 2000;
    expect((await mail()).map(({ to }) => to)).toEqual(["eve100@example.com"]);
  });

  test("mails nothing for spam, and asks once a person says that it is none", async () => {
    const { submit } = await open({ spamWords: ["casino"] });
    const id = await submit({ email: "f@example.com", text: "casino" });
    expect((await find(id))!.state).toBe("spam");
    expect(await mail()).toEqual([]);
    await markSubmissions(app, OPERATOR, [id], "inbox");
    expect((await find(id))!.state).toBe("unconfirmed");
    const [request] = await mail();
    await markSubmissions(app, OPERATOR, [id], "spam");
    expect((await confirm(linkIn(request!))).status).toBe(404);
    await markSubmissions(app, OPERATOR, [id], "archived");
    expect((await find(id))!.state).toBe("unconfirmed");
    expect(await codeOf(markSubmissions(app, OPERATOR, [id], "inbox"))).toBe("conflict");
    expect((await confirm(linkIn(request!))).status).toBe(200);
    expect((await find(id))!.state).toBe("inbox");
    expect(await mail()).toEqual([]);
  });

  test("moves spam to the inbox once the form asks its senders no longer, and none without an address to ask", async () => {
    const { slug, submit } = await open({ spamWords: ["casino"], notify: ["ops@example.com"] });
    const id = await submit({ email: "k@example.com", text: "casino" });
    const mute = await submit({ email: ["k@example.com"], text: "casino" });
    expect(await codeOf(markSubmissions(app, OPERATOR, [mute], "inbox"))).toBe("conflict");
    expect((await find(mute))!.state).toBe("spam");
    await setForm(app, OPERATOR, slug, { optIn: null });
    await markSubmissions(app, OPERATOR, [id, mute], "inbox");
    expect((await mail()).map(({ to }) => to)).toEqual(["ops@example.com", "ops@example.com"]);
    for (const each of [id, mute]) {
      expect((await find(each))!.state).toBe("inbox");
      await markSubmissions(app, OPERATOR, [each], "archived");
      expect((await find(each))!.state).toBe("archived");
    }
  });

  test("refuses a reply to an address that has not confirmed, which would not be sent", async () => {
    const { submit } = await open();
    const id = await submit({ email: "m@example.com" });
    const reply = () => codeOf(replyToSubmission(app, OPERATOR, true, id, { text: "Hello" }));
    const [request] = await mail();
    expect([await reply(), await mail()]).toEqual(["conflict", []]);
    await confirm(linkIn(request!));
    expect([await reply(), (await mail()).map(({ to }) => to)]).toEqual(["none", ["m@example.com"]]);
  });

  test("replies automatically to the address that confirmed, and to no other field", async () => {
    for (const settings of [{}, { emailField: "other" }]) {
      const { submit } = await open({ autoreply: true, ...settings });
      await submit({ Email: "victim@example.com", other: "victim@example.com", email: "l@example.com" });
      await confirm(linkIn((await mail())[0]!));
      expect((await mail()).map(({ to }) => to)).toEqual(["l@example.com"]);
      app.clock.now += DAY;
    }
  });

  test("deletes what was not confirmed in time, after which the link has expired", async () => {
    const { submit } = await open({ optInWithin: 3600 });
    const id = await submit({ email: "g@example.com" });
    const link = linkIn((await mail())[0]!);
    expect((await ask(`${link}x`)).status).toBe(404);
    expect((await ask(`/v1/u/${link.slice(6)}`)).status).toBe(404);
    app.clock.now += 3_600_000;
    for (const method of ["GET", "POST"]) {
      const page = await ask(link, { method });
      expect([page.status, await page.text()]).toEqual([410, expect.stringContaining("has expired")]);
    }
    app.clock.now += 3_600_000;
    const job = retentionJob(app, () => {});
    do await job.run();
    while ((await job.next!()) !== null);
    expect(await find(id)).toBeUndefined();
  });

  test("takes no more than it holds when senders confirm", async () => {
    const { submit } = await open({ maxSubmissions: 1 });
    await submit({ email: "h@example.com" });
    const id = await submit({ email: "i@example.com" });
    const [first, second] = (await mail()).map(linkIn);
    expect((await confirm(first!)).status).toBe(200);
    const full = await confirm(second!);
    expect([full.status, await full.text()]).toEqual([409, expect.stringContaining("full")]);
    expect((await find(id))!.state).toBe("unconfirmed");
  });

  test("lets who confirmed unsubscribe with one request from each automatic mail, and marks it", async () => {
    const { submit } = await open({ autoreply: true });
    const id = await submit({ email: "j@example.com" });
    await confirm(linkIn((await mail())[0]!));
    const [reply] = await mail();
    const link = reply!.unsubscribe!.slice(BASE.length);
    expect(link).toMatch(/^\/v1\/u\/[\w-]{51}$/);
    expect(await (await ask(link)).text()).toContain("<button>Unsubscribe</button>");
    expect((await find(id))!.unsubscribedAt).toBeNull();
    const at = new Date(app.clock.now).toISOString();
    for (let times = 0; times < 2; times += 1) {
      const body = new URLSearchParams({ "List-Unsubscribe": "One-Click" });
      expect((await ask(link, { method: "POST", body })).status).toBe(200);
      expect((await find(id))!.unsubscribedAt).toBe(at);
      app.clock.now += 1000;
    }
    await purgeSubmissions(app, OPERATOR, { email: "j@example.com" });
    const gone = await ask(link);
    expect([gone.status, await gone.text()]).toEqual([
      404,
      expect.stringContaining("This link does not work"),
    ]);
  });
});
