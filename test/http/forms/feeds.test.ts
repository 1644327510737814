import { describe, expect, spyOn, test } from "bun:test";
import { createFeed, listFeeds, revokeFeed } from "../../../src/forms/feeds/feeds.ts";
import type { FeedFormat } from "../../../src/forms/feeds/feed.ts";
import { feedChunks } from "../../../src/forms/feeds/feed-text.ts";
import { createForm, deleteForm } from "../../../src/forms/forms.ts";
import { clock, setClock } from "../../../src/base/clock.ts";
import { STALL_MS } from "../../../src/http/limits.ts";
import { storeSubmission } from "../../../src/forms/submissions.ts";
import { fresh } from "../../support/admin.ts";
import { eventually } from "../../support/eventually.ts";
import { turnsOf } from "../../support/records/turns.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { openSites } from "../../support/site.ts";
import { reasonOf } from "../../support/refusals.ts";

const { app, services, openSite } = openSites();
const { ask, records } = openSite({ forms: services.forms }, ["203.0.113.0/24"]);

type Fields = Record<string, unknown>;

/** A form with submissions, of which the last one is the newest. */
async function formWith(...sent: Fields[]) {
  const form = await createForm(app, OPERATOR, { slug: fresh(), name: "Orders" });
  for (const fields of sent) {
    const init = { body: JSON.stringify(fields), headers: { "content-type": "application/json" } };
    const answer = await ask(`/v1/s/${form.key}?mode=rest`, { method: "POST", ...init });
    expect(answer.status).toBe(200);
  }
  return form;
}

type More = Omit<Parameters<typeof createFeed>[3], "format">;

async function feedOf(form: { slug: string }, format: FeedFormat, more: More = {}) {
  const { token, id } = await createFeed(app, OPERATOR, form.slug, { format, ...more });
  return { id, token, path: `/v1/feeds/${token}.${format}` };
}

/** A JSON Feed at an address. */
const jsonAt = async (path: string) =>
  (await (await ask(path)).json()) as { items: { _formflag: { data: Fields } }[] };

const rowsOf = (csv: string) =>
  csv
    .trimEnd()
    .split("\r\n")
    .map((line) => line.split(",").slice(2).join(","));

