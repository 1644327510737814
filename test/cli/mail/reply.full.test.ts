import { expect, test } from "bun:test";
import type { TimelineEvent } from "../../../src/forms/inbox/timeline.ts";
import { onData } from "../../support/commands.ts";
import { startServer } from "../../support/executable.ts";
import { openMailSink, reply } from "../../support/peers/mail-sink.ts";
import { eventually } from "../../support/eventually.ts";

type Queued = Extract<TimelineEvent, { event: "queued" }>;

const sink = await openMailSink({
  onRcptTo: ({ address }, _session, done) =>
    done(address.startsWith("gone@") ? reply("550 5.1.1 No such mailbox") : undefined),
});
const env = {
  FORMFLAG_SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
  FORMFLAG_MAIL_FROM: "Shop <forms@shop.example>",
};
// Commands beside the server have neither its variables nor the password, which only sending needs.
const server = await startServer([], { env });
const commands = onData(server.data);
const json = <T>(...args: string[]) => commands.json<T>(...args);
const { key } = await json<{ key: string }>("forms", "create", "contact", "--name", "Contact us");

async function send(email: string): Promise<string> {
  const answer = await fetch(`${server.url}/v1/s/${key}?mode=rest`, {
    method: "POST",
    body: JSON.stringify({ email, message: "Are you open?\r\nOn Monday?" }),
    headers: { "Content-Type": "application/json" },
  });
  return ((await answer.json()) as { id: string }).id;
}
const timeline = (id: string) => json<TimelineEvent[]>("submissions", "timeline", id);
const ended = (id: string) =>
  eventually("its deliveries have ended", async () => {
    const queued = (await timeline(id)).filter((event): event is Queued => event.event === "queued");
    return queued.length > 0 && queued.every(({ status }) => status !== "queued") ? queued : null;
  });

test("a reply is a mail to the sender that quotes the submission, and all replies make one thread", async () => {
  const id = await send("Ann@example.com");
  for (const text of ["Yes, we are.\n\n<b>From 9</b>", "And on Tuesday."])
    await json("submissions", "reply", id, text);
  expect((await ended(id)).map(({ kind, target, status }) => [kind, target, status])).toEqual(
    Array.from({ length: 2 }, () => ["reply", "Ann@example.com", "delivered"]),
  );
  const mails = sink.received.filter(({ to }) => to[0] === "Ann@example.com");
  const [first, second] = mails.toSorted((a) => (a.email.text!.includes("Tuesday") ? 1 : -1));
  expect(first!.email).toMatchObject({
    from: { name: "Shop", address: "forms@shop.example" },
    subject: "Re: Contact us",
    inReplyTo: `<${id}@shop.example>`,
    references: `<${id}@shop.example>`,
  });
  expect(first!.email.text!.trim()).toBe(
    `Yes, we are.\n\n<b>From 9</b>\n\nOn ${new Date().toISOString().slice(0, 10)}, Ann@example.com wrote:\n` +
      "> email: Ann@example.com\n> message: Are you open?\n>   On Monday?",
  );
  expect(first!.email.html).toContain("&lt;b&gt;From 9&lt;/b&gt;");
  expect(first!.email.headers.map(({ key: name }) => name)).not.toContain("auto-submitted");
  expect(second!.email.references).toBe(first!.email.references);
  expect(second!.email.messageId).not.toBe(first!.email.messageId);
});

test("a refused reply is in the timeline with its text", async () => {
  const id = await send("gone@example.com");
  await json("submissions", "reply", id, "Hello", "--subject", "Your question");
  const [{ status, error }] = (await ended(id)) as [Queued];
  expect([status, error]).toEqual(["failed", expect.stringContaining("No such mailbox")]);
  expect(await timeline(id)).toContainEqual(expect.objectContaining({ event: "answered", text: "Hello" }));
});

test("the same text twice is one mail", async () => {
  const id = await send("ben@example.com");
  const replies = [
    await json("submissions", "reply", id, "Once"),
    await json("submissions", "reply", id, "Once"),
  ];
  expect(replies[0]).toEqual(replies[1]);
  expect(await ended(id)).toHaveLength(1);
});

test("a reply needs an address, a text and no spam", async () => {
  const id = await send("not an address");
  const refused = async (...args: string[]) => (await commands.run("submissions", "reply", ...args)).stderr;
  expect(await refused(id, "Hello")).toContain("is no mail address that can be sent to");
  const [spam, plain] = [await send("eve@example.com"), await send("eve@example.com")];
  await json("submissions", "mark", spam, "spam");
  expect(await refused(spam, "Hello")).toContain("spam is not answered");
  expect(await refused(plain, " ")).toContain("the reply is empty");
});

test("without a mail server a reply says what to set", async () => {
  const other = await startServer();
  const others = onData(other.data);
  await others.json("forms", "create", "contact");
  const { id } = await others.json<{ id: string }>("forms", "test", "contact");
  const { code, stderr } = await others.run("submissions", "reply", id, "Hello");
  expect([code, stderr]).toEqual([
    5,
    expect.stringContaining("start the server with --smtp-url and --mail-from"),
  ]);
});
