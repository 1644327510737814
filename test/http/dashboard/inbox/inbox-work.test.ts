import { beforeAll, expect, test } from "bun:test";
import type { Form } from "../../../../src/forms/form.ts";
import { getForm, setForm } from "../../../../src/forms/forms.ts";
import { OPERATOR } from "../../../support/records/caller.ts";
import { hiddenIn, openDashboard } from "../../../support/pages/dashboard.ts";
import { fakeOutgoing } from "../../../support/peers/outgoing.ts";
import { json, openInbox } from "../../../support/inbox.ts";

const inbox = openInbox();
const { app } = inbox;
const mail = { ...fakeOutgoing().mail!, from: { name: "", address: "shop@example.com" } };
const dashboard = openDashboard(app, { outgoing: async () => ({ ...fakeOutgoing(), mail }) });
const mailless = openDashboard(app, { outgoing: async () => ({ ...fakeOutgoing(), mail: null }) });

let browser: Awaited<ReturnType<typeof dashboard.signIn>>;
beforeAll(async () => {
  browser = await dashboard.signIn("inbox");
});

async function received(
  data: object = { email: "ada@example.com", message: "Open?" },
): Promise<{ form: Form; id: string; path: string }> {
  const form = await inbox.newForm({});
  app.clock.now += 1000;
  const { id } = await inbox.stored(form, json(data));
  return { form, id, path: `/inbox/${form.slug}/${id}` };
}
const found = async (id: string) => (await app.store.submissions.find(id))!;

test("a submission is assigned, labeled and noted on from its page, which stays", async () => {
  const { path, id } = await received();
  const page = `${path}?folder=inbox`;
  await browser.get(page);
  const assigned = await browser.post(`${path}/assign`, { page, assignee: "inbox" });
  expect([assigned.path, (await found(id)).assignee]).toEqual([page, "inbox"]);
  expect(assigned.text).toContain("Assigned to inbox.");
  const labeled = await browser.post(`${path}/label`, { page, label: " urgent " });
  expect(labeled.text).toContain('aria-label="Remove label urgent"');
  const undo = hiddenIn(labeled, "undo");
  expect((await browser.post("/inbox/undo", { undo, page: hiddenIn(labeled, "page") })).path).toBe(page);
  expect((await found(id)).labels).toEqual([]);
  const noted = await browser.post(`${path}/note`, { page, note: "called <b>back</b>" });
  expect(noted.text).toContain("called &lt;b&gt;back&lt;/b&gt;");
  const undone = await browser.post("/inbox/undo", { undo: hiddenIn(assigned, "undo") });
  expect(undone.text).toContain("Undone.");
  expect((await found(id)).assignee).toBe(null);
});

test("a refused text is shown again at its field", async () => {
  const { path } = await received();
  for (const [act, field, text, fault] of [
    ["label", "label", "a,b", "without commas"],
    ["note", "note", "x".repeat(10_001), "at most 10,000"],
    ["block", "word", "***", "spam word"],
    ["reply", "text", " ", "the reply is empty"],
  ] as const) {
    const answer = await browser.post(`${path}/${act}`, { what: "word", [field]: text });
    expect([act, answer.status]).toEqual([act, 400]);
    expect(answer.text.toLowerCase()).toContain(fault);
    expect(answer.text).toContain('aria-invalid="true"');
    if (act !== "reply") expect(answer.text).toContain(text);
  }
});

test("a reply is sent from the page, with a template as its text, and is in the timeline", async () => {
  const { form, path, id } = await received();
  await setForm(app, OPERATOR, form.slug, { replyTemplates: "# Hours\nDear {{email}}, from 9." });
  const page = `${path}?folder=inbox`;
  const used = await browser.post(`${path}/reply`, { page, text: "Hello", template: "Hours", use: "1" });
  expect(used.text).toContain("Hello\n\nDear ada@example.com, from 9.</textarea>");
  const sent = await browser.post(`${path}/reply`, { page, text: "", template: "Hours" });
  expect(sent.path).toBe(page);
  expect(sent.text).toContain("Reply to ada@example.com is on its way.");
  expect(sent.text).toMatch(/Answered by <bdi[^>]*>inbox/);
  const [answer] = await app.store.submissions.events(id);
  expect(answer).toMatchObject({ kind: "answered", text: "Dear ada@example.com, from 9.", who: "inbox" });
});

test("without a mail server, or an address, there is the mail link or none, and a reply says what to set", async () => {
  const { path } = await received();
  const other = await mailless.signIn("editor");
  const { text } = await other.get(path);
  expect(text).toContain("mailto:ada%40example.com");
  expect(text).not.toContain("Send reply");
  const answer = await other.post(`${path}/reply`, { text: "Hello" });
  expect([answer.status, answer.text]).toEqual([409, expect.stringContaining("o mail server is configured")]);
  expect((await browser.get((await received({ message: "x" })).path)).text).not.toContain("Send reply");
});

test("a sender and a word are blocked in the form", async () => {
  const { form, path } = await received();
  const page = `${path}?folder=inbox`;
  const answer = await browser.post(`${path}/block`, { page, what: "sender" });
  expect(answer.text).toContain(`ada@example.com is blocked in ${form.name}.`);
  await browser.post(`${path}/block`, { page, what: "word", word: "casino" });
  await browser.post(`${path}/block`, { page, what: "word", word: "casino" });
  expect(await getForm(app, OPERATOR, form.slug)).toMatchObject({
    spamEmails: ["ada@example.com"],
    spamWords: ["casino"],
  });
});

