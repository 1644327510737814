import { expect, test } from "bun:test";
import { createForm, deleteForm, getForm, setForm } from "../../../src/forms/forms.ts";
import { storeSubmission } from "../../../src/forms/submissions.ts";
import { addTarget } from "../../../src/forms/targets.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { openTestApp } from "../../support/app.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { openDashboard } from "../../support/pages/dashboard.ts";
import { failDeliveries } from "../../support/records/failing.ts";
import { fakeOutgoing } from "../../support/peers/outgoing.ts";

function open() {
  const app = openTestApp();
  return { app, ...openDashboard(app) };
}

test("A form is created, and a slug in use keeps what was typed", async () => {
  const { app, signIn } = open();
  const { get, post } = await signIn("inbox");
  expect((await get("/forms")).text).toContain("There are no forms yet");
  const created = await post("/forms/new", { slug: "contact", name: "Contact us", uploads: "on" });
  expect(created.text).toContain("Created form contact");
  expect(await getForm(app, OPERATOR, "contact")).toMatchObject({ name: "Contact us", uploads: true });

  const again = await post("/forms/new", { slug: "contact", name: "<b>Other" });
  expect(again.status).toBe(409);
  expect(again.text).toContain("already exists");
  expect(again.text).toContain("&lt;b&gt;Other");
  const broken = await post("/forms/new", { slug: "no spaces", name: "" });
  expect(broken.status).toBe(400);
  expect(broken.text).toContain('value="no spaces"');
});

test("A form is copied from its page, and a slug in use keeps what was typed", async () => {
  const { app, signIn } = open();
  const { get, post } = await signIn("inbox");
  await createForm(app, OPERATOR, { slug: "contact", name: "Contact us", uploads: true });
  expect((await get("/forms/contact")).text).toContain('href="/dashboard/forms/contact/copy"');
  expect((await get("/forms/contact/copy")).text).toContain('value="contact-2"');
  const copied = await post("/forms/contact/copy", { slug: "kontakt", name: "Kontakt" });
  expect([copied.path, copied.text.includes("Created form kontakt")]).toEqual(["/forms/kontakt", true]);
  expect(await getForm(app, OPERATOR, "kontakt")).toMatchObject({ name: "Kontakt", uploads: true });
  const again = await post("/forms/contact/copy", { slug: "kontakt", name: "<b>Other" });
  expect(again.status).toBe(409);
  expect(again.text).toContain("&lt;b&gt;Other");
});

test("Settings are saved by group, and a wrong one keeps all that was typed", async () => {
  const { app, signIn } = open();
  const { get, post } = await signIn("editor");
  await post("/forms/new", { slug: "contact" });
  const path = "/forms/contact/settings";
  const saved = await post(path, {
    allowedOrigins: "https://example.com\r\nhttps://*.example.org\r\n",
    blockedSenders: "203.0.113.0/24",
    rateLimit: "20/h",
    opensAt: "2027-01-31T12:00",
    closesAt: "",
    maxSubmissions: "100",
  });
  expect(saved.text).toContain("Saved the settings");
  expect(await getForm(app, OPERATOR, "contact")).toMatchObject({
    allowedOrigins: ["https://example.com", "https://*.example.org"],
    blockedSenders: ["203.0.113.0/24"],
    rateLimit: { count: 20, seconds: 3600 },
    opensAt: "2027-01-31T12:00:00.000Z",
    closesAt: null,
    maxSubmissions: 100,
  });
  expect((await get(path)).text).toContain('value="20/h"');

  const wrong = await post(path, { allowedOrigins: "example", rateLimit: "often" });
  expect(wrong.status).toBe(400);
  expect(wrong.text).toContain("Write a rate such as 20/h or 5/10m.");
  expect(wrong.text).toContain("An origin looks like");
  expect(wrong.text).toContain('value="often"');
  const schema = await post(path, { schema: '{"type": "objec"}' });
  expect(schema.status).toBe(400);
  expect(schema.text).toContain("objec");
  expect((await post(path, { nothing: "" })).status).toBe(400);
  expect(await getForm(app, OPERATOR, "contact")).toMatchObject({ rateLimit: { count: 20 }, schema: null });
});

