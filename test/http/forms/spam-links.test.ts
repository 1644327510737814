import { describe, expect, test } from "bun:test";
import { createFileLinks } from "../../../src/forms/inbox/file-links.ts";
import { createSpamLinks } from "../../../src/forms/inbox/spam-links.ts";
import { createForm } from "../../../src/forms/forms.ts";
import { deleteSubmission } from "../../../src/forms/keeping/submission-deletion.ts";
import { storeSubmission } from "../../../src/forms/submissions.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { openSites } from "../../support/site.ts";
import { uploadsOf } from "../../support/uploads.ts";

const { app, services, openSite } = openSites();
const { ask } = openSite(services);
const { draftFiles } = uploadsOf(app);
const form = await createForm(app, OPERATOR, { slug: "contact", uploads: true });
const links = createSpamLinks(app, "");
const DAY = 86_400_000;

const submit = async () => (await storeSubmission(app, form, { data: '{"name":"SECRET"}', files: [] })).id;
const stateOf = async (id: string) => (await app.store.submissions.find(id))?.state;

describe("a link that marks a submission as spam", () => {
  test("asks on a page that shows nothing of it and changes nothing, and marks it by POST", async () => {
    const id = await submit();
    const url = await links.url(id);
    expect(url).toMatch(/^\/v1\/spam\/[\w-]{51}$/);
    for (const method of ["GET", "HEAD", "GET"]) {
      const page = await ask(url, { method });
      expect(page.status).toBe(200);
      expect(Object.fromEntries(page.headers)).toMatchObject({
        "cache-control": "no-store",
        "referrer-policy": "no-referrer",
        "content-security-policy": expect.stringContaining("form-action 'self'"),
      });
      const text = await page.text();
      if (method === "GET")
        expect(text).toContain('<form method="post"><button>Mark as spam</button></form>');
      expect(text).not.toContain("SECRET");
      expect(await stateOf(id)).toBe("inbox");
    }
    const done = await ask(url, { method: "POST", body: new URLSearchParams() });
    expect([done.status, await done.text()]).toEqual([
      200,
      expect.stringContaining("This submission is in the spam folder"),
    ]);
    expect(await stateOf(id)).toBe("spam");
    expect(await app.store.submissions.marks(id)).toMatchObject([{ mark: "spam", who: "a link in a mail" }]);
    // Again, it only says so.
    for (const method of ["GET", "POST"])
      expect(await (await ask(url, { method })).text()).toContain("is in the spam folder");
    expect(await app.store.submissions.marks(id)).toHaveLength(1);
  });

  test("works under a base path, wherever it is", async () => {
    const id = await submit();
    const url = await createSpamLinks(app, "https://example.com/formflag").url(id);
    const based = openSite(services, [], { basePath: "/formflag" });
    const { pathname } = new URL(url);
    expect((await based.ask(pathname, { method: "POST" })).status).toBe(200);
    expect(await stateOf(id)).toBe("spam");
  });

  test("is bound to its submission and to that action, and ends after 30 days", async () => {
    const [one, other] = [await submit(), await submit()];
    const [first, second] = [await links.url(one), await links.url(other)];
    const mixed = first.slice(0, 30) + second.slice(30);
    const ofFile = await createFileLinks(app, "").url((await storeWithFile()).id, 1);
    for (const url of [
      mixed,
      `${first}A`,
      first.slice(0, -1),
      ofFile.replace("files", "spam"),
      "/v1/spam/x",
    ]) {
      const answer = await ask(url, { method: "POST" });
      expect([url, answer.status]).toEqual([url, 404]);
      expect(await answer.text()).toContain("There is no such submission");
    }
    expect((await ask(first.replace("spam", "files"))).status).toBe(404);
    const start = app.clock.now;
    app.clock.now = start + 30 * DAY;
    const late = await ask(first, { method: "POST" });
    expect([late.status, await late.text()]).toEqual([410, expect.stringContaining("has expired")]);
    app.clock.now = start;
    expect([await stateOf(one), await stateOf(other)]).toEqual(["inbox", "inbox"]);
    await deleteSubmission(app, OPERATOR, one);
    expect((await ask(first, { method: "POST" })).status).toBe(404);
  });

  test("is limited for each address", async () => {
    const url = await links.url(await submit());
    app.clock.now += DAY;
    const statuses = new Set<number>();
    for (let count = 0; count < 61; count += 1) statuses.add((await ask(url, {}, "203.0.113.9")).status);
    expect([...statuses]).toEqual([200, 429]);
    expect((await ask(url, {}, "203.0.114.9")).status).toBe(200);
  });
});

async function storeWithFile() {
  return storeSubmission(app, form, { data: "{}", files: await draftFiles("a.txt") });
}
