import { describe, expect, test } from "bun:test";
import { KiB, MiB } from "../../src/base/bytes.ts";
import { type Notification, type NotifiedFile, buildNotification } from "../../src/delivery/notification.ts";

const file = (name: string, size: number): NotifiedFile => ({
  name,
  type: "application/pdf",
  size,
  open: () => Promise.reject(new Error("nothing is read")),
  url: `https://forms.example/v1/files/${size}`,
});

function build(data: unknown, more: Partial<Notification> = {}) {
  return buildNotification({
    id: "d-1",
    from: { name: "Shop", address: "forms@shop.example" },
    to: "owner@shop.example",
    now: Date.UTC(2026, 9, 12),
    form: { slug: "contact", name: "Contact" },
    submission: { id: "s-1", data: JSON.stringify(data), createdAt: Date.UTC(2026, 9, 11, 14, 3, 59) },
    files: [],
    emailField: null,
    schemaEmailField: null,
    subject: null,
    title: "",
    attach: 10 * MiB,
    spam: 0,
    ...more,
  });
}

describe("a notification", () => {
  test("comes from the server's address, and its reply goes to the sender", () => {
    expect(build({ name: "Ada", email: "ada@example.com" }).message).toMatchObject({
      id: "<d-1@shop.example>",
      from: { name: "Shop", address: "forms@shop.example" },
      to: "owner@shop.example",
      replyTo: "ada@example.com",
      date: Date.UTC(2026, 9, 12),
      autoSubmitted: "auto-generated",
      subject: "New submission to Contact",
      attachments: [],
    });
  });

  test.each([
    [null, "2026-10-11 14:03 UTC"],
    ["Europe/Berlin", "2026-10-11 16:03 GMT+2"],
    ["Asia/Tokyo", "2026-10-11 23:03 GMT+9"],
    ["America/New_York", "2026-10-11 10:03 EDT"],
  ])("has its time in the zone of the form: %s", (timeZone, time) => {
    for (const part of [build({}, { timeZone }).message.text, build({}, { timeZone }).message.html])
      expect(part).toContain(`received a submission on ${time}.`);
  });

  test.each(['"a@evil.example, b"@x.example', "a@x.example\r\nBcc: b@x.example", "ada"])(
    "has nobody to reply to where the address is %j",
    (email) => {
      expect(build({ email }).message.replyTo).toBeNull();
    },
  );

  test("lists the fields as text, aligned, with the form, the time and the spam that waits", () => {
    const data = {
      name: "Ada",
      message: "Hello,\n\nbye",
      colors: ["red", "blue"],
      address: { city: "Paris" },
    };
    expect(build(data, { spam: 3 }).message.text).toBe(`Contact received a submission on 2026-10-11 14:03 UTC.

name:     Ada
message:  Hello,
          
          bye
colors:   red
          blue
address:  city: Paris

Form contact, submission s-1
3 submissions wait in the spam folder.
`);
  });

  test("leads to the submission and to marking it as spam, without a link where there is only a path", () => {
    const links = (base: string) => ({
      page: `${base}/dashboard/inbox/contact/s-1`,
      spam: `${base}/v1/spam/t`,
    });
    const { text, html } = build({}, { links: links("https://x.example") }).message;
    expect(text).toContain(
      "Open in the dashboard:\n  https://x.example/dashboard/inbox/contact/s-1\nMark as spam:\n  https://x.example/v1/spam/t\n",
    );
    expect(html).toContain(
      '<a href="https://x.example/dashboard/inbox/contact/s-1">Open in the dashboard</a>',
    );
    expect(html).toContain('<a href="https://x.example/v1/spam/t">Mark as spam</a>');
    const paths = build({}, { links: links("") }).message;
    expect(paths.html).toContain("Mark as spam: /v1/spam/t");
    expect(paths.html).not.toContain("<a ");
    expect(
      build({}, { links: { page: null, spam: "https://x.example/v1/spam/t" } }).message.text,
    ).not.toContain("dashboard");
  });

  test.each([
    [0, null],
    [1, "1 submission waits in the spam folder."],
    [2, "2 submissions wait in the spam folder."],
  ])("says that %d waits as spam", (spam, line) => {
    const { text, html } = build({ a: "b" }, { spam }).message;
    for (const part of [text, html]) {
      if (line === null) expect(part).not.toContain("spam");
      else expect(part).toContain(line);
    }
  });

  test("lists the fields as a table", () => {
    const { html } = build({ name: "Ada", message: "a\nb" }).message;
    expect(html).toMatch(/<th[^>]*>name<\/th><td[^>]*>Ada<\/td>/);
    expect(html).toMatch(/<td[^>]*>a<br>\nb<\/td>/);
    expect(html).toContain('content="light dark"');
    expect(html).not.toMatch(/[ ;"](?:color|background)[^;"]*:/);
  });

  test("shows numbers as they were sent", () => {
    const submission = { id: "s-1", data: '{"order":12345678901234567890}', createdAt: 0 };
    expect(build({}, { submission }).message.text).toContain("order:  12345678901234567890");
  });
});

