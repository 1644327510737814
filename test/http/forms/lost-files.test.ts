import { describe, expect, test } from "bun:test";
import { createPageFaultReport } from "../../../src/http/forms/receive.ts";
import { file, formData, json, multipart, openInbox, text, urlencoded } from "../../support/inbox.ts";

const { newForm, stored, refused, send } = openInbox();

describe("a file input in a form without the encoding for files", () => {
  test.each(["cat.jpg", "Lebenslauf%20M%C3%BCller.PDF", "a.b.tar.gz"])("is refused: %s", async (name) => {
    const form = await newForm({ uploads: true });
    const message = await refused(form, urlencoded(`name=Ann&photo=${name}`), 415);
    expect(message).toBe(
      `the field "photo" came as text instead of a file, ${JSON.stringify(decodeURIComponent(name))}: add enctype="multipart/form-data" to the form`,
    );
  });

  test("is refused where the schema describes a file, whatever it is called", async () => {
    const properties = { cv: { type: "string", format: "binary" }, more: { items: { format: "binary" } } };
    const form = await newForm({ uploads: true, schema: { properties } });
    await refused(form, urlencoded("cv=README"), 415);
    await refused(form, urlencoded("more=a&more=b"), 415);
    await stored(form, urlencoded("cv=&name=README"));
  });

  test("is in the log for the owner of the form, once an hour for each", () => {
    const lines: string[] = [];
    let now = 0;
    const reportPageFault = createPageFaultReport(() => now, { warn: (text) => void lines.push(text) });
    const [jobs, photos] = [
      { key: "a", slug: "jobs" },
      { key: "b", slug: "photos" },
    ];
    reportPageFault(jobs, { reason: "other" });
    for (const form of [jobs, jobs, photos]) reportPageFault(form, { reason: "file-lost" });
    expect(lines.map((line) => /^a page sends the form (\w+) the names of files/.exec(line)?.[1])).toEqual([
      "jobs",
      "photos",
    ]);
    now += 3_600_000;
    reportPageFault(jobs, { reason: "file-lost" });
    expect(lines).toHaveLength(3);
    reportPageFault(jobs, { reason: "not-utf-8" });
    expect(lines[3]).toBe(
      'a page sends the form jobs text that is not UTF-8, which is refused: add accept-charset="utf-8" to its form',
    );
  });

  test("leads a browser to a page that says so", async () => {
    const form = await newForm({ uploads: true });
    const answer = await send(form.key, { ...urlencoded("photo=cat.jpg"), query: "" });
    expect([answer.status, answer.headers.get("Location")]).toEqual([
      303,
      expect.stringContaining("/v1/error?code=415"),
    ]);
  });

  test("is stored where it is left empty, and where the form takes no files", async () => {
    const data = {
      photo: "",
      site: "shop.com",
      version: "v1.2",
      file: "see cat.jpg: it is small",
      path: "a/b.jpg",
    };
    const sent = urlencoded(new URLSearchParams(data).toString());
    expect((await stored(await newForm({ uploads: true }), sent)).data).toEqual(data);
    expect((await stored(await newForm(), urlencoded("photo=cat.jpg"))).data).toEqual({ photo: "cat.jpg" });
  });
});

describe("what a script sends instead of a file", () => {
  const texts = [
    String.raw`C:\fakepath\cat.jpg`,
    "[object File]",
    "[object FileList]",
    "[object File],[object File]",
  ];
  test.each(texts)("is refused: %s", async (value) => {
    for (const uploads of [true, false]) {
      const form = await newForm({ uploads });
      for (const sent of [
        json({ cv: value }),
        json({ cv: ["a", value] }),
        urlencoded(new URLSearchParams({ cv: value }).toString()),
        multipart(text("cv", value)),
      ]) {
        expect(await refused(form, sent, 415)).toEndWith("let the script send the FormData of the form");
      }
    }
  });

  test("is stored beside a file", async () => {
    const form = await newForm({ uploads: true });
    const sent = multipart(text("shown", texts[0]!), file("cat.jpg", "x"));
    expect((await stored(form, sent)).files).toHaveLength(1);
    await stored(form, formData([["cv", "cat.jpg"]]));
    await stored(form, json({ cv: "cat.jpg", note: "[object File] is what I get" }));
  });
});

describe("JSON that comes as a urlencoded form, as curl sends it,", () => {
  test.each([
    ['{"name":"x"}', { name: "x" }],
    [' {"a":1.5,"url":"https://x.example/?a=b&c=d"}\r\n', { a: 1.5, url: "https://x.example/?a=b&c=d" }],
  ])("is read as JSON: %s", async (body, data) => {
    expect((await stored(await newForm(), urlencoded(body))).data).toEqual(data);
  });

  test.each([
    ['{"name":"x",}', "the body is not valid JSON"],
    ["{name:x}", "the body is not valid JSON"],
    ['{"name":"x"', "the body is not valid JSON"],
    ['{ "name": "x"}&mode=rest', "the body is not valid JSON"],
    ['[{"name":"x"}]', "the JSON of a submission is an object of fields"],
    ["{}", "the submission is empty: send at least one field or file"],
  ])("is refused where it cannot be: %s", async (body, message) => {
    expect(await refused(await newForm(), urlencoded(body), 400)).toBe(message);
  });

  test.each([
    ["{a}=1", { "{a}": "1" }],
    ["a[]=1", { "a[]": "1" }],
    ["%7Ba%7D=", { "{a}": "" }],
  ])("is not what a form sends: %s", async (body, data) => {
    expect((await stored(await newForm(), urlencoded(body))).data).toEqual(data);
  });
});
