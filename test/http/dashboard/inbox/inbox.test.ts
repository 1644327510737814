import { beforeAll, describe, expect, test } from "bun:test";
import { deleteSubmission } from "../../../../src/forms/keeping/submission-deletion.ts";
import { exportSubmissions } from "../../../../src/forms/transfer/export.ts";
import type { Form } from "../../../../src/forms/form.ts";
import { markSubmissions } from "../../../../src/forms/inbox/submission-marks.ts";
import type { SubmissionState } from "../../../../src/forms/submission-state.ts";
import { createForm } from "../../../../src/forms/forms.ts";
import { createProject } from "../../../../src/projects/projects.ts";
import { storeSubmission } from "../../../../src/forms/submissions.ts";
import { OPERATOR } from "../../../support/records/caller.ts";
import { hiddenIn, openDashboard } from "../../../support/pages/dashboard.ts";
import { file, json, multipart, openInbox, text } from "../../../support/inbox.ts";

const inbox = openInbox();
const { app } = inbox;
const dashboard = openDashboard(app);

type Browser = Awaited<ReturnType<typeof dashboard.signIn>>;
let browser: Browser;
let viewer: Browser;
beforeAll(async () => {
  browser = await dashboard.signIn("inbox");
  viewer = await dashboard.signIn("viewer");
});

/** A form with submissions by these names, whose ids are returned in the order of their arrival. */
async function openForm(...names: string[]): Promise<{ form: Form; path: string; ids: string[] }> {
  const form = await inbox.newForm({ uploads: true });
  const ids: string[] = [];
  for (const name of names) {
    app.clock.now += 1000;
    ids.push((await inbox.stored(form, json({ name, message: `Hello from ${name}` }))).id);
  }
  return { form, path: `/inbox/${form.slug}`, ids };
}

const isRead = async (id: string) => (await app.store.submissions.find(id))?.read;
const stateOf = async (id: string) => (await app.store.submissions.find(id))?.state;
const idsIn = (text: string) => [...text.matchAll(/<li id="row-([0-9a-f-]+)"/g)].map(([, id]) => id!);