test("senders and words that are blocked at once are all blocked", async () => {
  const { form, path } = await received();
  const words = Array.from({ length: 8 }, (_, at) => `word${at}`);
  const other = await dashboard.signIn("editor");
  const act = (word: string, at: number) =>
    (at % 2 === 0 ? browser : other).post(`${path}/block`, { what: "word", word });
  await Promise.all(words.map(act));
  expect((await getForm(app, OPERATOR, form.slug)).spamWords.toSorted()).toEqual(words);
});

test("a sender whose address would be a pattern is blocked by it nowhere", async () => {
  const { form, path } = await received({ email: "*@example.com" });
  await browser.post(`${path}/block`, { what: "sender" });
  expect((await getForm(app, OPERATOR, form.slug)).spamEmails).toEqual([]);
});

test("a page says which of how many it shows, in its folder and in a search", async () => {
  const form = await inbox.newForm({});
  const ids: string[] = [];
  for (const name of ["a", "b", "c"]) {
    app.clock.now += 1000;
    ids.push((await inbox.stored(form, json({ name }))).id);
  }
  const shown = async (query: string) => (await browser.get(`/inbox/${form.slug}/${ids[1]!}${query}`)).text;
  expect(await shown("")).toContain(">2 of 3</span>");
  expect(await shown("?folder=inbox&q=b")).toContain(">1 of 1</span>");
});

test("a page counts what else the person sent, in all folders", async () => {
  const data = { email: "twelve@example.com", message: "again" };
  const { path } = await received(data);
  expect((await browser.get(path)).text).not.toContain("by this person");
  for (let count = 0; count < 3; count += 1) await received(data);
  const { path: archived } = await received(data);
  await browser.post(`${archived}/archive`, {});
  expect((await browser.get(path)).text).toMatch(/>4 others by this person<\/a> in all folders, the last /);
});

test("a search for a label and what is mine lists them, with their badges", async () => {
  const { form, path, id } = await received();
  await browser.post(`${path}/label`, { label: "to call" });
  await browser.post(`${path}/assign`, { assignee: "inbox" });
  for (const q of ['label:"to call"', "is:mine"]) {
    const { text } = await browser.get(`/inbox/${form.slug}?q=${encodeURIComponent(q)}`);
    expect([q, text.includes(`row-${id}`)]).toEqual([q, true]);
  }
  const { text } = await browser.get(`/inbox/${form.slug}?q=label:none`);
  expect(text).not.toContain(`row-${id}`);
});

test("a list is saved as a view, a link with a name that its user alone sees, and removed", async () => {
  const { form } = await received();
  const query = { form: form.slug, folder: "inbox", q: "label:urgent" };
  const saved = await browser.post("/inbox/-/views", { ...query, name: " To call " });
  const to = `/inbox/${form.slug}?q=label%3Aurgent`;
  expect([saved.status, saved.path]).toEqual([200, to]);
  const link = `href="/dashboard${to}"`;
  expect((await browser.get("/inbox")).text).toContain(link);
  const other = await dashboard.signIn("viewer");
  expect((await other.get("/inbox")).text).not.toContain(link);
  expect((await other.post("/inbox/-/views", { ...query, name: "Mine" })).text).toContain("View Mine saved.");
  await browser.post("/me/settings", { timeZone: "", shortcuts: "on" });
  expect((await browser.get("/inbox")).text).toContain(link);
  for (const name of ["", "x".repeat(61), "a\nb"])
    expect([name, (await browser.post("/inbox/-/views", { ...query, name })).status]).toEqual([name, 400]);
  await browser.post("/inbox/-/views", { ...query, remove: "To call" });
  expect((await browser.get("/inbox")).text).not.toContain(link);
});

test("a form is a table with a column for each field, whose choices are counted", async () => {
  const form = await inbox.newForm({});
  const schema = {
    properties: {
      topic: { title: "What about", enum: ["billing", "support", "other"] },
      message: { type: "string" },
    },
  };
  await setForm(app, OPERATOR, form.slug, { schema });
  for (const [topic, message] of [
    ["billing", "one <b>"],
    ["billing", "two"],
    ["support", "three"],
  ])
    await inbox.stored(form, json({ topic, message }));
  const { text } = await browser.get(`/inbox/${form.slug}?view=table`);
  expect(text).toContain('<th scope="col">What about</th>');
  expect(text).toContain("one &lt;b&gt;");
  expect(text.match(/<tr id="row-/g)).toHaveLength(3);
  const [, counts = ""] = /data-counts="topic">(.*?)<\/ul>/s.exec(text) ?? [];
  expect(
    counts
      .replaceAll(/<[^>]*>/g, " ")
      .replaceAll(/\s+/g, " ")
      .trim(),
  ).toBe("What about billing 2 support 1 other 0");
  expect(text).not.toContain('data-counts="message"');
  const { path } = await received({ color: "red", text: "a" });
  const other = await browser.get(`${path.slice(0, path.lastIndexOf("/"))}?view=table`);
  expect(other.text).toContain('<th scope="col">color</th>');
});
