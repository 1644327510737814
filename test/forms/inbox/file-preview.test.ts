import { expect, test } from "bun:test";
import { openPreview, previewTypeOf } from "../../../src/forms/inbox/file-preview.ts";
import { createForm } from "../../../src/forms/forms.ts";
import { readSubmission, storeSubmission } from "../../../src/forms/submissions.ts";
import { openTestApp } from "../../support/app.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { codeOf } from "../../support/refusals.ts";

const bytes = (text: string) => Buffer.from(text, "latin1");
const PNG = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR";

test.each([
  ["image/png", PNG],
  ["image/jpeg", "\xff\xd8\xff\xe0\0\x10JFIF"],
  ["image/gif", "GIF87a\x01"],
  ["image/gif", "GIF89a\x01"],
  ["image/webp", "RIFF\x24\0\0\0WEBPVP8X"],
  ["image/avif", "\0\0\0\x1cftypavif"],
  ["image/avif", "\0\0\0\x1cftypavis"],
])("a preview may show %s", (type, head) => {
  expect(previewTypeOf(bytes(head))).toBe(type);
});

test.each([
  "",
  "\x89PNG",
  "<svg xmlns='http://www.w3.org/2000/svg'>",
  "<!doctype html><script>",
  "%PDF-1.7",
  "BM\x36\0",
  "RIFF\x24\0\0\0WAVEfmt ",
  "\0\0\0\x1cftypheic",
  ` ${PNG}`,
  "GIF88a",
])("a preview does not show %j", (head) => {
  expect(previewTypeOf(bytes(head))).toBeNull();
});

test("a stored file is shown by its content, whatever its name and type", async () => {
  const app = openTestApp();
  const form = await createForm(app, OPERATOR, { slug: "contact", uploads: true });
  const staged = async (name: string, type: string, text: string) => {
    const blob = await app.blobs.stage();
    await blob.write(bytes(text));
    return { field: "file", name, type, blob };
  };
  const files = [
    await staged("a.html", "text/html", PNG + "x".repeat(1000)),
    await staged("a.png", "image/png", "<script>"),
    await staged("empty.gif", "image/gif", ""),
  ];
  const { id } = await storeSubmission(app, form, { data: "{}", files });
  const submission = await readSubmission(app, id);
  const shown = await openPreview(app, submission, "a.html");
  expect([shown!.type, shown!.file.name]).toEqual(["image/png", "a.html"]);
  expect((await new Response(shown!.bytes).bytes()).length).toBe(PNG.length + 1000);
  expect(await openPreview(app, submission, "2")).toBeNull();
  expect(await openPreview(app, submission, "3")).toBeNull();
  expect(await codeOf(openPreview(app, submission, "4"))).toBe("not_found");
});
