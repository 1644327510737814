import { expect, test } from "bun:test";
import { buildAlert } from "../../src/delivery/alert.ts";

const alert = {
  id: "a-1",
  from: { name: "Shop", address: "forms@shop.example" },
  to: "operator@shop.example",
  now: 1_700_000_000_000,
  owner: "form contact",
  target: "t-7",
  error: "connect ECONNREFUSED 203.0.113.9:443",
  isSwitchedOff: false,
};

test("an alert names the form, the target and the last error", () => {
  const message = buildAlert(alert);
  expect(message).toMatchObject({
    id: "<a-1@shop.example>",
    to: "operator@shop.example",
    replyTo: null,
    autoSubmitted: "auto-generated",
    subject: "A delivery of form contact to target t-7 failed",
    attachments: [],
  });
  for (const part of [message.text, message.html]) {
    for (const word of ["contact", "t-7", alert.error, "retry"]) expect(part).toContain(word);
  }
});

test("an alert says that a target was switched off", () => {
  const { subject, text } = buildAlert({ ...alert, isSwitchedOff: true, error: "HTTP 410" });
  expect(subject).toBe("Target t-7 of form contact was switched off");
  expect(text).toContain("HTTP 410");
  expect(text).toContain("enabled");
});

test("an error that the target wrote adds no line and no markup", () => {
  const { subject, text, html } = buildAlert({
    ...alert,
    target: "x\r\nBcc: a@x.example",
    error: `<script>\r\n\r\nAll is well.${"x".repeat(9000)}`,
  });
  expect(subject).not.toMatch(/[\r\n]/);
  expect(text).not.toMatch(/^(?:All|Bcc)/m);
  expect(text.length).toBeLessThan(600);
  expect(html).not.toContain("<script>");
});