test("Settings that nobody changed stay as they are stored, however their text rounds them", async () => {
  const { app, signIn } = open();
  const { get, post } = await signIn("editor");
  await post("/forms/new", { slug: "contact" });
  await setForm(app, OPERATOR, "contact", { maxFileSize: 1_234_567, maxFiles: 3 });
  const path = "/forms/contact/settings";
  const before = (name: string) => new RegExp(`name="before-${name}" value="([^"]*)"`).exec(page.text)![1]!;
  const page = await get(path);
  const names = ["uploads", "maxFiles", "maxFileSize", "allowedTypes"];
  const sent = Object.fromEntries(
    names.flatMap((name) => [
      [name, before(name)],
      [`before-${name}`, before(name)],
    ]),
  );
  // Somebody else saves meanwhile.
  await setForm(app, OPERATOR, "contact", { maxFiles: 5 });
  await post(path, { ...sent, allowedTypes: ".pdf" });
  expect(await getForm(app, OPERATOR, "contact")).toMatchObject({
    maxFileSize: 1_234_567,
    maxFiles: 5,
    allowedTypes: [".pdf"],
  });
});

test("A form is closed, tested, and deleted by its name", async () => {
  const { app, signIn } = open();
  const { get, post } = await signIn("inbox");
  await post("/forms/new", { slug: "contact" });
  expect((await get("/forms/contact")).text).toContain(
    `/v1/s/${(await getForm(app, OPERATOR, "contact")).key}`,
  );
  await post("/forms/contact/state", { enabled: "false" });
  expect((await getForm(app, OPERATOR, "contact")).enabled).toBe(false);
  await post("/forms/contact/test", {});
  expect(await app.store.submissions.count((await getForm(app, OPERATOR, "contact")).key)).toBe(1);

  const refused = await post("/forms/contact/delete", { name: "contac" });
  expect(refused.status).toBe(400);
  expect(refused.text).toContain("Type contact.");
  expect((await post("/forms/contact/delete", { name: "contact" })).text).toContain("Deleted form contact");
  expect((await get("/forms/contact")).status).toBe(404);
});

test("The secret of a webhook is shown once, and its answer is not compressed", async () => {
  const { app, signIn } = open();
  const { ask, get, post } = await signIn("inbox");
  await post("/forms/new", { slug: "contact" });
  const added = await ask("/forms/contact/targets", {
    method: "POST",
    body: new URLSearchParams({ target: "https://example.com/hook" }),
    headers: { Origin: "http://dashboard.test", "Accept-Encoding": "gzip" },
  });
  expect(added.headers.get("content-encoding")).toBeNull();
  const [, secret] = /(whsec_[^<\s]+)/.exec(await added.text())!;
  expect((await get("/forms/contact")).text).not.toContain(secret!);
  const wrong = await post("/forms/contact/targets", { target: "not a target" });
  expect(wrong.status).toBe(400);
  expect(wrong.text).toContain('value="not a target"');

  const [target] = await app.store.targets.list((await getForm(app, OPERATOR, "contact")).key);
  const path = `/forms/contact/targets/${target!.id}`;
  await post(path, { do: "disable" });
  expect((await app.store.targets.find(target!.id))!.enabled).toBe(false);
  expect((await post(path, { do: "explode" })).status).toBe(400);
  await post("/forms/new", { slug: "other" });
  expect((await post(path.replace("contact", "other"), { do: "delete" })).status).toBe(404);
  await post(path, { do: "delete" });
  expect(await app.store.targets.find(target!.id)).toBeUndefined();
});