describe("a hostile submission", () => {
  test("puts no markup into the HTML part", () => {
    const evil = `"><script>alert(1)</script><img src=x onerror='a'>`;
    const { html } = build(
      { [evil]: evil, nested: { [evil]: [evil] } },
      { files: [file(evil, 5)], attach: 0 },
    ).message;
    expect(html).not.toMatch(/<(?:script|img)/);
    expect(html.match(/<a /g)).toHaveLength(1);
  });

  test("cannot pretend another field, file or line", () => {
    const { text } = build({
      "a\nb": "x\n\nFiles:\n  cv.pdf\n    https://evil.example\r\rForm other",
    }).message;
    const lines = text.split("\n").filter((line) => /^\S/.test(line));
    expect(lines).toEqual([expect.stringContaining("received"), "a b:  x", "Form contact, submission s-1"]);
  });

  test("has one line and 200 characters in the subject", () => {
    const data = { name: `x\r\nBcc: a@x.example\u2028${"y".repeat(9000)}` };
    const { subject } = build(data, { subject: "New from {{name}}\n{{name}}" }).message;
    expect(subject).toStartWith("New from x Bcc: a@x.example yyy");
    expect(subject.length).toBeLessThanOrEqual(200);
    expect(subject).not.toMatch(/[\r\n\u2028]/);
  });

  test("gives a message of bounded size, with a note at each value that is cut", () => {
    const long = "x".repeat(256 * KiB);
    const { text, html } = build({ a: long, b: "short", c: [long, long], d: long, e: long, f: long }).message;
    expect(text.length).toBeLessThan(200 * KiB);
    expect(html.length).toBeLessThan(200 * KiB);
    expect(text).toMatch(/^b: {2}short$/m);
    for (const part of [text, html]) {
      expect(part.match(/The submission has the rest of this value/g)).toHaveLength(5);
    }
    const lines = build({ ["n".repeat(100)]: "\n".repeat(256 * KiB) }).message;
    expect(lines.text.length).toBeLessThan(2 * MiB);
    const fields = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`field ${index}`, long]));
    expect(build(fields).message.text.length).toBeLessThan(200 * KiB);
  });
});

describe("the subject", () => {
  test("is a template of the form, which may use the fields", () => {
    expect(build({ topic: "Price & date" }, { subject: "Shop: {{topic}}" }).message.subject).toBe(
      "Shop: Price & date",
    );
  });

  test("is the form and the title of the submission without a template", () => {
    const title = "Do you\r\nship to Canada?";
    expect(build({}, { title }).message.subject).toBe("Contact: Do you ship to Canada?");
  });

  test("is the default where it would be empty", () => {
    expect(build({}, { subject: "{{topic}}" }).message.subject).toBe("New submission to Contact");
  });
});

describe("files", () => {
  const files = [file("cv.pdf", 6 * MiB), file("Zeugnis\r\n.pdf", 4 * MiB)];

  test("are attached up to the limit together, and a message with links is at hand", () => {
    const { message, withoutAttachments } = build({ a: "b" }, { files });
    expect(message.attachments.map(({ name }) => name)).toEqual(["cv.pdf", "Zeugnis\r\n.pdf"]);
    expect(message.text).toContain("Files:\n  cv.pdf (6 MB), attached\n  Zeugnis .pdf (4 MB), attached\n");
    expect(message.text).not.toContain("https://");
    expect(withoutAttachments).toEqual(build({ a: "b" }, { files, attach: 0 }).message);
    expect(withoutAttachments!.id).toBe(message.id);
  });

  test.each([10 * MiB - 1, 0])("are links where only %d bytes are attached", (attach) => {
    const { message, withoutAttachments } = build({ a: "b" }, { files, attach });
    expect(withoutAttachments).toBeNull();
    expect(message.attachments).toEqual([]);
    expect(message.text).toContain(`  cv.pdf (6 MB)\n  https://forms.example/v1/files/${6 * MiB}\n`);
    expect(message.html).toContain(`<a href="https://forms.example/v1/files/${6 * MiB}">cv.pdf (6 MB)</a>`);
  });

  test("with a path instead of a URL are not links", () => {
    const { html } = build({}, { files: [{ ...files[0]!, url: "/v1/files/t" }], attach: 0 }).message;
    expect(html).toContain("cv.pdf (6 MB): /v1/files/t");
    expect(html).not.toContain("<a ");
  });

  test("may be all that was sent", () => {
    const { message } = build({}, { files: [file("", 5)] });
    expect(message.text).toContain("(no name) (5 bytes), attached");
  });

  test("are not mentioned where there are none", () => {
    expect(build({ a: "b" }).message.text).not.toContain("Files");
  });
});
