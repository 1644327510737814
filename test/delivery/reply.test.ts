import { expect, test } from "bun:test";
import { buildReply } from "../../src/delivery/reply.ts";
import {
  checkReplyTemplates,
  fillReplyTemplate,
  replyTemplatesIn,
} from "../../src/delivery/reply-templates.ts";
import { codeOf } from "../support/refusals.ts";

const FROM = { name: "Shop", address: "forms@shop.example" };
const ID = "01a1fc49-92a7-75da-ab11-1c9958800353";

const build = (text: string, data: object, to = "ann@example.com") =>
  buildReply({
    id: ID,
    from: FROM,
    to,
    now: 0,
    answer: { text, subject: "Re: x\r\nBcc: eve@example.com", thread: "the-thread" },
    data: JSON.stringify(data),
    createdAt: Date.parse("2027-01-31T12:00:00Z"),
  });

test("a reply has the text of its user, and the submission as a quotation", () => {
  const message = build("Dear <Ann>\r\n\r\nyes", { email: "ann@example.com", text: "open?\nnow?" })!;
  expect(message).toMatchObject({
    id: `<${ID}@shop.example>`,
    to: "ann@example.com",
    answers: "<the-thread@shop.example>",
    autoSubmitted: null,
    subject: "Re: x Bcc: eve@example.com",
  });
  expect(message.text).toBe(
    "Dear <Ann>\n\nyes\n\nOn 2027-01-31, ann@example.com wrote:\n> email: ann@example.com\n> text: open?\n>   now?\n",
  );
  expect(message.html).toContain("<p>Dear &lt;Ann&gt;<br>\n<br>\nyes</p>");
  expect(message.html).toContain("<blockquote>email: ann@example.com<br>\ntext: open?");
});

test("a reply goes to one plain address, and quotes no megabytes", () => {
  expect(build("x", {}, "ann@example.com, eve@example.com")).toBe(null);
  expect(build("x", { text: "y".repeat(1_000_000) })!.text.length).toBeLessThan(11_000);
});

test("templates begin with their names, and have the fields of a submission", async () => {
  const setting = "# Thanks\r\nDear {{name}},\r\n\r\nthank you.\r\n\r\n#Refund\r\nIt is on its way.\r\n";
  checkReplyTemplates(setting);
  const [thanks, refund] = replyTemplatesIn(setting);
  expect(refund).toEqual({ name: "Refund", text: "It is on its way." });
  expect(fillReplyTemplate(thanks!, '{"name":"Ann & Bob"}')).toBe("Dear Ann & Bob,\n\nthank you.");
  expect(replyTemplatesIn(null)).toEqual([]);
  for (const wrong of [
    "no name",
    "# A\n",
    "x\n# A\ny",
    "# A\nx\n# A\ny",
    "# A\n{{> partial}}",
    "# A\n{{#a}}",
  ])
    expect([wrong, await codeOf((async () => checkReplyTemplates(wrong))())]).toEqual([wrong, "invalid"]);
});