test("A viewer reads forms, and neither finds a button nor changes anything", async () => {
  const { app, signIn } = open();
  await (await signIn("inbox")).post("/forms/new", { slug: "contact" });
  const { get, post } = await signIn("viewer");
  const { status, text } = await get("/forms/contact");
  expect(status).toBe(200);
  for (const label of [
    "Send a test",
    "Settings",
    "Delete",
    "Close the form",
    "<textarea",
    "forms/contact/targets",
  ])
    expect(text).not.toContain(label);
  expect((await get("/forms/contact/settings")).status).toBe(403);
  for (const [path, fields] of [
    ["/forms/new", { slug: "other" }],
    ["/forms/contact/state", { enabled: "false" }],
    ["/forms/contact/settings", { name: "Mine" }],
    ["/forms/contact/delete", { name: "contact" }],
    ["/forms/contact/test", {}],
    ["/forms/contact/targets", { target: "https://example.com/" }],
  ] as const)
    expect([path, (await post(path, fields)).status]).toEqual([path, 403]);
  expect(await getForm(app, OPERATOR, "contact")).toMatchObject({ enabled: true, name: "contact" });
});

test("A retention of minutes asks for the name of the form, and a size of 10 for its unit", async () => {
  const { app, signIn } = open();
  const { post } = await signIn("editor");
  await post("/forms/new", { slug: "contact" });
  const path = "/forms/contact/settings";
  const kept = { retention: "6m", spamRetention: "30d", metadata: "none" };
  const asked = await post(path, kept);
  expect(asked.status).toBe(428);
  expect(asked.text).toContain("Form contact would keep submissions for 6 minutes and delete 0 of 0.");
  expect(asked.text).toContain("Type contact to confirm");
  expect(asked.text).toContain('name="retention" value="6m"');
  expect((await post(path, { ...kept, confirm: "other" })).status).toBe(428);
  expect(await getForm(app, OPERATOR, "contact")).toMatchObject({ retention: null });
  expect((await post(path, { ...kept, confirm: "contact" })).text).toContain("Saved the settings");
  expect(await getForm(app, OPERATOR, "contact")).toMatchObject({ retention: 360 });
  const files = await post(path, {
    uploads: "on",
    maxFiles: "5",
    maxFileSize: "10",
    allowedTypes: "",
  });
  expect([files.status, files.text.includes("Write a size with its unit, such as 10 MB.")]).toEqual([
    400,
    true,
  ]);
});

test("A new secret of a target and its deletion are asked first, and a form that was closed is opened by Undo", async () => {
  const { app, signIn } = open();
  const { get, post } = await signIn("inbox");
  await post("/forms/new", { slug: "contact", name: "" });
  await post("/forms/contact/targets", { target: "https://example.com/hook" });
  const { text } = await get("/forms/contact");
  const questions = [...text.matchAll(/<details class="asking">.*?<\/details>/gs)].map(([each]) => each);
  expect(questions.map((each) => /name="do" value="(\w+)"/.exec(each)?.[1])).toEqual(["rotate", "delete"]);
  for (const act of ["rotate", "delete"]) expect(text.split(`value="${act}"`)).toHaveLength(2);

  const closed = await post("/forms/contact/state", { enabled: "false" });
  expect(closed.text).toContain("The form is closed");
  const undo = /<div id="messages".*?<\/form>/s.exec(closed.text)![0];
  expect(undo).toContain('name="enabled" value="true"');
  expect((await post("/forms/contact/state", { enabled: "true" })).text).toContain("The form is open");
  expect((await getForm(app, OPERATOR, "contact")).enabled).toBe(true);
  expect((await post("/forms/contact/state", { enabled: "true" })).text).not.toContain(">Undo<");
});

test("The page of a form says where submissions are sent, and that mail waits for a mail server", async () => {
  const nowhere = "Submissions are sent nowhere but to the inbox";
  const waits = "No mail server is configured";
  for (const hasMail of [true, false]) {
    const app = openTestApp();
    const outgoing = async () => fakeOutgoing(undefined, hasMail);
    const { get, post } = await openDashboard(app, { outgoing }).signIn("inbox");
    await post("/forms/new", { slug: "contact" });
    const before = (await get("/forms/contact")).text;
    expect([before.includes(nowhere), before.includes(waits)]).toEqual([true, false]);
    await setForm(app, OPERATOR, "contact", { notify: ["ann@example.com"] });
    const { text } = await get("/forms/contact");
    expect([text.includes(nowhere), text.includes(waits)]).toEqual([false, !hasMail]);
    const help = "/docs/running#mail-and-webhooks-what-the-server-may-reach";
    expect(text.includes(`href="/dashboard${help}"`)).toBe(!hasMail);
    expect((await get("/docs/running")).text).toContain(` id="${help.split("#")[1]}"`);
  }
});

