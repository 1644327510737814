import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { onData } from "../../support/commands.ts";
import { openChromium } from "../../support/pages/chromium.ts";
import {
  type Way,
  createUsers,
  describeInBrowser,
  linkFor,
  signInBrowser,
} from "../../support/pages/dashboard-browser.ts";
import { eventually } from "../../support/eventually.ts";
import { startServer } from "../../support/executable.ts";
import { openMailSink } from "../../support/peers/mail-sink.ts";

/** A server that sends mail, with a user for its inbox. */
export async function openInboxServer() {
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
  return {
    server,
    cli,
    received,
    newForm,
    stored: (id: string) => cli.json<Stored>("submissions", "get", id),
  };
}

type Stored = { id: string; state: string; read: boolean };
const row = (page: Page, id: string) => page.locator(`#row-${id}`);
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const openMenu = (page: Page) => page.getByLabel("More actions").click();

/** What people do in the inbox. */
export function inboxFlow(
  { server, cli, received, newForm, stored }: Awaited<ReturnType<typeof openInboxServer>>,
  { how, javaScriptEnabled }: Way,
): void {
  describeInBrowser("The inbox", () => {
    const browser = openChromium();
    const openInbox = () => signInBrowser(browser(), server, { user: "inbox", javaScriptEnabled });

    test(`finds a person in 2 interactions, a text and a press, ${how}`, async () => {
      const { send } = await newForm();
      const address = `grace-${javaScriptEnabled}@example.com`;
      const sent = [await send({ email: address }), await send({ email: address, message: "Again" })];
      const other = await send({ email: "ada@example.com" });
      const { context, page } = await openInbox();
      await page.goto(`${server.url}/dashboard/inbox`);
      await page.getByRole("searchbox").fill(address);
      await page.keyboard.press("Enter");
      await page.waitForURL(/q=grace/);
      for (const id of sent) await row(page, id).waitFor();
      expect(await row(page, other).count()).toBe(0);
      await context.close();
    });

    test(`finds a submission, opens it, which marks it as read, and marks it as unread, ${how}`, async () => {
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
      expect((await stored(ada)).read).toBe(true);
      await openMenu(page);
      await button(page, "Mark as unread").click();
      await page.getByText("1 submission marked as unread.").waitFor();
      await openMenu(page);
      await button(page, "Mark as read").waitFor();
      expect((await stored(ada)).read).toBe(false);
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
      await openMenu(page);
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
  });
}