describe("a feed", () => {
  test("of CSV is what an export writes, newest first, without spam and without formulas", async () => {
    const form = await formWith({ name: "=1+1", n: 5 }, { name: "Ada", n: 1.5 });
    await app.store.submissions.mark(
      [(await app.store.submissions.list(form.key, 1, null)).submissions[0]!.id],
      "spam",
      {},
      { who: "ann", at: app.now() },
    );
    const { path } = await feedOf(form, "csv");
    const answer = await ask(path);
    expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(rowsOf(await answer.text())).toEqual(['"name","n",files', `"'=1+1",5,`]);
  });

  test("with fields shows these alone, in their order", async () => {
    const form = await formWith({ name: "Ada", secret: "x", city: "Linz" }, { name: "Ben" });
    const fields = ["city", "name"];
    const csv = await (await ask((await feedOf(form, "csv", { fields })).path)).text();
    expect(rowsOf(csv)).toEqual(['"city","name"', ',"Ben"', '"Linz","Ada"']);
    const json = await jsonAt((await feedOf(form, "json", { fields })).path);
    expect(json.items[1]!._formflag).toEqual({ data: { city: "Linz", name: "Ada" } });
    const atom = await (await ask((await feedOf(form, "atom", { fields })).path)).text();
    expect(csv + JSON.stringify(json) + atom).not.toContain("secret");
  });

  test("of JSON is a JSON Feed 1.1 with the data as it was sent", async () => {
    const form = await formWith({ name: "Ada", list: [1, "</script>"] });
    const answer = await ask((await feedOf(form, "json", { name: "My orders" })).path);
    expect(answer.headers.get("content-type")).toBe("application/feed+json; charset=utf-8");
    expect(await answer.json()).toEqual({
      version: "https://jsonfeed.org/version/1.1",
      title: "My orders",
      items: [
        {
          id: expect.stringMatching(/^[\da-f-]{36}$/),
          title: "Ada",
          date_published: expect.stringMatching(/Z$/),
          content_text: 'name: Ada\nlist: [1,"</script>"]',
          _formflag: { data: { name: "Ada", list: [1, "</script>"] } },
        },
      ],
    });
  });

  test("of Atom has no markup and no character that XML does not have", async () => {
    const form = await formWith({ name: `]]>&<b a="1">'\u0000\u001b\uffff\ud800`, "<i>": "a\r\nb" });
    const answer = await ask((await feedOf(form, "atom", { name: "<A & B>" })).path);
    const text = await answer.text();
    expect(answer.headers.get("content-type")).toBe("application/atom+xml; charset=utf-8");
    expect(text).toContain("<title>&lt;A &amp; B&gt;</title>");
    expect(text).toContain(
      "name: ]]&gt;&amp;&lt;b a=&quot;1&quot;&gt;&#39;\ufffd\ufffd\ufffd\ufffd\n&lt;i&gt;: a&#13;\nb</content>",
    );
    expect(text).toMatch(/<entry><id>urn:uuid:[\da-f-]{36}<\/id>/);
  });

  test("has at most as many submissions as its limit, those that match its search, and none that are too old", async () => {
    const form = await formWith({ a: "red apple" }, { a: "blue" }, { a: "red" });
    const count = async (more: More) => {
      const { items } = await jsonAt((await feedOf(form, "json", more)).path);
      return items.length;
    };
    expect([await count({}), await count({ limit: 2 }), await count({ search: "red" })]).toEqual([3, 2, 2]);
    const { path } = await feedOf(form, "json", { since: 60 });
    expect((await jsonAt(path)).items).toHaveLength(3);
    app.clock.now += 61_000;
    expect((await jsonAt(path)).items).toHaveLength(0);
  });

  test("is not sent again to those who have it, answers HEAD, and no other method", async () => {
    const form = await formWith({ a: 1 });
    const { path } = await feedOf(form, "csv");
    const first = await ask(path);
    const etag = first.headers.get("etag")!;
    const again = await ask(path, { headers: { "if-none-match": `W/"x", ${etag}` } });
    expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag]);
    const head = await ask(path, { method: "HEAD" });
    expect([head.headers.get("transfer-encoding"), head.headers.has("content-length")]).toEqual([
      "chunked",
      false,
    ]);
    expect([head.status, await head.text(), head.headers.get("etag")]).toEqual([200, "", etag]);
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
      const answer = await ask(path, { method });
      expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    }
    await ask(`/v1/s/${form.key}?mode=rest`, { method: "POST", body: new URLSearchParams({ a: "2" }) });
    expect((await ask(path, { headers: { "if-none-match": etag } })).status).toBe(200);
  });

  test("reads no submission for HEAD and for what a reader has, and has another tag after each change of what it shows", async () => {
    const form = await formWith({ a: 1 }, { a: 2 }, { a: 3 });
    const { submissions } = app.store;
    const ids = (await submissions.list(form.key, 3, null)).submissions.map(({ id }) => id);
    const { path } = await feedOf(form, "json", { since: 3600 });
    const tagOf = async () => (await ask(path, { method: "HEAD" })).headers.get("etag")!;
    const by = { who: "ann", at: app.now() };
    const tags = [await tagOf()];
    const scan = spyOn(submissions, "scan");
    app.clock.now += 1;
    expect((await ask(path, { headers: { "if-none-match": tags[0]! } })).status).toBe(304);
    expect(await tagOf()).toBe(tags[0]!);
    for (const change of [
      () => submissions.mark([ids[0]!], "spam", {}, by),
      // As many in each folder as before.
      async () => {
        await submissions.mark([ids[0]!], "inbox", {}, by);
        await submissions.mark([ids[1]!], "spam", {}, by);
      },
      () => submissions.label([ids[0]!], { add: ["late"], remove: [] }, by),
      () => submissions.assign([ids[0]!], "ann", by),
      // As many as before.
      async () => {
        await submissions.delete([ids[2]!]);
        await ask(`/v1/s/${form.key}?mode=rest`, { method: "POST", body: new URLSearchParams({ a: "4" }) });
      },
      async () => void (app.clock.now += 3_600_000),
    ]) {
      await change();
      tags.push(await tagOf());
      const answer = await ask(path, { headers: { "if-none-match": tags.at(-2)! } });
      expect(answer.status).toBe(200);
      await answer.text();
    }
    expect(new Set(tags).size).toBe(tags.length);
    scan.mockClear();
    expect((await ask(path, { headers: { "if-none-match": tags.at(-1)! } })).status).toBe(304);
    await tagOf();
    expect(scan).toHaveBeenCalledTimes(0);
    scan.mockRestore();
  });

  test("has another tag after a change whose record takes the place of one that was deleted", async () => {
    const [form, other] = [await formWith({ a: 1 }), await formWith({ b: 1 })];
    const { submissions } = app.store;
    const idIn = async ({ key }: { key: string }) =>
      (await submissions.list(key, 1, null)).submissions[0]!.id;
    const [own, others] = [await idIn(form), await idIn(other)];
    const { path } = await feedOf(form, "csv");
    const tagOf = async () => (await ask(path, { method: "HEAD" })).headers.get("etag")!;
    const label = (id: string) =>
      submissions.label([id], { add: ["late"], remove: [] }, { who: "ann", at: (app.clock.now += 1) });
    await label(others);
    const before = await tagOf();
    await submissions.delete([others]);
    await label(own);
    expect(await tagOf()).not.toBe(before);
  });

  test("is read in slices, so that a reader that takes nothing costs one, and by eight at a time", async () => {
    const text = "x".repeat(60_000);
    const form = await formWith(...Array.from({ length: 30 }, (_, n) => ({ n, text })));
    const [{ path }, other] = [await feedOf(form, "json"), await feedOf(form, "csv", { fields: ["n"] })];
    const scan = spyOn(app.store.submissions, "scan");
    const readers = await Promise.all(
      Array.from({ length: 8 }, async () => (await ask(path)).body!.getReader()),
    );
    for (const reader of readers) await reader.read();
    const refused = await ask(path);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "10"]);
    expect(await refused.json()).toMatchObject({ message: "more than 8 readers read this feed at a time" });
    expect((await ask(path, { method: "HEAD" })).status).toBe(200);
    expect((await ask(other.path)).status).toBe(200);
    // One for each slice that a reader has asked for, and one that waits for it.
    expect(scan.mock.calls.length).toBeLessThan(4 * 8);
    scan.mockRestore();
    for (const reader of readers) await reader.cancel();
    const whole = await jsonAt(path);
    expect(whole.items.map(({ _formflag }) => _formflag.data["n"])).toEqual(
      Array.from({ length: 30 }, (_, n) => 29 - n),
    );
  });

  test("gives the place of a reader that took nothing for a minute to others, and breaks off its text", async () => {
    const text = "x".repeat(60_000);
    const { path } = await feedOf(await formWith(...Array.from({ length: 30 }, () => ({ text }))), "json");
    const { after } = clock;
    const stalls: (() => void)[] = [];
    setClock({
      after(ms, run) {
        if (ms !== STALL_MS) return after(ms, run);
        stalls.push(run);
        return { close: () => {}, unref: () => after(0, () => {}) };
      },
    });
    const readers = await Promise.all(
      Array.from({ length: 8 }, async () => (await ask(path)).body!.getReader()),
    );
    for (const reader of readers) await reader.read();
    expect((await ask(path)).status).toBe(429);
    // The next chunk of each reader is waiting, too.
    await eventually("the second chunk of each reader", () => stalls.length === 16);
    for (const stall of stalls) stall();
    setClock();
    const later = await ask(path);
    expect(later.status).toBe(200);
    await later.text();
    const rest = async () => {
      while (!(await readers[0]!.read()).done);
    };
    expect(await rest().catch(String)).toContain("was not read on in time");
  });

  test.each(["csv", "json", "atom"] as const)(
    "of %s gives other requests their turns within one submission of quotes",
    async (format) => {
      const form = await createForm(app, OPERATOR, { slug: fresh() });
      const fields = Array.from({ length: 15 }, (_, index) => [`f${index}`, '"'.repeat(250_000)]);
      const data = JSON.stringify(Object.fromEntries(fields));
      await storeSubmission(app, form, { data, files: [] });
      const { id } = await feedOf(form, format);
      const feed = (await app.store.feeds.find(id))!;
      // Each look at the clock finds that the turn is over, however fast the machine is.
      let now = 0;
      setClock({ steady: () => (now += 1000) });
      const { result, turns } = await turnsOf(() => Array.fromAsync(feedChunks(app, feed, app.now())));
      setClock();
      expect(result.join("").length).toBeGreaterThan(12 * 250_000);
      // A turn for each field, and some for the walk.
      expect(turns).toBeGreaterThan(fields.length);
    },
  );

  test("is kept from caches, search engines, other pages and the log", async () => {
    const form = await formWith({ a: 1 });
    const { path, token, id } = await feedOf(form, "json");
    const good = await ask(path, { headers: { origin: "https://evil.example" } });
    const bad = await ask(`${path}x`);
    for (const { headers } of [good, bad]) {
      expect(headers.get("cache-control")).toBe("private, no-cache");
      expect(headers.get("x-robots-tag")).toBe("noindex");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
    expect(records.at(-1)).toMatchObject({ route: "/v1/feeds/:file", status: 404 });
    expect(JSON.stringify(records)).not.toContain(token);
    const listed = (await listFeeds(app, OPERATOR, { form: form.slug, limit: 10, after: null })).items;
    expect(listed).toEqual([expect.objectContaining({ id, lastReadAt: app.now() })]);
    expect(JSON.stringify(listed)).not.toContain(token);
  });

  test("that is revoked, expired, of a deleted form, of another ending or never there is the same 404", async () => {
    const form = await formWith({ a: 1 });
    const [revoked, expired, kept] = [
      await feedOf(form, "csv"),
      await feedOf(form, "csv", { expiresAt: new Date(app.now() + 1000).toISOString() }),
      await feedOf(form, "csv"),
    ];
    for (const { path } of [revoked, expired, kept]) expect((await ask(path)).status).toBe(200);
    await revokeFeed(app, OPERATOR, revoked.id);
    app.clock.now += 1000;
    const other = await formWith({ a: 1 });
    const gone = await feedOf(other, "csv");
    await deleteForm(app, { ...OPERATOR, hasConfirmed: () => true }, other.slug);
    const paths = [
      revoked.path,
      expired.path,
      gone.path,
      kept.path.replace(".csv", ".json"),
      kept.path.replace(".csv", ""),
      kept.path.toLowerCase(),
      `/v1/feeds/${"A".repeat(43)}.csv`,
      `/v1/feeds/${encodeURIComponent("../../etc/passwd")}.csv`,
      `/v1/feeds/%00.csv`,
    ];
    const answers = await Promise.all(
      paths.map(async (path) => {
        const answer = await ask(path);
        const headers = Object.fromEntries(answer.headers);
        delete headers["x-request-id"];
        return { status: answer.status, text: await answer.text(), headers };
      }),
    );
    expect(answers[0]!.status).toBe(404);
    for (const answer of answers) expect(answer).toEqual(answers[0]!);
    expect((await ask(kept.path)).status).toBe(200);
    expect(await reasonOf(revokeFeed(app, OPERATOR, revoked.id))).toBe("not_found feed-not-found");
  });

  test("that is not there answers 429 after 20 a minute from a network, whose own feeds go on", async () => {
    const { path } = await feedOf(await formWith({ a: 1 }), "csv");
    const from = (peer: string, asked = "/v1/feeds/nope.csv") =>
      ask(asked, {}, peer).then(({ status }) => status);
    for (let miss = 0; miss < 20; miss += 1) expect(await from("192.0.2.1")).toBe(404);
    const answer = await ask("/v1/feeds/nope.csv", {}, "192.0.2.1");
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "60"]);
    expect([await from("192.0.2.2"), await from("192.0.2.1", path)]).toEqual([404, 200]);
    app.clock.now += 60_000;
    expect(await from("192.0.2.1")).toBe(404);
  });
});