test("A form has a history of its settings, newest first, by whom and why, also after it was deleted", async () => {
  const { app, signIn } = open();
  const { get, post } = await signIn("editor");
  await post("/forms/new", { slug: "contact", name: "Contact us" });
  await setForm(app, { ...OPERATOR, name: "ann", why: "<b>privacy</b>" }, "contact", {
    retention: 7_776_000,
  });
  expect((await get("/forms/contact")).text).toContain('href="/dashboard/forms/contact/history"');
  const { text } = await get("/forms/contact/history");
  expect(text).toContain("+ 90d");
  expect(text).toContain("&lt;b&gt;privacy&lt;/b&gt;");
  const changes = text.slice(text.indexOf("</header>"));
  expect(changes.indexOf("ann")).toBeGreaterThan(0);
  expect(changes.indexOf("ann")).toBeLessThan(changes.indexOf("Contact us"));
  expect((await get("/forms/contact/history?who=nobody")).text).toContain("No change matches");
  expect((await get("/forms/contact/history?before=x")).status).toBe(400);
  await deleteForm(app, OPERATOR, "contact");
  expect((await get("/forms/contact/history")).text).toContain("deleted");
  expect((await get("/forms/nothing/history")).status).toBe(404);
});

test("The page of a form counts what was kept away as spam as it arrived, whatever people moved since", async () => {
  const { app, signIn } = open();
  const { get, post } = await signIn("inbox");
  await post("/forms/new", { slug: "contact" });
  const form = await getForm(app, OPERATOR, "contact");
  const draft = { data: "{}", files: [] };
  const none = { key: null, recent: null, challenge: null, maxSubmissions: null };
  const conditions = { ...none, spam: "word:casino", keepsSpam: true };
  const spam = await storeSubmission(app, form, draft, { conditions });
  const other = await storeSubmission(app, form, draft);
  const counted = async () =>
    /Spam, 30 days<\/span><span class="line"><b>(\d+)/.exec((await get("/forms/contact")).text)?.[1];
  expect(await counted()).toBe("1");
  await app.store.submissions.mark([other.id], "spam", {}, { who: "ann", at: app.now() });
  await app.store.submissions.mark([spam.id], "inbox", {}, { who: "ann", at: app.now() });
  expect(await counted()).toBe("1");
});

test("The page of a form shows its numbers, its last submission, and how often its fields are filled in", async () => {
  const { app, signIn } = open();
  const { get, post } = await signIn("inbox");
  await post("/forms/new", { slug: "contact" });
  const properties = { name: { title: "Name" }, message: { type: "string", maxLength: 5000 }, phone: {} };
  await setForm(app, OPERATOR, "contact", { schema: { required: ["name"], properties } });
  const empty = (await get("/forms/contact")).text;
  expect(empty).toMatch(/Submissions, 30 days<\/span><span class="line"><b>0<\/b>/);
  expect(empty).toMatch(/Last submission<\/span><span class="line"><b>none yet/);
  const form = await getForm(app, OPERATOR, "contact");
  const store = async (data: object) =>
    (await storeSubmission(app, form, { data: JSON.stringify(data), files: [] })) as { id: string };
  const first = await store({ name: "Ben" });
  await store({ name: "<b>Ann</b>", message: "Hello" });
  app.clock.now += 600_000;
  await app.store.submissions.mark([first.id], "archived", {}, { who: "ann", at: app.now() });
  const { text } = await get("/forms/contact");
  expect(text).toMatch(/Submissions, 30 days<\/span><span class="line"><b>2<\/b>/);
  expect(text).toMatch(/First answer, median<\/span><span class="line"><b>10 min<.*?1 of 2 answered/);
  expect(text).toContain("&lt;b&gt;Ann&lt;/b&gt;");
  expect(text).toContain("Inbox, 1 unread");
  const rows = [...text.matchAll(/<tr><th scope="row">.*?<\/tr>/gs)].map(([row]) =>
    row
      .replaceAll(/<[^>]*>/g, " ")
      .replaceAll(/\s+/g, " ")
      .trim(),
  );
  expect(rows).toEqual([
    "name text, required 100 % filled in title",
    "message long text 50 % filled in second line",
    "phone text 0 % filled in below",
  ]);
});