describe("a list", () => {
  test("shows the submissions of a form, newest first, and none of them becomes read by that", async () => {
    const { path, ids } = await openForm("Ada", "Grace");
    const { status, text } = await browser.get(path);
    expect(status).toBe(200);
    expect(idsIn(text)).toEqual(ids.toReversed());
    expect(text).toContain("Unread<span>2</span>");
    expect(await isRead(ids[0]!)).toBe(false);
  });

  test("shows every form, each with its name, and a form that is chosen alone", async () => {
    const { form, ids } = await openForm("Ada");
    const { text } = await browser.get("/inbox");
    expect(idsIn(text)[0]).toBe(ids[0]);
    expect(text).toContain(`<span class="form"><bdi dir="auto">${form.slug}</bdi></span>`);
    const chosen = await browser.get(`/inbox?form=${form.slug}&q=ada&unread=1`);
    expect(chosen.path).toBe(`/inbox/${form.slug}?q=ada&unread=1`);
    expect(idsIn(chosen.text)).toEqual(ids);
  });

  test("of a form in another project is found by its slug alone and by its key, with the same counts", async () => {
    await createProject(app, OPERATOR, { slug: "elsewhere", environments: ["develop"] });
    const form = await createForm(app, OPERATOR, { slug: "far-away", project: "elsewhere" });
    await storeSubmission(app, form, { data: '{"name":"Ada"}', files: [] });
    for (const name of ["far-away", "elsewhere:far-away", form.key]) {
      const { path, text } = await browser.get(`/inbox/${name}?unread=1`);
      expect([name, path, idsIn(text).length]).toEqual([name, "/inbox/elsewhere:far-away?unread=1", 1]);
      expect(text).toContain("Unread<span>1</span>");
    }
  });

  test("shows spam with its reason, and not in the inbox", async () => {
    const { path, ids } = await openForm("Ada", "Grace");
    await markSubmissions(app, OPERATOR, [ids[0]!], "spam");
    expect(idsIn((await browser.get(path)).text)).toEqual([ids[1]!]);
    const spam = await browser.get(`${path}?folder=spam`);
    expect(idsIn(spam.text)).toEqual([ids[0]!]);
    expect(spam.text).toContain("manual");
    expect(spam.text).toContain("Not spam");
  });

  test("shows the text of senders as text, with control characters as their pictures", async () => {
    const { form, path } = await openForm();
    const name = "<script>alert(1)</script>\u0007\u202e";
    await inbox.stored(form, json({ [name]: name, b: "javascript:alert(1)" }));
    const { id } = await inbox.stored(form, json({ name }));
    for (const page of [await browser.get(path), await browser.get(`${path}/${id}`)]) {
      expect(page.text).not.toContain("<script>alert");
      expect(page.text).not.toContain("\u0007");
      expect(page.text).not.toContain("\u202e");
      expect(page.text).toContain("&lt;script&gt;alert(1)&lt;/script&gt;\u2407\u2426");
      expect(page.text).not.toContain('href="javascript:');
    }
  });

  test("keeps a search and a day that mean nothing, and says so at their fields", async () => {
    const { path } = await openForm("Ada");
    const search = await browser.get(`${path}?q=${encodeURIComponent("-- ?")}`);
    expect(search.status).toBe(400);
    expect(search.text).toContain('value="-- ?"');
    expect(search.text).toContain("The search has no word");
    const day = await browser.get(`${path}?since=2026-02-31`);
    expect(day.status).toBe(400);
    expect(day.text).toContain("A day looks like 2027-01-31.");
    for (const query of ["folder=bin", "before=x"])
      expect((await browser.get(`${path}?${query}`)).status).toBe(400);
    expect((await browser.get("/inbox/no-such-form")).status).toBe(404);
  });

  test("finds by words, by days and unread ones", async () => {
    app.clock.now = Date.parse("2026-01-04T23:30:00Z");
    const { path, ids } = await openForm("Ada");
    app.clock.now = Date.parse("2026-01-05T00:30:00Z");
    const { id } = await inbox.stored(await formAt(path), json({ name: "Grace" }));
    await markSubmissions(app, OPERATOR, [id], "read");
    const found = async (query: string) => idsIn((await browser.get(`${path}?${query}`)).text);
    expect(await found("q=hello+ada")).toEqual(ids);
    expect(await found("since=2026-01-05")).toEqual([id]);
    expect(await found("until=2026-01-05")).toEqual(ids);
    expect(await found("unread=1")).toEqual(ids);
    expect(await found("q=nobody")).toEqual([]);
  });

  test("finds by the variant of a flag that the sender got, also in an export and by a link of a submission", async () => {
    const { form, path, ids } = await openForm("Ada");
    const of = (variant: string) => {
      const flags = {
        project: "shop",
        environment: "live",
        at: "2026-01-05T00:00:00.000Z",
        variants: { hero: variant },
      };
      const draft = {
        data: `{"name":"${variant}"}`,
        files: [],
        assignment: { flags, environmentKey: "k", pseudonym: null },
      };
      return storeSubmission(app, form, draft);
    };
    const [{ id: short }, { id: other }] = [await of("short & new"), await of("long")];
    const query = new URLSearchParams({ flag: "hero=short & new" }).toString();
    const found = await browser.get(`${path}?${query}`);
    expect(idsIn(found.text)).toEqual([short]);
    expect(found.text).toContain('value="hero=short &amp; new"');
    expect(found.text).toContain("--flag &#39;hero=short &amp; new&#39;");
    expect(idsIn((await browser.get(path)).text)).toEqual([other, short, ids[0]!]);
    const { text } = await browser.get(`${path}/${short}`);
    const link = /href="\/dashboard(\/inbox\?flag=[^"]*)"/.exec(text)![1]!;
    expect(idsIn((await browser.get(link.replaceAll("&amp;", "&"))).text)).toEqual([short]);
    const exported = await browser.get(`${path}/export?format=jsonl&${query}`);
    expect([exported.text.includes(short), exported.text.includes(other)]).toEqual([true, false]);
    const wrong = await browser.get(`${path}?flag=hero`);
    expect([wrong.status, wrong.text.includes("Write a flag and a variant")]).toEqual([400, true]);
  });

  test("leads to older ones, page by page", async () => {
    const names = Array.from({ length: 51 }, (_, index) => `Person ${index}`);
    const { path, ids } = await openForm(...names);
    const first = await browser.get(path);
    expect(idsIn(first.text)).toEqual(ids.slice(1).toReversed());
    const next = /href="\/dashboard(\/inbox\/[^"]*before=[^"]*)"/
      .exec(first.text)![1]!
      .replaceAll("&amp;", "&");
    expect(idsIn((await browser.get(next)).text)).toEqual([ids[0]!]);
  });
});

