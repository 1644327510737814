import { beforeAll, describe, expect, test } from "bun:test";
import { markSubmissions } from "../../../src/forms/inbox/submission-marks.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { openDashboard } from "../../support/pages/dashboard.ts";
import { json, openInbox } from "../../support/inbox.ts";

const inbox = openInbox();
const { app } = inbox;
const dashboard = openDashboard(app);
let browser: Awaited<ReturnType<typeof dashboard.signIn>>;
beforeAll(async () => {
  browser = await dashboard.signIn("inbox");
});

let people = 0;

/** A person who has sent to two forms, and somebody who mentions that. */
async function openPerson() {
  const email = `ada${(people += 1)}@example.com`;
  const forms = [await inbox.newForm(), await inbox.newForm()];
  const send = async (form: { key: string }, data: object) => (await inbox.stored(form, json(data))).id;
  const first = await send(forms[0]!, { name: "Ada", email: email.toUpperCase() });
  const second = await send(forms[1]!, { from: [email], number: 1 });
  const mention = await send(forms[1]!, { message: `I know ${email} well` });
  await markSubmissions(app, OPERATOR, [first], "spam");
  return { email, forms, first, second, mention, path: `/people?q=${encodeURIComponent(email)}` };
}

describe("a person", () => {
  test("is everything that was sent with an address, in every form and folder", async () => {
    const { path, email, first, second, mention } = await openPerson();
    const { status, text } = await browser.get(path);
    expect(status).toBe(200);
    expect(text).toContain(`row-${first}`);
    expect(text).toContain(`row-${second}`);
    expect(text).not.toContain(`row-${mention}`);
    expect(text).toContain("2 submissions in all folders, to ");
    expect(text).toContain("spam: manual");
    expect(text).toContain(`formflag submissions purge --email ${email} --dry-run`);
  });

  test("is found among recent senders", async () => {
    const form = await inbox.newForm();
    for (const email of ["jo@example.com", "Jo@example.com"]) await inbox.stored(form, json({ email }));
    const { text } = await browser.get("/people");
    expect(text).toMatch(/>Jo@example\.com<\/bdi>.*data-label="Last"/);
    expect(text).not.toContain(">jo@example.com<");
  });

  test("is exported", async () => {
    const { email, first, second } = await openPerson();
    const answer = await browser.ask(`/people/export?q=${encodeURIComponent(email)}&format=jsonl`);
    expect(answer.headers.get("content-disposition")).toContain("attachment");
    const lines = (await answer.text()).trimEnd().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { id: string }).id).toSorted()).toEqual([first, second]);
    expect((await browser.get("/people/export?q=nobody")).status).toBe(400);
  });

  test("is erased once a count was shown and the address was typed", async () => {
    const { email, forms, first, second, mention } = await openPerson();
    const asked = await browser.post("/people/erase", { q: email });
    expect(asked.status).toBe(428);
    expect(asked.text).toContain("2 submissions and 0 files would be deleted");
    expect(asked.text).toContain(forms[0]!.slug);
    expect(asked.text).toContain("1 other submission");
    const wrong = await browser.post("/people/erase", { q: email, typed: "ada@example.org" });
    expect(wrong.status).toBe(428);
    expect(wrong.text).toContain("Nothing was erased.");
    expect(wrong.text).toContain('value="ada@example.org"');
    expect(await app.store.submissions.find(first)).toBeDefined();
    const done = await browser.post("/people/erase", { q: email, typed: email.toUpperCase() });
    expect(done.text).toContain("2 submissions and 0 files erased.");
    expect(await app.store.submissions.find(first)).toBeUndefined();
    expect(await app.store.submissions.find(second)).toBeUndefined();
    expect(await app.store.submissions.find(mention)).toBeDefined();
  });
});

test("a search for what is no address keeps it and says what one looks like", async () => {
  const { status, text } = await browser.get(`/people?q=${encodeURIComponent('"ada')}`);
  expect(status).toBe(400);
  expect(text).toContain('value="&quot;ada"');
  expect(text).toContain("An address looks like ada@example.com.");
  expect((await browser.get("/people")).text).not.toContain("looks like ada@example.com.");
});

test("nobody is a page too", async () => {
  const { status, text } = await browser.get("/people?q=nobody%40example.com");
  expect(status).toBe(200);
  expect(text).toContain("No submissions with this address");
});
