import { describe, expect, test } from "bun:test";
import { createForm } from "../../../src/forms/forms.ts";
import { type Submission } from "../../../src/forms/submission.ts";
import { storeSubmission } from "../../../src/forms/submissions.ts";
import { stageText } from "../../contracts/blobs.ts";
import { errorOf, expectError, fresh, path, openAdmin } from "../../support/admin.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { submissionTo } from "../../support/records/records.ts";

const { app, ask } = await openAdmin();

describe("submissions", () => {
  const openForm = () => createForm(app, OPERATOR, { slug: fresh(), uploads: true });
  type Form = Awaited<ReturnType<typeof openForm>>;

  async function submit(form: Form, data: unknown, ...files: string[]): Promise<string> {
    const staged = files.map(async (name) => ({
      field: "file",
      name,
      type: "text/html",
      blob: await stageText(app.blobs, `bytes of ${name}`),
    }));
    const draft = { data: JSON.stringify(data), files: await Promise.all(staged) };
    return (await storeSubmission(app, form, draft)).id;
  }

  type Page = { submissions: Submission[]; next: string | null; total?: number };
  const pageOf = async (form: Form, query: string) =>
    (await (await ask(`${path("forms", form.slug, "submissions")}${query}`)).json()) as Page;

  test("have an exact total, however many there are", async () => {
    const form = await openForm();
    await Promise.all(
      Array.from({ length: 1001 }, () =>
        app.store.submissions.insert(submissionTo(form.key, { id: app.nextId() })),
      ),
    );
    const page = await pageOf(form, "?limit=1");
    expect([page.total, page.submissions.length]).toEqual([1001, 1]);
  });

  test("are listed by folder, and a folder that is none is refused", async () => {
    const form = await openForm();
    const id = await submit(form, { name: "Ada" });
    const states = ["", "?state=inbox", "?state=spam", "?state=archived", "?state=all"];
    const pages = await Promise.all(states.map((query) => pageOf(form, query)));
    expect(pages.map(({ total }) => total)).toEqual([1, 1, 0, 0, 1]);
    expect(pages[4]!.submissions.map((each) => each.id)).toEqual([id]);
    const answer = await ask(`${path("forms", form.slug, "submissions")}?state=trash`);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("inbox, spam, archived, unconfirmed or all");
  });

  test("are shown and deleted", async () => {
    const form = await openForm();
    const id = await submit(form, { name: "Ada", n: 1 }, "a.txt");
    expect(await (await ask(path("submissions", id))).json()).toEqual({
      state: "inbox",
      spam: null,
      read: false,
      meta: null,
      flags: null,
      unchecked: null,
      assignee: null,
      labels: [],
      confirmedAt: null,
      unsubscribedAt: null,
      consent: null,
      id,
      project: "default",
      form: form.slug,
      data: { name: "Ada", n: 1 },
      files: [
        {
          field: "file",
          name: "a.txt",
          type: "text/html",
          size: 14,
          sha256: new Bun.CryptoHasher("sha256").update("bytes of a.txt").digest("hex"),
        },
      ],
      createdAt: new Date(app.now()).toISOString(),
    });
    expect((await ask(path("submissions", id), { method: "DELETE" })).status).toBe(204);
    expect((await ask(path("submissions", id))).status).toBe(404);
    expect((await ask(path("submissions", id, "files", "1"))).status).toBe(404);
  });

  test("are listed newest first in pages, by next and before", async () => {
    const form = await openForm();
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.unshift(await submit(form, { count }));
    expect((await pageOf(form, "")).submissions.map((each) => each.id)).toEqual(ids);
    const walked: string[] = [];
    const nexts: (string | null)[] = [];
    let query = "?limit=2";
    for (let page = await pageOf(form, query); ; page = await pageOf(form, query)) {
      walked.push(...page.submissions.map((each) => each.id));
      nexts.push(page.next);
      if (page.next === null) break;
      query = `?limit=2&before=${page.next}`;
    }
    expect(walked).toEqual(ids);
    expect(nexts).toEqual([ids[1]!, ids[3]!, null]);
    expect(await pageOf(form, "?limit=5")).toMatchObject({ next: null });
    expect(await pageOf(form, `?before=${ids[4]!}`)).toEqual({ submissions: [], next: null, total: 5 });
    expect((await pageOf(await openForm(), "")) as unknown).toEqual({
      submissions: [],
      next: null,
      total: 0,
    });
  });

  describe("exported", () => {
    const exportOf = (form: Form, query = "") =>
      ask(`${path("forms", form.slug, "submissions", "export")}${query}`);

    test("as JSON lines are what each is by itself, newest first", async () => {
      const form = await openForm();
      const ids = [await submit(form, { a: "two\nlines" }), await submit(form, { b: [1, null] }, "x.txt")];
      for (const query of ["", "?format=jsonl"]) {
        const answer = await exportOf(form, query);
        expect(answer.status).toBe(200);
        expect(answer.headers.get("content-type")).toStartWith("application/jsonl");
        expect(answer.headers.get("content-disposition")).toContain(`filename="${form.slug}.jsonl"`);
        expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
        const text = await answer.text();
        expect(text).toEndWith("\n");
        const expected = await Promise.all(
          ids.toReversed().map(async (id) => (await ask(path("submissions", id))).json()),
        );
        expect(
          text
            .trimEnd()
            .split("\n")
            .map((line) => JSON.parse(line) as unknown),
        ).toEqual(expected);
      }
    });

    test.each([
      ["json", "application/json", "["],
      ["zip", "application/zip", "PK"],
    ])("as %s have its content type and a name", async (format, type, start) => {
      const form = await openForm();
      await submit(form, { a: 1 }, "a.txt");
      const answer = await exportOf(form, `?format=${format}`);
      expect(answer.headers.get("content-type")).toBe(type);
      expect(answer.headers.get("content-disposition")).toContain(`filename="${form.slug}.${format}"`);
      expect(await answer.text()).toStartWith(start);
    });

    test("as CSV have the fields in first-seen order, quoted and harmless", async () => {
      const form = await openForm();
      const at = new Date(app.now()).toISOString();
      const first = await submit(form, { name: "=1+1", note: 'say "hi", twice', "=field": null });
      const second = await submit(form, { note: "two\nlines", extra: [1, "b"], n: -2 }, "+a.txt", "b,c.txt");
      const answer = await exportOf(form, "?format=csv");
      expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
      expect(answer.headers.get("content-disposition")).toContain(`filename="${form.slug}.csv"`);
      expect(await answer.text()).toBe(
        [
          `id,createdAt,"note","extra","n","name","'=field",files`,
          `${second},${at},"two\nlines","[1,""b""]",-2,,,"'+a.txt; b,c.txt"`,
          `${first},${at},"say ""hi"", twice",,,"'=1+1",,`,
          "",
        ].join("\r\n"),
      );
    });

    test("as CSV keep fields named like what an object has, and those named like a column", async () => {
      const form = await openForm();
      const id = await submit(form, { id: "mine", toString: "text" });
      const empty = await submit(form, { other: 1 });
      const at = new Date(app.now()).toISOString();
      const text = await (await exportOf(form, "?format=csv")).text();
      expect(text).toBe(
        [
          'id,createdAt,"other","id","toString",files',
          `${empty},${at},1,,,`,
          `${id},${at},,"mine","text",`,
          "",
        ].join("\r\n"),
      );
    });

    test("are nothing, or only a head, where there are none", async () => {
      const form = await openForm();
      expect(await (await exportOf(form)).text()).toBe("");
      expect(await (await exportOf(form, "?format=csv")).text()).toBe("id,createdAt,files\r\n");
      expect((await exportOf(form)).headers.get("x-total-count")).toBe("0");
    });

    test("are all there, also when they are more than the database is asked for at once", async () => {
      const form = await openForm();
      await Promise.all(Array.from({ length: 1203 }, (_, index) => submit(form, { index })));
      const answer = await exportOf(form);
      expect(answer.headers.get("x-total-count")).toBe("1203");
      const lines = (await answer.text()).trimEnd().split("\n");
      expect(new Set(lines).size).toBe(1203);
      const csv = await (await exportOf(form, "?format=csv")).text();
      expect(csv.split("\r\n")).toHaveLength(1205);
    });

    test("as CSV have a thousand fields as columns, and further ones together in one as JSON", async () => {
      const form = await createForm(app, OPERATOR, { slug: "wide" });
      for (let post = 0; post < 6; post += 1) {
        const fields = Array.from({ length: 200 }, (_, index) => [`field-${post}-${index}`, 1]);
        await storeSubmission(app, form, { data: JSON.stringify(Object.fromEntries(fields)), files: [] });
      }
      const answer = await exportOf(form, "?format=csv");
      const [head, ...lines] = (await answer.text()).trimEnd().split("\r\n");
      expect(head!.split(",")).toHaveLength(2 + 1000 + 2);
      expect(head).toEndWith(',"field-1-199",otherFields,files');
      expect(lines).toHaveLength(6);
      const oldest = lines.at(-1);
      const others = Array.from({ length: 200 }, (_, index) => `""field-0-${index}"":1`);
      expect(oldest).toEndWith(`,"{${others.join(",")}}",`);
      expect((await (await exportOf(form, "?format=jsonl")).text()).trim().split("\n")).toHaveLength(6);
    });
  });

  describe("imported", () => {
    const load = (form: string, body: string, type = "application/jsonl") =>
      ask(path("forms", form, "submissions", "import"), {
        method: "POST",
        body,
        headers: { "content-type": type },
      });

    test("are JSON lines, of which known ones are skipped", async () => {
      const { slug, key } = await openForm();
      const lines = `{"id":"${app.nextId()}","data":{"a":1}}\n\n{"id":"${app.nextId()}","data":{},"state":"spam"}\r\n`;
      const answer = await load(slug, lines);
      expect([answer.status, await answer.json()]).toEqual([200, { imported: 2, skipped: 0, elsewhere: 0 }]);
      expect(await (await load(key, lines, "application/x-ndjson; charset=utf-8")).json()).toEqual({
        imported: 0,
        skipped: 2,
        elsewhere: 0,
      });
    });

    test("with a wrong line are a 400 or 413 that names it, and none is stored", async () => {
      const { slug, key } = await openForm();
      await expectError(await load(slug, '{"a":1}\n{'), 400, "invalid", "line 2: ");
      const long = JSON.stringify({ a: "x".repeat(300_000) });
      await expectError(await load(slug, `{"a":1}\n${long}`), 413, "too_large", "line 2: ");
      expect(await app.store.submissions.count(key)).toBe(0);
    });

    test("need a form and the content type of JSON lines", async () => {
      const { slug } = await openForm();
      await expectError(await load("nothing", '{"a":1}'), 404, "not_found", "nothing");
      await expectError(
        await load(slug, '{"a":1}', "application/json"),
        415,
        "unsupported",
        "application/jsonl",
      );
    });
  });

  describe("with files", () => {
    test("are downloaded as what no browser shows or runs", async () => {
      const id = await submit(await openForm(), {}, "page.html");
      for (const file of ["1", "page.html"]) {
        const answer = await ask(path("submissions", id, "files", file));
        expect(answer.status).toBe(200);
        expect(await answer.text()).toBe("bytes of page.html");
        const headers = Object.fromEntries(answer.headers);
        expect(headers).toMatchObject({
          "content-type": "application/octet-stream",
          "content-length": "18",
          "content-disposition": `attachment; filename="page.html"; filename*=UTF-8''page.html`,
          "x-content-type-options": "nosniff",
          "cache-control": "no-store",
        });
        expect(headers["content-security-policy"]).toContain("default-src 'none'");
        expect(headers["content-security-policy"]).toContain("sandbox");
      }
    });

    test.each([
      ["Lebenslauf ä.pdf", "Lebenslauf _.pdf", "Lebenslauf%20%C3%A4.pdf"],
      ["日本.txt", "__.txt", "%E6%97%A5%E6%9C%AC.txt"],
      ['a"b\\c%41.txt', "a_b_c_41.txt", "a%22b%5Cc%2541.txt"],
      ["it's (1)*.txt", "it's (1)*.txt", "it%27s%20%281%29%2A.txt"],
      ["a\r\nX-Evil: 1", "a__X-Evil: 1", "a%0D%0AX-Evil%3A%201"],
      ["../../etc/passwd", "../../etc/passwd", "..%2F..%2Fetc%2Fpasswd"],
    ])("named %j keep their name, with a fallback in ASCII", async (name, ascii, encoded) => {
      const id = await submit(await openForm(), {}, name);
      const answer = await ask(path("submissions", id, "files", "1"));
      expect(answer.headers.get("content-disposition")).toBe(
        `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`,
      );
      expect(answer.headers.get("x-evil")).toBeNull();
      expect(await answer.text()).toBe(`bytes of ${name}`);
    });

    test("of one name are a 409 by that name that lists the numbers", async () => {
      const id = await submit(await openForm(), {}, "same.txt", "other.txt", "same.txt");
      const answer = await ask(path("submissions", id, "files", "same.txt"));
      const { code, hint } = await errorOf(answer);
      expect([answer.status, code]).toEqual([409, "conflict"]);
      expect(hint).toContain("1, 3");
      expect((await ask(path("submissions", id, "files", "3"))).status).toBe(200);
      expect((await ask(path("submissions", id, "files", "4"))).status).toBe(404);
    });

    test("that were removed by hand are a 404 that says so", async () => {
      const id = await submit(await openForm(), {}, "a.txt");
      await app.blobs.delete([`${id}.1`]);
      await expectError(await ask(path("submissions", id, "files", "1")), 404, "not_found", "missing");
    });
  });
});