/** Records that the only attempt of a delivery failed. */
async function fail(id: string): Promise<void> {
  const now = app.now();
  const clocks = { now, databaseNow: now, leaseUntil: now + 1000 };
  const turn = { ...clocks, holder: "test", renewed: [], blocked: [], after: null, perLane: 10, limit: 10 };
  await app.store.deliveries.turn({ ...turn, settled: [] });
  const failed = {
    id,
    status: "failed",
    attempts: 1,
    dueAt: now + 1e9,
    code: 550,
    error: "no such mailbox",
  } as const;
  await app.store.deliveries.turn({ ...turn, settled: [failed], limit: 0 });
}

/** The form of a path. */
async function formAt(path: string): Promise<Form> {
  return (await app.store.forms.named(path.slice("/inbox/".length)))[0] as unknown as Form;
}

describe("a mark", () => {
  test("moves the rows that are ticked, and is undone once, by the same person alone", async () => {
    const { form, path, ids } = await openForm("Ada", "Grace", "Linus");
    const submission = ids.slice(0, 2);
    const page = await browser.post("/inbox/marks", {
      submission,
      mark: "archived",
      folder: "inbox",
      form: form.slug,
    });
    expect(page.path).toBe(path);
    expect(page.text).toContain("2 submissions archived.");
    expect(await Promise.all(ids.map(stateOf))).toEqual(["archived", "archived", "inbox"]);
    const undo = hiddenIn(page, "undo");
    const other = await dashboard.signIn("editor");
    expect((await other.post("/inbox/undo", { undo })).status).toBe(410);
    expect((await browser.post("/inbox/undo", { undo })).text).toContain("Undone: 2 submissions");
    expect(await Promise.all(ids.map(stateOf))).toEqual(["inbox", "inbox", "inbox"]);
    expect((await browser.post("/inbox/undo", { undo })).status).toBe(410);
  });

  test("is undone for ten minutes", async () => {
    const { ids } = await openForm("Ada");
    const page = await browser.post("/inbox/marks", { submission: ids, mark: "read" });
    app.clock.now += 600_001;
    expect((await browser.post("/inbox/undo", { undo: hiddenIn(page, "undo") })).status).toBe(410);
  });

  test("undoes only what it has changed", async () => {
    const { ids } = await openForm("Ada", "Grace");
    await markSubmissions(app, OPERATOR, [ids[0]!], "read");
    const page = await browser.post("/inbox/marks", { submission: ids, mark: "read" });
    expect(page.text).toContain("1 submission marked as read.");
    await browser.post("/inbox/undo", { undo: hiddenIn(page, "undo") });
    expect((await app.store.submissions.find(ids[0]!))?.read).toBe(true);
    expect((await app.store.submissions.find(ids[1]!))?.read).toBe(false);
  });

  test("leaves out what somebody else has deleted, and names what was not understood", async () => {
    const { ids } = await openForm("Ada", "Grace");
    await app.store.submissions.delete([ids[0]!]);
    const page = await browser.post("/inbox/marks", { submission: [...ids, "x"], mark: "read" });
    expect(page.text).toContain("1 submission marked as read.");
    expect((await browser.post("/inbox/marks", { submission: ids, mark: "eaten" })).status).toBe(400);
    expect((await browser.post("/inbox/marks", { mark: "read" })).text).toContain("Nothing was selected");
  });

  test("leads back to the page of the submission, and nowhere outside the inbox", async () => {
    const { form, path, ids } = await openForm("Ada");
    const mark = (page: string) =>
      browser.post("/inbox/marks", { submission: ids, mark: "read", page, form: form.slug });
    expect((await mark(`${path}/${ids[0]}?folder=inbox`)).path).toBe(`${path}/${ids[0]}?folder=inbox`);
    expect((await mark("//evil.example/")).path).toBe(path);
  });
});

