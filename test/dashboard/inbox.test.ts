import { join } from "node:path";
import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { openChromium } from "../support/chromium.ts";
import { createUsers, describeInBrowser, linkFor, signInBrowser } from "../support/dashboard-browser.ts";
import { eventually } from "../support/eventually.ts";
import { onData } from "../support/commands.ts";
import { startServer } from "../support/executable.ts";
import { PNG } from "../support/furnished.ts";
import { openMailSink } from "../support/mail-sink.ts";
import { tempDirectory } from "../support/temp.ts";

const { port, received } = await openMailSink();
const server = await startServer([
  "--smtp-url",
  `smtp://127.0.0.1:${port}`,
  "--mail-from",
  "formflag@example.com",
]);
const cli = onData(server.data);
await linkFor(server);
await createUsers(server, "inbox");

let forms = 0;
/** A new form, and how to send to it as people do. */
async function newForm(...options: string[]) {
  const slug = `form-${(forms += 1)}`;
  const { key } = await cli.json<{ key: string }>("forms", "create", slug, ...options);
  const send = async (fields: Record<string, string | File>): Promise<string> => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    const answer = await fetch(`${server.url}/v1/s/${key}?mode=rest`, { method: "POST", body });
    const { id } = (await answer.json()) as { id: string };
    expect(answer.status).toBe(200);
    return id;
  };
  return { slug, send, path: `${server.url}/dashboard/inbox/${slug}` };
}

type Stored = { id: string; state: string; read: boolean };
const stored = (id: string) => cli.json<Stored>("submissions", "get", id);
const row = (page: Page, id: string) => page.locator(`#row-${id}`);
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

describeInBrowser("The inbox", () => {
  const browser = openChromium();

  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? "with JavaScript" : "without JavaScript";
    const openInbox = () => signInBrowser(browser(), server, { user: "inbox", javaScriptEnabled });

    test(`finds a submission, shows it and marks it as read, ${how}`, async () => {
      const { send, path } = await newForm();
      const ada = await send({ name: "Ada", message: "The blue widget is broken" });
      const grace = await send({ name: "Grace", message: "The red one works" });
      const { context, page } = await openInbox();
      await page.goto(path);
      await row(page, grace).waitFor();
      await page.getByRole("searchbox").fill("widget");
      await button(page, "Search").click();
      await page.waitForURL(/q=widget/);
      await row(page, ada).waitFor();
      expect(await row(page, grace).count()).toBe(0);
      await row(page, ada).getByRole("link").click();
      await page.getByRole("heading", { level: 1, name: "Ada" }).waitFor();
      await page.getByText("The blue widget is broken").first().waitFor();
      // Opening it has marked nothing.
      expect((await stored(ada)).read).toBe(false);
      await button(page, "Mark as read").click();
      await button(page, "Mark as unread").waitFor();
      expect((await stored(ada)).read).toBe(true);
      await context.close();
    });

    test(`moves a submission to spam and back, and what was held is sent then, ${how}`, async () => {
      const { send, path } = await newForm("--notify", "ann@example.com");
      const word = `held-${how.replace(" ", "-")}`;
      const ada = await send({ name: "Ada" });
      const eve = await send({ name: word, _gotcha: "a robot" });
      const { context, page } = await openInbox();
      await page.goto(path);
      expect(await row(page, eve).count()).toBe(0);
      await row(page, ada).getByRole("link").click();
      await button(page, "Spam").click();
      await page.getByText("1 submission moved to spam.").waitFor();
      expect((await stored(ada)).state).toBe("spam");
      await page.goto(`${path}?folder=spam`);
      await row(page, ada).waitFor();
      expect(received.some(({ email }) => email.text?.includes(word))).toBe(false);
      await row(page, eve).getByRole("checkbox").check();
      await button(page, "Not spam").click();
      await page.getByText("1 submission moved to the inbox.").waitFor();
      expect((await stored(eve)).state).toBe("inbox");
      await eventually("the mail that was held arrives", () =>
        received.some(({ email }) => email.text?.includes(word)),
      );
      await context.close();
    });

    test(`archives several at once, and takes it back, ${how}`, async () => {
      const { send, path } = await newForm();
      const ids = [
        await send({ name: "Ada" }),
        await send({ name: "Grace" }),
        await send({ name: "Edsger" }),
      ];
      const { context, page } = await openInbox();
      await page.goto(path);
      for (const id of ids.slice(0, 2)) await page.locator(`input[type=checkbox][value="${id}"]`).check();
      await button(page, "Archive").click();
      await page.getByText("2 submissions archived.").waitFor();
      expect(await row(page, ids[0]!).count()).toBe(0);
      await row(page, ids[2]!).waitFor();
      await button(page, "Undo").click();
      await page.getByText("Undone: 2 submissions moved to the inbox.").waitFor();
      for (const id of ids) await row(page, id).waitFor();
      expect((await stored(ids[0]!)).state).toBe("inbox");
      await context.close();
    });

    test(`deletes after a question that offers an export, ${how}`, async () => {
      const { send, path } = await newForm();
      const id = await send({ name: "Ada" });
      const kept = await send({ name: "Grace" });
      const { context, page } = await openInbox();
      await page.goto(path);
      await row(page, id).getByRole("checkbox").check();
      await button(page, "Delete").click();
      await page.getByRole("heading", { name: "Delete 1 submission?" }).waitFor();
      await page.getByRole("link", { name: "CSV" }).last().waitFor();
      await button(page, "Delete 1 submission").click();
      await page.getByText("1 submission deleted.").waitFor();
      await row(page, kept).waitFor();
      expect((await cli.run("submissions", "get", id)).code).not.toBe(0);
      expect((await stored(kept)).state).toBe("inbox");
      await context.close();
    });
  }

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
      await page.locator("main a", { hasText: name }).click();
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
        const args = ["submissions", "export", slug, "--format", format, "-o", file, ...options];
        const { code, stderr } = await cli.run(...args);
        expect([code, stderr]).toEqual([0, expect.any(String)]);
        const { bytes } = await fetchIn(context, `${path}/export?format=${format}${query}`);
        expect(bytes.equals(Buffer.from(await Bun.file(file).arrayBuffer()))).toBe(true);
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
