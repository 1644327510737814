import { join } from "node:path";
import { expect, test } from "bun:test";
import { openChromium } from "../../support/pages/chromium.ts";
import { WITH_JAVASCRIPT, describeInBrowser, signInBrowser } from "../../support/pages/dashboard-browser.ts";
import { eventually } from "../../support/eventually.ts";
import { PNG } from "../../support/pages/furnished.ts";
import { tempDirectory } from "../../support/temp.ts";
import { inboxFlow, openInboxServer } from "./inbox.ts";

const room = await openInboxServer();
const { server, cli, newForm, stored } = room;
inboxFlow(room, WITH_JAVASCRIPT);

describeInBrowser("The inbox", () => {
  const browser = openChromium();

  test("previews images, and downloads everything else without running it", async () => {
    const { send, path } = await newForm("--uploads", "on");
    const script = "<script>alert(1)</script>";
    const id = await send({
      photo: new File([PNG], "photo.png", { type: "image/png" }),
      page: new File([script], "page.html", { type: "text/html" }),
      drawing: new File([`<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`], "drawing.svg", {
        type: "image/svg+xml",
      }),
      fake: new File([script], "fake.png", { type: "image/png" }),
    });
    const { context, page } = await signInBrowser(browser(), server, { user: "inbox" });
    const dialogs: string[] = [];
    page.on("dialog", (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    await page.goto(`${path}/${id}`);
    const images = page.getByRole("img", { name: /^Preview of/ });
    expect(await images.count()).toBe(1);
    await images.scrollIntoViewIfNeeded();
    await eventually("the image is loaded", () =>
      images.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth),
    );
    for (const name of ["page.html", "drawing.svg", "fake.png", "photo.png"]) {
      const download = page.waitForEvent("download");
      await page.locator("article a", { hasText: name }).click();
      expect((await download).suggestedFilename()).toBe(name);
    }
    for (const number of [1, 2, 3, 4]) {
      const { status, headers } = await fetchIn(context, `${path}/${id}/previews/${number}`);
      expect([number, status]).toEqual([number, number === 1 ? 200 : 404]);
      if (number === 1) expect(headers["content-type"]).toBe("image/png");
      const file = await fetchIn(context, `${path}/${id}/files/${number}`);
      expect(file.headers["content-type"]).toBe("application/octet-stream");
      expect(file.headers["content-disposition"]).toStartWith("attachment");
      expect(file.headers["x-content-type-options"]).toBe("nosniff");
      expect(file.headers["content-security-policy"]).toContain("default-src 'none'");
    }
    expect(dialogs).toEqual([]);
    await context.close();
  });

  test("exports the bytes that the command line exports, with and without filters", async () => {
    const { slug, send, path } = await newForm("--uploads", "on");
    await send({ name: "Ada", message: "=1+1" });
    await send({ name: "Grace", file: new File(["bytes"], "a.txt", { type: "text/plain" }) });
    const spam = await send({ name: "Eve", _gotcha: "x" });
    expect((await stored(spam)).state).toBe("spam");
    const { context } = await signInBrowser(browser(), server, { user: "inbox" });
    for (const format of ["csv", "jsonl", "zip"])
      for (const [query, options] of [
        ["", []],
        ["&folder=spam", ["--spam"]],
        ["&q=grace", ["--search", "grace"]],
      ] as const) {
        const file = join(tempDirectory(), "export");
        // What a person downloads begins with a mark by which spreadsheets recognize UTF-8.
        const mark = format === "jsonl" ? [] : ["--bom"];
        const args = ["submissions", "export", slug, "--format", format, "-o", file, ...options, ...mark];
        const { code, stderr } = await cli.run(...args);
        expect([code, stderr]).toEqual([0, expect.any(String)]);
        const { bytes } = await fetchIn(context, `${path}/export?format=${format}${query}`);
        expect(bytes.equals(Buffer.from(await Bun.file(file).bytes()))).toBe(true);
      }
    await context.close();
  });
});

type Context = Awaited<ReturnType<typeof signInBrowser>>["context"];

/** What the browser would get at an address, without showing it. */
async function fetchIn(context: Context, address: string) {
  const answer = await context.request.get(address);
  return { status: answer.status(), headers: answer.headers(), bytes: await answer.body() };
}