describe("everything that matches", () => {
  test("is marked up to what was there, and undone", async () => {
    const { form, path, ids } = await openForm("Ada", "Grace", "Ada");
    const page = await browser.get(`/inbox/-/matching?form=${form.slug}&q=ada`);
    expect(page.text).toContain("All 2 submissions");
    const { id: late } = await inbox.stored(form, json({ name: "Ada" }));
    const values = { form: form.slug, q: "ada", upTo: hiddenIn(page, "upTo"), mark: "archived" };
    const marked = await browser.post("/inbox/-/matching", values);
    expect(marked.path).toBe(`${path}?q=ada`);
    expect(await Promise.all([...ids, late].map(stateOf))).toEqual([
      "archived",
      "inbox",
      "archived",
      "inbox",
    ]);
    await browser.post("/inbox/undo", { undo: hiddenIn(marked, "undo") });
    expect(await stateOf(ids[0]!)).toBe("inbox");
  });

  test("is deleted once the word is typed", async () => {
    const { form, ids } = await openForm("Ada", "Grace");
    const page = await browser.get(`/inbox/-/matching?form=${form.slug}`);
    const values = {
      form: form.slug,
      upTo: hiddenIn(page, "upTo"),
      what: hiddenIn(page, "what"),
      mark: "delete",
    };
    const asked = await browser.post("/inbox/-/matching", values);
    expect(asked.status).toBe(428);
    expect(asked.text).toContain("Delete 2 submissions?");
    expect(asked.text).toContain(`/inbox/${form.slug}/export?folder=inbox&amp;format=csv`);
    expect((await browser.post("/inbox/-/matching", { ...values, typed: "no" })).text).toContain(
      "Nothing was deleted.",
    );
    const done = await browser.post("/inbox/-/matching", { ...values, typed: "Delete" });
    expect(done.text).toContain("2 submissions deleted.");
    // What has arrived since it was counted is not known once that is deleted.
    const { id: late } = await inbox.stored(form, json({ name: "Ada" }));
    const again = await browser.post("/inbox/-/matching", { ...values, typed: "delete" });
    expect([again.status, again.text]).toEqual([409, expect.stringContaining("count them again")]);
    expect(await stateOf(late)).toBe("inbox");
    expect(await Promise.all(ids.map(stateOf))).toEqual([undefined, undefined]);
  });
});

test("a deletion asks first, offers the export, and cannot be undone", async () => {
  const { form, path, ids } = await openForm("Ada", "Grace");
  const values = { submission: [ids[0]!], form: form.slug, folder: "inbox" };
  const asked = await browser.post("/inbox/marks", { ...values, mark: "delete" });
  expect(asked.status).toBe(428);
  expect(asked.text).toContain("Ada");
  expect(asked.text).toContain(`${path}/export?folder=inbox&amp;format=zip`);
  expect(await stateOf(ids[0]!)).toBe("inbox");
  const done = await browser.post("/inbox/delete", values);
  expect(done.path).toBe(path);
  expect(done.text).toContain("1 submission deleted.");
  expect(done.text).not.toContain("Undo");
  expect(await Promise.all(ids.map(stateOf))).toEqual([undefined, "inbox"]);
});