test("A row of the settings says what holds, opens where a setting was refused, and tells viewers what differs", async () => {
  const { app, signIn } = open();
  const { get, post } = await signIn("inbox");
  await post("/forms/new", { slug: "contact" });
  await post("/forms/contact/settings", { retention: "90d", notify: "a@example.com" });
  const openRows = (text: string) =>
    [...text.matchAll(/<details class="fold" id="(\w+)" open/g)].map(([, id]) => id);
  const { text } = await get("/forms/contact");
  expect(text).toContain("90 days, spam for 30 days; nothing about the sender");
  expect(text).toContain("a@example.com by mail");
  expect(openRows(text)).toEqual([]);
  expect(openRows((await get("/forms/contact/feeds")).text)).toEqual(["feeds"]);
  expect(openRows((await get("/forms/contact/settings")).text)).toHaveLength(7);
  expect(openRows((await post("/forms/contact/settings", { spamLinks: "many" })).text)).toEqual(["screens"]);
  expect(openRows((await post("/forms/contact/targets", { target: "x" })).text)).toEqual(["tells"]);
  const target = await addTarget(app, OPERATOR, "contact", "slack:https://example.com/x", fakeOutgoing());
  expect((await get("/forms/contact")).text).toContain("Slack, a@example.com by mail");
  const form = await getForm(app, OPERATOR, "contact");
  const delivery = { id: app.nextId(), kind: "slack" as const, target: target.id };
  await storeSubmission(app, form, { data: "{}", files: [] }, { deliveries: [delivery] });
  await failDeliveries(app, "refused", undefined, "queued");
  expect((await get("/forms/contact")).text).toMatch(/Slack fails<.*?class="change">Fix</s);
  const seen = (await (await signIn("viewer")).get("/forms/contact")).text;
  expect(seen).toMatch(/<dt>Notify<\/dt><dd><bdi dir="auto">a@example.com/);
  expect(seen).not.toContain("Open all");
});

test("The list of forms has links for those with unread submissions, open and closed ones, and each project", async () => {
  const { app, signIn } = open();
  const { get, post } = await signIn("admin");
  await post("/forms/new", { slug: "contact" });
  await createProject(app, OPERATOR, { slug: "shop", name: "Larch Valley shop" });
  await createForm(app, OPERATOR, { slug: "orders", name: "Orders & more", project: "shop" });
  await setForm(app, OPERATOR, "orders", { closesAt: new Date(app.now() - 1).toISOString() });
  const contact = await getForm(app, OPERATOR, "contact");
  await storeSubmission(app, contact, { data: "{}", files: [] });
  const { text } = await get("/forms");
  const chips = [...text.matchAll(/<nav class="chips".*?<\/nav>/gs)].map(([nav]) =>
    [...nav.matchAll(/href="([^"]*)"[^>]*>(.*?)<\/a>/g)].map(([, , label]) =>
      label!
        .replaceAll(/<[^>]*>/g, " ")
        .replaceAll(/\s+/g, " ")
        .trim(),
    ),
  );
  expect(chips).toEqual([
    ["All 2", "Unread 1", "Open 1", "Closed 1"],
    ["All projects 2", "default 1", "Larch Valley shop 1"],
  ]);
  const slugs = async (query: string) =>
    [...(await get(`/forms?${query}`)).text.matchAll(/<tr id="form-([^"]*)"/g)].map(([, name]) => name);
  expect(await slugs("state=closed")).toEqual(["shop:orders"]);
  expect(await slugs("state=unread")).toEqual(["contact"]);
  expect(await slugs("project=shop")).toEqual(["shop:orders"]);
  expect(await slugs("project=shop&state=open")).toEqual([]);
  expect((await get("/forms?state=open&project=shop")).text).toContain("No form is in this list");
});
