import { describe, expect, test } from "bun:test";
import { createFileLinks } from "../../../src/forms/inbox/file-links.ts";
import { createForm } from "../../../src/forms/forms.ts";
import { storeSubmission } from "../../../src/forms/submissions.ts";
import { deleteSubmission } from "../../../src/forms/keeping/submission-deletion.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { openSites } from "../../support/site.ts";
import { uploadsOf } from "../../support/uploads.ts";

const { app, services, openSite } = openSites();
const { ask, records } = openSite(services);
const { draftFiles } = uploadsOf(app);
const form = await createForm(app, OPERATOR, { slug: "contact", uploads: true });
const links = createFileLinks(app, "");

const submit = async (...names: string[]) =>
  (await storeSubmission(app, form, { data: "{}", files: await draftFiles(...names) })).id;
const DAY = 86_400_000;

describe("a signed link", () => {
  test("downloads its file as what no browser shows or runs, and no cache keeps", async () => {
    const id = await submit("first.txt", "page ü.html");
    const url = await links.url(id, 2);
    expect(url).toMatch(/^\/v1\/files\/[\w-]{54}$/);
    const answer = await ask(url);
    expect([answer.status, await answer.text()]).toEqual([200, "page ü.html"]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "application/octet-stream",
      "content-length": "12",
      "content-disposition": `attachment; filename="page _.html"; filename*=UTF-8''page%20%C3%BC.html`,
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox",
      "cache-control": "private, no-store",
    });
  });

  test("answers HEAD without the bytes", async () => {
    const answer = await ask(await links.url(await submit("a.txt"), 1), { method: "HEAD" });
    expect([answer.status, await answer.text()]).toEqual([200, ""]);
  });

  test("is under the public URL or base path, and opens in every process", async () => {
    const id = await submit("a.txt");
    expect(await createFileLinks(app, "https://forms.example.com").url(id, 1)).toStartWith(
      "https://forms.example.com/v1/files/",
    );
    const url = await createFileLinks(app, "/base").url(id, 1);
    expect((await ask(url.slice("/base".length))).status).toBe(200);
  });

  test("of a file with a long name has headers that proxies take, and the extension", async () => {
    const answer = await ask(await links.url(await submit(`${"ü".repeat(500)}.pdf`), 1));
    const disposition = answer.headers.get("content-disposition")!;
    expect(disposition).toContain(`filename*=UTF-8''${"%C3%BC".repeat(98)}.pdf`);
    expect(disposition.length).toBeLessThan(1000);
  });

  test("is valid for 14 days, then gone", async () => {
    const url = await links.url(await submit("a.txt"), 1);
    const start = app.clock.now;
    app.clock.now = start + 14 * DAY - 1000;
    expect((await ask(url)).status).toBe(200);
    app.clock.now = start + 14 * DAY;
    const answer = await ask(url);
    expect([answer.status, await answer.json()]).toEqual([
      410,
      { error: true, code: 410, message: "this link has expired" },
    ]);
    const page = await ask(url, { headers: { accept: "text/html" } });
    expect([page.status, page.headers.get("content-type")]).toEqual([410, "text/html; charset=utf-8"]);
    expect(await page.text()).toContain("This link has expired");
    app.clock.now = start;
  });

  test("with any other character is not found", async () => {
    const url = await links.url(await submit("a.txt"), 1);
    const token = url.slice("/v1/files/".length);
    const changed = Array.from(token, (character, at) => {
      const other = character === "A" ? "B" : "A";
      return token.slice(0, at) + other + token.slice(at + 1);
    });
    const tokens = [
      ...changed,
      token.slice(0, -1),
      `${token}A`,
      `${token}=`,
      "x",
      "%00",
      "..%2f..",
      `${token}%20`,
    ];
    for (const each of tokens) expect([each, (await ask(`/v1/files/${each}`)).status]).toEqual([each, 404]);
    expect((await ask("/v1/files/")).status).toBe(404);
    expect((await ask(url, { method: "POST" })).status).toBe(404);
    expect((await ask(url)).status).toBe(200);
  });

  test("to a submission that was deleted is not found, by people with a page", async () => {
    const id = await submit("a.txt");
    const url = await links.url(id, 1);
    await deleteSubmission(app, OPERATOR, id);
    expect((await ask(url)).status).toBe(404);
    const page = await ask(url, { headers: { accept: "text/html,*/*" } });
    expect([page.status, page.headers.get("cache-control")]).toEqual([404, "private, no-store"]);
    expect(await page.text()).toContain("There is no such file");
  });

  test("is not in the log", async () => {
    records.length = 0;
    await ask(await links.url(await submit("a.txt"), 1));
    await ask("/v1/files/nothing");
    expect(records.map(({ route, status }) => [route, status])).toEqual([
      ["/v1/files/:token", 200],
      ["/v1/files/:token", 404],
    ]);
  });
});