describe("a submission", () => {
  test("is read once it is opened by a user who may mark it, until it is marked as unread", async () => {
    const { path, ids } = await openForm("Ada", "Grace");
    const [id, other] = ids as [string, string];
    await viewer.get(`${path}/${id}`);
    await browser.ask(`${path}/${id}`, { headers: { "Sec-Purpose": "prefetch" } });
    await browser.ask(`${path}/${id}`, { method: "HEAD" });
    expect(await isRead(id)).toBe(false);
    const opened = await browser.get(`${path}/${id}`);
    expect(opened.text).toContain("Mark as unread");
    expect([await isRead(id), await isRead(other)]).toEqual([true, false]);
    const page = `${path}/${id}`;
    await browser.post("/inbox/marks", { submission: id, folder: "inbox", mark: "unread", page });
    expect((await browser.get(page)).text).toContain("Mark as read");
    expect(await isRead(id)).toBe(false);
  });

  test("is shown with its fields, its sender and its life", async () => {
    const form = await inbox.newForm({ notify: ["shop@example.com"] });
    const data = {
      email: "ada@example.com",
      list: ["a", "b"],
      deep: { a: { b: 1 } },
      none: null,
      on: true,
      deeper: [[[[[1]]]]],
    };
    const { id } = await inbox.stored(form, json(data));
    const { status, text } = await browser.get(`/inbox/${form.slug}/${id}`);
    expect(status).toBe(200);
    for (const part of [
      "<li><span",
      ">b</bdi></dt><dd><code>1</code>",
      '<pre tabindex="0">[\n  [\n    [',
      "<code>true</code>",
      "Stored",
      "notification",
      "queued",
    ])
      expect(text).toContain(part);
    expect(text).toContain(`href="mailto:ada%40example.com?subject=Re%3A%20${form.slug}"`);
    expect(text).toContain("/dashboard/people?q=ada%40example.com");
    expect(text).toContain(`formflag submissions timeline ${id}`);
  });

  test("of megabytes is shown in part, with the rest as JSON, and without a copy of its JSON", async () => {
    const { form, path } = await openForm();
    const long = "\u0001\u202e<".repeat(3500);
    const texts = Array.from({ length: 190 }, (_, index) => text(`f${index}`, long));
    const { id } = await inbox.stored(form, multipart(text("short", "all of this"), ...texts));
    const { text: page } = await browser.get(`${path}/${id}`);
    expect(page).toContain(">all of this<");
    expect(page).toContain(`${(long.length - 1052).toLocaleString("en")} more characters: open it as JSON.`);
    expect(page.length).toBeLessThan(600_000);
    expect(page).not.toContain("Copy as JSON");
    expect(page).toContain("Download as JSON");
  });

  test("names its neighbours in the list beside it, also across pages and forms", async () => {
    const names = Array.from({ length: 52 }, (_, index) => `Person ${index}`);
    const { path, ids } = await openForm(...names);
    const neighbours = async (address: string) => {
      const { text } = await browser.get(address);
      const of = (key: string) =>
        new RegExp(`<a href="([^"]*)"[^>]*aria-keyshortcuts="${key}"`).exec(text)?.[1];
      return {
        newer: of("k")?.replaceAll("&amp;", "&"),
        older: of("j")?.replaceAll("&amp;", "&"),
        rows: idsIn(text),
      };
    };
    const { older } = await neighbours(`${path}/${ids[2]}?folder=inbox`);
    expect(older).toContain(`${path}/${ids[1]}?`);
    const onNext = await neighbours(older!.slice("/dashboard".length));
    expect(onNext.rows).toEqual([ids[1]!, ids[0]!]);
    expect(onNext.newer).toContain(`/${ids[2]}?`);
    expect((await neighbours(onNext.newer!.slice("/dashboard".length))).rows[0]).toBe(ids[2]);
    // A link from elsewhere begins the list at the submission.
    expect((await neighbours(`${path}/${ids[0]}`)).rows).toEqual([ids[0]!]);
    const { ids: others } = await openForm("Ada");
    expect((await neighbours(`${path}/${ids[51]}?all=1`)).newer).toContain(`/${others[0]}?`);
  });

  test("belongs to its form alone", async () => {
    const { ids } = await openForm("Ada");
    const { path } = await openForm();
    for (const rest of ["", "/json", "/files/1", "/previews/1"])
      expect((await browser.get(`${path}/${ids[0]}${rest}`)).status).toBe(404);
    expect((await browser.get(`${path}/none`)).status).toBe(404);
    const sent = {
      assignee: "admin",
      label: "urgent",
      note: "Late",
      what: "word",
      word: "cheap",
      text: "Hello",
    };
    for (const act of ["assign", "label", "note", "block", "reply", "retry"])
      expect([act, (await browser.post(`${path}/${ids[0]}/${act}`, sent)).status]).toEqual([act, 404]);
  });

  test("that was just deleted says so to who goes back to it, and leads to its inbox", async () => {
    const { path, ids } = await openForm("Ada");
    await deleteSubmission(app, OPERATOR, ids[0]!);
    const gone = await browser.get(`${path}/${ids[0]}?folder=inbox`);
    expect(gone.status).toBe(404);
    expect(gone.text).toContain("No such submission");
    expect(gone.text).toContain("It was deleted, or was never in this form.");
    expect(gone.text).toContain(`href="/dashboard${path}"`);
  });

  test("has its files to download, and shows images by their bytes alone", async () => {
    const { form, path } = await openForm();
    const png = "\x89PNG\r\n\x1a\n rest";
    const body = multipart(
      text("name", "Ada"),
      file("a.txt", Buffer.from(png, "latin1"), "text/html"),
      file("b.png", "<svg onload=alert(1)>", "image/png"),
    );
    const { id } = await inbox.stored(form, body);
    const { text: page } = await browser.get(`${path}/${id}`);
    expect(page).toContain(`src="/dashboard${path}/${id}/previews/1"`);
    expect(page).not.toContain(`/previews/2`);
    const shown = await browser.ask(`${path}/${id}/previews/1`);
    expect(shown.headers.get("content-type")).toBe("image/png");
    const download = await browser.ask(`${path}/${id}/files/2`);
    expect(download.headers.get("content-type")).toBe("application/octet-stream");
    expect(download.headers.get("content-disposition")).toStartWith('attachment; filename="b.png"');
    expect(await download.text()).toBe("<svg onload=alert(1)>");
    for (const { headers } of [shown, download]) {
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
      expect(headers.get("cache-control")).toBe("no-store");
    }
    expect((await browser.get(`${path}/${id}/previews/2`)).status).toBe(404);
  });

  test("sends its failed deliveries again", async () => {
    const form = await inbox.newForm({ notify: ["shop@example.com"] });
    const { id } = await inbox.stored(form, json({ name: "Ada" }));
    const page = { submission: id, status: null, before: null, limit: 10, formKeys: null, projects: null };
    const [delivery] = (await app.store.deliveries.page(page)).items;
    await fail(delivery!.id);
    expect((await browser.get(`/inbox/${form.slug}/${id}`)).text).toContain("Send the failed delivery again");
    const sent = await browser.post(`/inbox/${form.slug}/${id}/retry`, {});
    expect(sent.text).toContain("1 delivery sent again.");
    expect((await app.store.deliveries.find(delivery!.id))?.status).toBe("queued");
  });
});

describe("an export", () => {
  test("has the bytes of an export with the same filter", async () => {
    const { form, path, ids } = await openForm("Ada", "Grace", "Linus");
    await markSubmissions(app, OPERATOR, [ids[0]!], "archived");
    await markSubmissions(app, OPERATOR, [ids[1]!], "spam");
    const expected = async (format: "csv" | "jsonl", states: readonly SubmissionState[]) =>
      Buffer.concat(
        (await Array.fromAsync(exportSubmissions(app, form, format, { states }))).map((chunk) =>
          Buffer.from(chunk),
        ),
      ).toString();
    const got = async (query: string) => (await browser.ask(`${path}/export${query}`)).text();
    expect(await got("")).toBe(await expected("jsonl", ["inbox", "archived"]));
    expect(await got("?folder=inbox&format=csv")).toBe(await expected("csv", ["inbox"]));
    expect(await got("?state=spam&format=jsonl")).toBe(await expected("jsonl", ["spam"]));
    const csv = await (await browser.ask(`${path}/export?format=csv&delimiter=%3B`)).bytes();
    expect(Buffer.from(csv).toString()).toStartWith("\uFEFFid;createdAt;");
    expect(await got("?folder=all&search=ada")).toContain(ids[0]!);
    expect(await got("?folder=all&field=name=grace")).toContain(ids[1]!);
  });

  test("refuses a format, a folder and a search that mean nothing before it begins", async () => {
    const { path } = await openForm();
    for (const query of ["format=xml", "folder=bin", "q=--", "since=soon", "field=name"])
      expect((await browser.get(`${path}/export?${query}`)).status).toBe(400);
  });
});

test("viewers read everything, and change nothing", async () => {
  const { path, ids } = await openForm("Ada");
  for (const address of [path, `${path}/${ids[0]}`, "/people?q=ada%40example.com"]) {
    const { status, text } = await viewer.get(address);
    expect(status).toBe(200);
    for (const name of ["Archive</button>", "Delete</button>", "Mark as read", "Erase…"])
      expect(text).not.toContain(name);
  }
  for (const address of [
    "/inbox/marks",
    "/inbox/undo",
    "/inbox/delete",
    "/inbox/-/matching",
    `${path}/${ids[0]}/retry`,
  ])
    expect((await viewer.post(address, { submission: ids, mark: "spam" })).status).toBe(403);
  expect((await viewer.post("/people/erase", { q: "a@b.example" })).status).toBe(403);
  expect(await stateOf(ids[0]!)).toBe("inbox");
});

test("a value that is not well-formed is shown, and is no link", async () => {
  const form = await inbox.newForm();
  const { id } = await inbox.stored(
    form,
    json({ email: "\ud800ada@example.com", site: "https://\udfff.example" }),
  );
  const { status, text: page } = await browser.get(`/inbox/${form.slug}/${id}`);
  expect(status).toBe(200);
  expect(page).toContain("ada@example.com");
  expect(page).not.toContain('href="mailto:');
});

test("an undo puts back what somebody else had moved before into the folder where it was", async () => {
  const { form, ids } = await openForm("Ada", "Grace");
  await markSubmissions(app, OPERATOR, [ids[0]!], "spam");
  const page = await browser.post("/inbox/marks", { form: form.slug, submission: ids, mark: "archived" });
  const { text } = await browser.post("/inbox/undo", { undo: hiddenIn(page, "undo") });
  expect(text).toContain("Undone: 1 submission moved to spam, 1 submission moved to the inbox.");
  expect(await Promise.all(ids.map(stateOf))).toEqual(["spam", "inbox"]);
});

test("an undo leaves alone what somebody else has moved since", async () => {
  const { form, path, ids } = await openForm("Ada", "Grace");
  const { text: page } = await browser.post("/inbox/marks", {
    form: form.slug,
    submission: ids,
    mark: "archived",
  });
  await markSubmissions(app, OPERATOR, [ids[0]!], "spam");
  const [, undo] = /name="undo" value="([^"]+)"/.exec(page)!;
  await browser.post("/inbox/undo", { undo: undo! });
  expect([await stateOf(ids[0]!), await stateOf(ids[1]!)]).toEqual(["spam", "inbox"]);
  expect((await browser.get(path)).status).toBe(200);
});
